"""``geoaudit occupancy --batch``: a CSV file of launches with three columns added."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from geoaudit.errors import GeoauditError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from geoaudit.devices.spec import DeviceSpec
    from geoaudit.geometry.shape import LaunchShape

REQUIRED_COLUMNS = (
    "registers_per_thread",
    "static_shared_bytes",
    "dynamic_shared_bytes",
    "block_threads",
)
OPTIONAL_COLUMNS = ("grid_blocks", "cluster_blocks", "device")
ADDED_COLUMNS = ("resident_blocks_per_sm", "limiter", "theoretical_occupancy")
_LARGEST_GRID_X = 2**31 - 1
# No figure of a launch is longer; int() refuses texts of thousands of digits.
_MOST_DIGITS = 18


@dataclass(frozen=True, kw_only=True)
class BatchResult:
    """The file's own columns and rows in their order, with ``ADDED_COLUMNS`` at the end."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, str | int | float | None], ...]


@dataclass(frozen=True, kw_only=True)
class _Row:
    """One row of the file, and where it stands for an error."""

    file: Path
    line: int
    cells: dict[str, str]

    def whole_number(self, column: str) -> int:
        """The cell as a whole number of 0 or more."""
        text = self.cells[column].strip()
        if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
            raise self.error(column, f"{text[:40]!r} is not a whole number of 0 or more")
        return int(text)

    def optional_number(self, column: str) -> int | None:
        """The same; None where there is no such column or the cell is empty."""
        return self.whole_number(column) if self.cells.get(column, "").strip() else None

    def error(self, column: str, what: str) -> InputError:
        return InputError(f"{self.file}, line {self.line}, column {column}: {what}.")


def calculate_batch(
    file: Path, find_device: Callable[[str], DeviceSpec], default_device: Callable[[], DeviceSpec]
) -> BatchResult:
    """Resident blocks, limiter and theoretical occupancy of every row.

    Args:
        file: CSV with ``REQUIRED_COLUMNS``, maybe ``OPTIONAL_COLUMNS``, and any others.
        find_device: device by name.
        default_device: device of the rows that name none; asked only where there are such rows.

    Raises:
        InputError: names line and column of the first cell that cannot be used.
    """
    columns, rows = _read(file)
    find_cached, default_cached = cache(find_device), cache(default_device)

    def device_of(row: _Row) -> DeviceSpec:
        name = row.cells.get("device", "").strip()
        try:
            return find_cached(name) if name else default_cached()
        except GeoauditError as error:
            raise row.error("device", str(error).rstrip(".")) from error

    return BatchResult(
        columns=(*columns, *ADDED_COLUMNS),
        rows=tuple({**row.cells, **_figures(row, device_of(row))} for row in rows),
    )


def _figures(row: _Row, device: DeviceSpec) -> dict[str, str | int | float | None]:
    from geoaudit.geometry.what_if import calculate

    geometry = calculate(_shape(row), device).geometry
    figures = (
        geometry.resident_blocks_per_sm,
        geometry.limiter,
        geometry.theoretical_occupancy,
    )
    return dict(zip(ADDED_COLUMNS, figures, strict=True))


def _shape(row: _Row) -> LaunchShape:
    from geoaudit.geometry.shape import LaunchShape

    grid_blocks = row.optional_number("grid_blocks")
    cluster_blocks = row.optional_number("cluster_blocks")
    # A product of three dimensions may be larger than any one of them may be.
    has_grid = grid_blocks is not None and grid_blocks <= _LARGEST_GRID_X
    return LaunchShape(
        grid=(grid_blocks, 1, 1) if grid_blocks is not None and has_grid else None,
        block=(row.whole_number("block_threads"), 1, 1),
        cluster=(cluster_blocks, 1, 1) if cluster_blocks else None,
        registers_per_thread=row.whole_number("registers_per_thread"),
        static_shared_bytes=row.whole_number("static_shared_bytes"),
        dynamic_shared_bytes=row.whole_number("dynamic_shared_bytes"),
    )


def _read(file: Path) -> tuple[tuple[str, ...], list[_Row]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as handle:
            return _parse(file, handle)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file} cannot be read as CSV text in UTF-8: {error}.") from error


def _parse(file: Path, lines: Iterable[str]) -> tuple[tuple[str, ...], list[_Row]]:
    reader = csv.reader(lines)
    header = tuple(name.strip() for name in next(reader, []))
    _check_header(file, header)
    rows = []
    for cells in reader:
        if not cells:
            continue
        if len(cells) != len(header):
            raise InputError(
                f"{file}, line {reader.line_num}: {len(cells)} cells, the header has "
                f"{len(header)} columns."
            )
        named = dict(zip(header, cells, strict=True))
        rows.append(_Row(file=file, line=reader.line_num, cells=named))
    if not rows:
        raise InputError(f"{file} has a header and no rows: there is nothing to calculate.")
    return header, rows


def _check_header(file: Path, header: tuple[str, ...]) -> None:
    missing = [name for name in REQUIRED_COLUMNS if name not in header]
    if missing:
        raise InputError(
            f"{file}, line 1: no column {', '.join(missing)}. A batch needs the columns "
            f"{', '.join(REQUIRED_COLUMNS)}; {', '.join(OPTIONAL_COLUMNS)} may be there too."
        )
    if len(set(header)) < len(header):
        raise InputError(f"{file}, line 1: a column name stands there twice.")
    taken = [name for name in ADDED_COLUMNS if name in header]
    if taken:
        raise InputError(
            f"{file}, line 1: has the column {', '.join(taken)} already, which a batch adds. "
            "Rename or drop it."
        )
