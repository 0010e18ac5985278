"""A page for every rule, verdict and column: what `explain` prints and the README's rule table."""

import difflib
import re
from collections.abc import Iterator

from geoaudit.diagnosis.pages.counters import COUNTER_PAGES
from geoaudit.diagnosis.pages.document import DOCUMENT_PAGES
from geoaudit.diagnosis.pages.floors import FLOOR_PAGES
from geoaudit.diagnosis.pages.geometry import GEOMETRY_PAGES
from geoaudit.diagnosis.pages.identity import IDENTITY_PAGES
from geoaudit.diagnosis.pages.page import Kind, Page
from geoaudit.diagnosis.pages.ranks import RANK_PAGES
from geoaudit.diagnosis.pages.spread import SPREAD_PAGES
from geoaudit.diagnosis.pages.time import TIME_PAGES
from geoaudit.diagnosis.pages.verdicts import VERDICT_PAGES
from geoaudit.diagnosis.rule import Rule
from geoaudit.diagnosis.rules import all_rules
from geoaudit.errors import InputError

__all__ = [
    "Kind",
    "Page",
    "all_pages",
    "page",
    "page_names",
    "pages_named",
    "rule_table_markdown",
    "title",
]

_HEADING = re.compile(r"\n(?=\S[^\n]*:\n)")


def all_pages() -> tuple[Page, ...]:
    """All pages: rules by id, then verdicts, then columns."""
    rules = tuple(_rule_page(rule) for rule in all_rules())
    return (
        *rules,
        *VERDICT_PAGES,
        *GEOMETRY_PAGES,
        *TIME_PAGES,
        *SPREAD_PAGES,
        *FLOOR_PAGES,
        *COUNTER_PAGES,
        *IDENTITY_PAGES,
        *DOCUMENT_PAGES,
        *RANK_PAGES,
    )


def page_names() -> tuple[str, ...]:
    """Names of all pages, in the order of ``all_pages``."""
    return tuple(known.name for known in all_pages())


def pages_named(name: str) -> tuple[Page, ...]:
    """The pages a name stands for, in any case, with ``-``, ``_`` or a space.

    ``tail`` is a verdict and a column: both are returned.

    Raises:
        InputError: there is none; the message names the nearest.
    """
    wanted = _key(name)
    found = tuple(known for known in all_pages() if wanted in _keys(known))
    if found:
        return found
    spelled = {key: spelling for known in all_pages() for key, spelling in _spelled(known)}
    near = difflib.get_close_matches(wanted, spelled, n=3, cutoff=0.5)
    names = dict.fromkeys(spelled[key] for key in near)
    hint = f"Nearest: {', '.join(names)}. " if names else ""
    shown = name if len(name) <= 60 else name[:60] + "..."
    raise InputError(
        f"no page explains {shown!r}. {hint}`geoaudit explain` without a name lists all pages."
    )


def page(name: str) -> str:
    """The text of the page, or pages, that a name stands for.

    Raises:
        InputError: there is none; the message names the nearest.
    """
    return "\n\n".join(f"{title(found)}\n\n{found.text}" for found in pages_named(name))


def title(of: Page) -> str:
    """The first line of a page as it is printed."""
    names = " ".join((of.name, *of.aliases)) if of.kind == "rule" else f"{of.name} ({of.kind})"
    return f"{names}: {of.summary}"


def rule_table_markdown() -> str:
    """The table of all rules, as the README shows it."""
    lines = ["| id | name | severity | reports |", "|---|---|---|---|"]
    lines += [
        f"| {rule.id} | `{rule.name}` | {', '.join(rule.severities)} | {rule.summary} |"
        for rule in all_rules()
    ]
    return "\n".join(lines)


def _rule_page(rule: Rule) -> Page:
    body = rule.page.partition("\n")[2].strip()
    sections = _HEADING.sub("\n\n", body.replace("\n\n", "\n"))
    severities = f"Severity:\n    {', '.join(rule.severities)} (since {rule.since})"
    return Page(
        name=rule.id,
        kind="rule",
        summary=rule.summary,
        text=f"{sections}\n\n{severities}",
        aliases=(rule.name,),
    )


def _keys(known: Page) -> set[str]:
    return {_key(spelling) for spelling in (known.name, *known.aliases)}


def _spelled(known: Page) -> Iterator[tuple[str, str]]:
    """Each key of a page with the name to suggest for it: a rule's own, else the field name."""
    for spelling in (known.name, *known.aliases):
        yield _key(spelling), spelling if known.kind == "rule" else known.name


def _key(name: str) -> str:
    return re.sub(r"[\s\-_/]+", "_", name.strip()).casefold()
