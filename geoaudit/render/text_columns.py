"""Columns of text laid out by terminal cells, for tables whose rows take more than one line."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

_NUMBER_AND_UNIT = re.compile(r"(?<=[\d?]) (?=(?:%|ns|µs|ms|s|B|[KMGT]iB|SMs|CUs)(?:\W|$))")
_UNBROKEN = "\u00a0"
_GAP = 2


@dataclass(frozen=True, kw_only=True)
class TextColumn:
    """A column: its heading, and whether its cells end at one edge as numbers do."""

    heading: str
    right: bool = True


def column_widths(columns: Sequence[TextColumn], rows: Sequence[Sequence[str]]) -> list[int]:
    """The width of each column in cells: that of its widest cell or heading."""
    widths = [cell_len(column.heading) for column in columns]
    for row in rows:
        widths = [max(width, cell_len(cell)) for width, cell in zip(widths, row, strict=True)]
    return widths


def aligned(cells: Sequence[str], columns: Sequence[TextColumn], widths: Sequence[int]) -> str:
    """One line of cells, two blanks apart."""
    parts = [
        _pad(cell, width, column.right)
        for cell, column, width in zip(cells, columns, widths, strict=True)
    ]
    return (" " * _GAP).join(parts).rstrip()


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """A sentence in lines of at most ``width``; a number stays with its unit.

    Args:
        text: the sentence; a word wider than a line is broken.
        width: characters of a line.
        first: what the first line starts with.
        rest: what every other line starts with.
    """
    lines = textwrap.wrap(
        _NUMBER_AND_UNIT.sub(_UNBROKEN, text),
        width=max(width, len(rest) + 20),
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
    )
    return [line.replace(_UNBROKEN, " ").rstrip() for line in lines or [first.rstrip()]]


def room_left(widths: Sequence[int], column: int, width: int) -> int:
    """The cells that a column can have beside the others.

    >>> room_left([1, 30, 5], 1, 40)
    30

    Args:
        widths: of all columns.
        column: number of the one that is fitted.
        width: cells of the line.
    """
    return width - sum(widths) + widths[column] - _GAP * (len(widths) - 1)


def _pad(cell: str, width: int, right: bool) -> str:
    blanks = " " * max(width - cell_len(cell), 0)
    return blanks + cell if right else cell + blanks
