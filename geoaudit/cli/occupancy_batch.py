"""``geoaudit occupancy --batch``: a CSV file of launches with three columns added."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from geoaudit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from geoaudit.devices.spec import DeviceSpec
    from geoaudit.geometry.batch import BatchResult, BatchRow


def read_and_calculate(
    file: Path, find_device: Callable[[str], DeviceSpec], default_device: Callable[[], DeviceSpec]
) -> BatchResult:
    """The answers to every row of a CSV file.

    Args:
        file: with the columns of a batch.
        find_device: device by name.
        default_device: device of the rows that name none.

    Raises:
        InputError: names line and column of the first cell that cannot be used.
    """
    from geoaudit.geometry.batch import calculate_batch

    columns, rows = _read(file)
    return calculate_batch(columns, rows, find_device, default_device)


def _read(file: Path) -> tuple[tuple[str, ...], list[BatchRow]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as handle:
            return _parse(file, handle)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file} cannot be read as CSV text in UTF-8: {error}.") from error


def _parse(file: Path, lines: Iterable[str]) -> tuple[tuple[str, ...], list[BatchRow]]:
    from geoaudit.geometry.batch import BatchRow

    reader = csv.reader(lines)
    header = tuple(name.strip() for name in next(reader, []))
    _check_header(file, header)
    rows = []
    for cells in reader:
        if not cells:
            continue
        where = f"{file}, line {reader.line_num}"
        if len(cells) != len(header):
            raise InputError(f"{where}: {len(cells)} cells, the header has {len(header)} columns.")
        rows.append(BatchRow(where=where, cells=dict(zip(header, cells, strict=True))))
    if not rows:
        raise InputError(f"{file} has a header and no rows: there is nothing to calculate.")
    return header, rows


def _check_header(file: Path, header: tuple[str, ...]) -> None:
    from geoaudit.geometry.batch import ADDED_COLUMNS, OPTIONAL_COLUMNS, REQUIRED_COLUMNS

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
