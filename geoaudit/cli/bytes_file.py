"""Reading ``--bytes FILE``: what kernels must read and write, said by the user."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from geoaudit.cli.grid_text import grid_of
from geoaudit.cli.matching import pattern_fault
from geoaudit.cli.small_file import small_text
from geoaudit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from geoaudit.ranking.declared_bytes import DeclaredBytes

HEADINGS = ("kernel", "bytes", "grid")
MOST_LINES = 10_000
LONGEST_PATTERN = 10_000
"""Characters; the longest kernel names are about as long."""
EXAMPLE = "kernel,bytes,grid / attn_split,2*8*3254*128*2,40x32 / rms_norm,3*4*5120,"


def read_bytes_file(file: Path) -> "tuple[DeclaredBytes, ...]":
    """The lines of a CSV of ``kernel,bytes`` or ``kernel,bytes,grid``.

    ``kernel`` is a regular expression on the whole name, ``bytes`` of one launch a number or its
    arithmetic (``3 * 4 * 7168``), ``grid`` blocks as ``12``, ``12x4`` or ``12x4x1``, empty: any.
    Empty lines, and those that begin with ``#``, are left out.

    Raises:
        InputError: names file and line.
    """
    text = small_text(file, "--bytes", EXAMPLE)
    lines = _lines(file, text)
    if not lines:
        raise InputError(f"{file}: is empty. Write a heading and a line for each kernel: {EXAMPLE}")
    (location, headings), *rest = lines
    if sorted(headings, key=_place) not in (list(HEADINGS[:2]), list(HEADINGS)):
        raise InputError(
            f"{location}: the heading is {','.join(headings)[:80]!r}, not kernel,bytes or "
            f"kernel,bytes,grid. An example: {EXAMPLE}"
        )
    if not rest:
        raise InputError(
            f"{location}: has a heading and no line, so no kernel gets bytes of it. Write a line "
            f"for each kernel: {EXAMPLE}"
        )
    return tuple(_line(location, headings, cells) for location, cells in rest)


def _lines(file: Path, text: str) -> list[tuple[str, list[str]]]:
    """Where each line that says something is, and its cells."""
    reader = csv.reader(text.splitlines(), skipinitialspace=True)
    try:
        lines = [
            (f"{file}:{reader.line_num}", [cell.strip() for cell in cells])
            for cells in reader
            if cells and not cells[0].startswith("#")
        ]
    except csv.Error as error:
        raise InputError(
            f"{file}:{reader.line_num}: no line of a CSV ({error}). See whether a quotation mark "
            f"is open. An example: {EXAMPLE}"
        ) from error
    if len(lines) > MOST_LINES + 1:
        raise InputError(
            f"{file}: {len(lines) - 1:,} lines, more than {MOST_LINES:,}. Let a regular expression "
            "stand for many kernels."
        )
    return lines


def _place(heading: str) -> int:
    return HEADINGS.index(heading) if heading in HEADINGS else len(HEADINGS)


def _line(location: str, headings: "Sequence[str]", cells: "Sequence[str]") -> "DeclaredBytes":
    from geoaudit.ranking.declared_bytes import DeclaredBytes

    if len(cells) > len(headings):
        raise InputError(
            f"{location}: {len(cells)} cells under {len(headings)} headings. Put a kernel that has "
            'a comma in it into quotation marks: "scale<4, 8>".'
        )
    given = dict(zip(headings, cells, strict=False))
    return DeclaredBytes(
        pattern=_pattern(location, given),
        bytes=_bytes(location, given),
        grid=_grid(location, given.get("grid", "")),
        location=location,
    )


def _pattern(location: str, given: "Mapping[str, str]") -> str:
    pattern = given.get("kernel", "")
    if not pattern:
        raise InputError(f"{location}: has no kernel. Write a regular expression, or .* for all.")
    if len(pattern) > LONGEST_PATTERN:
        raise InputError(
            f"{location}: kernel {pattern[:80]!r}... has {len(pattern):,} characters, more than "
            f"{LONGEST_PATTERN:,}. A part of the name is enough."
        )
    fault = pattern_fault(pattern)
    if fault is not None:
        raise InputError(
            f"{location}: kernel {pattern[:200]!r} is not a regular expression: {fault}. Put a "
            "backslash before brackets and signs that stand for themselves."
        )
    return pattern


def _bytes(location: str, given: "Mapping[str, str]") -> int:
    from geoaudit.manifest.arithmetic import ExpressionError, TooLargeExpressionError
    from geoaudit.manifest.expressions import parse_expression

    text = given.get("bytes", "")
    try:
        value = parse_expression(text, is_real=True).evaluate({})
    except TooLargeExpressionError as error:
        raise InputError(
            f"{location}: bytes {text[:80]!r}... is too long or nested too deeply. Write the "
            "number."
        ) from error
    except ExpressionError as error:
        raise InputError(f"{location}: bytes {text[:80]!r} {error}.") from error
    if value != int(value):
        raise InputError(f"{location}: bytes {text[:80]!r} is {value}; write whole bytes.")
    if value < 0:
        raise InputError(f"{location}: bytes {text[:80]!r} is {value}; write 0 or more.")
    return int(value)


def _grid(location: str, text: str) -> "tuple[int, int, int] | None":
    if not text:
        return None
    grid = grid_of(text)
    if grid is None:
        raise InputError(
            f"{location}: grid {text[:80]!r} is no grid. Write blocks as 12, 12x4 or 12x4x1, or "
            "leave it empty for any."
        )
    return grid
