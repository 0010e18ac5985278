"""A page of documentation: what `explain` prints for one rule, verdict or column."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

Kind = Literal["rule", "verdict", "column"]
_WIDTH = 92


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page.

    Attributes:
        name: the rule's id, the verdict, or the column's field name.
        kind: what it documents.
        summary: one line.
        text: the sections, plain text; a line that starts at the margin is a heading.
        aliases: other names it is found by: a rule's name, a column's heading.
    """

    name: str
    kind: Kind
    summary: str
    text: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Sections:
    """The sections every page has, in their order; an empty one is left out."""

    measures: str
    matters: str = ""
    formula: str = ""
    example: str
    action: str
    limits: str

    def text(self) -> str:
        """The sections under their headings, wrapped."""
        headed = (
            ("What it measures", self.measures),
            ("Why it matters", self.matters),
            ("Formula", self.formula),
            ("Example", self.example),
            ("What to do", self.action),
            ("Limits", self.limits),
        )
        return "\n\n".join(
            f"{heading}:\n{_indented(section)}" for heading, section in headed if section
        )


def column(name: str, summary: str, *, aliases: tuple[str, ...] = (), sections: Sections) -> Page:
    """The page of a column."""
    return Page(name=name, kind="column", summary=summary, text=sections.text(), aliases=aliases)


def verdict(name: str, summary: str, sections: Sections) -> Page:
    """The page of a verdict."""
    return Page(name=name, kind="verdict", summary=summary, text=sections.text())


def wrapped_text(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """A sentence in lines of at most ``width`` characters.

    Args:
        text: the sentence.
        width: characters of a line.
        first: what the first line starts with.
        rest: what every other line starts with.
    """
    return textwrap.wrap(
        text, width=width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )


def wrapped_page(text: str, width: int) -> Iterator[str]:
    """The lines of a page, its paragraphs wrapped anew where a line is too long.

    Args:
        text: of a page.
        width: characters of a line.
    """
    if max(map(len, text.splitlines())) <= width:
        yield from text.splitlines()
        return
    for indent, group in groupby(text.splitlines(), key=_indent):
        lines = list(group)
        if indent:
            joined = " ".join(line.strip() for line in lines)
            yield from wrapped_text(joined, width, first=indent, rest=indent)
        else:
            yield from lines


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _indented(text: str) -> str:
    return textwrap.fill(
        text, width=_WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )
