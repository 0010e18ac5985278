"""``#if`` and its branches: texts in which one branch of each is left, at unchanged offsets."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from geoaudit.shardcheck.c_family.source_text import BLANK

_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b"
    rb"((?:[^\\\n]|\\\r?\n|\\.)*)",
    re.MULTILINE,
)
_OTHER_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\\\n]|\\\r?\n|\\.)*", re.MULTILINE)


@dataclass(kw_only=True)
class Conditional:
    """An ``#if``: start and end of each branch's content, and whether it is ``#if 0``."""

    branches: list[tuple[int, int]] = field(default_factory=list)
    is_never: bool = False


def conditionals(code: bytes) -> list[Conditional]:
    """All of a text, also nested ones; one that is not closed ends with the text."""
    found: list[Conditional] = []
    open_ones: list[tuple[Conditional, int]] = []
    for match in _DIRECTIVE.finditer(code):
        word = match.group(1)
        if word.startswith(b"if"):
            conditional = Conditional(is_never=match.group(2).strip() == b"0")
            found.append(conditional)
            open_ones.append((conditional, match.end()))
        elif open_ones:
            conditional, start = open_ones.pop()
            conditional.branches.append((start, match.start()))
            if word != b"endif":
                open_ones.append((conditional, match.end()))
    for conditional, start in open_ones:
        conditional.branches.append((start, len(code)))
    return found


def with_branches(
    data: bytes, all_of: list[Conditional], choose: Callable[[Conditional], int]
) -> bytes:
    """A text with one branch of each conditional, and without any other directive."""
    kept = bytearray(data)
    for conditional in all_of:
        chosen = choose(conditional)
        for index, (start, end) in enumerate(conditional.branches):
            if index != chosen:
                kept[start:end] = kept[start:end].translate(BLANK)
    return without_directives(bytes(kept))


def without_directives(data: bytes) -> bytes:
    """A text with every line of the preprocessor blank."""
    return _OTHER_DIRECTIVE.sub(lambda match: match.group().translate(BLANK), data)


def first_branch(conditional: Conditional) -> int:
    """The first branch, or the second of ``#if 0``."""
    return 1 if conditional.is_never and len(conditional.branches) > 1 else 0


def last_branch(conditional: Conditional) -> int:
    """The last branch."""
    return len(conditional.branches) - 1


def branch_at(offset: int) -> Callable[[Conditional], int]:
    """A choice that keeps an offset, and is the first branch elsewhere."""

    def choose(conditional: Conditional) -> int:
        for index, (start, end) in enumerate(conditional.branches):
            if start <= offset < end:
                return index
        return first_branch(conditional)

    return choose
