"""Nsight Systems' launch list (``nsys stats --report cuda_gpu_trace --format csv``)."""

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.plausible import (
    at_least,
    checked_geometry,
    checked_times,
    integer_array,
    kernel_names,
)
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.table import build_launches
from geoaudit.sources.delimited import (
    Table,
    fields,
    read_text,
    skipped_warnings,
    tables_in,
    whole_number,
)
from geoaudit.sources.registry import ReadOptions, Source

_RECORD_START = re.compile(r'\s*"?\d[\d.]*"?\s*,')
_TIME_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "sec": 10**9}
_SIZE_UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}
_SIZE_UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30}
_GEOMETRY = dict(
    zip((*s.GRID, *s.BLOCK), ("GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ"), strict=True)
)
_DEVICE = re.compile(r"(?P<name>.*?)\s*\((?P<index>\d{1,4})\)")
_SHARED_ALIGNMENT_BYTES = 1024


def is_launch_list(line: str) -> bool:
    """Whether a line is the header of a ``cuda_gpu_trace`` report."""
    return "GrdX" in line and "BlkX" in line and {"GrdX", "BlkX", "Name"} <= set(fields(line))


def recognises_nsys_csv(path: Path, head: bytes) -> bool:
    """Whether the text holds the header of a ``cuda_gpu_trace`` report."""
    return any(is_launch_list(line) for line in head.decode("utf-8", "replace").split("\n"))


def read_nsys_csv(path: Path, options: ReadOptions) -> Recording:
    """The recording of a launch list; sizes are as exact as the report prints them.

    Raises:
        InputError: a unit that is not known, or a cut file without ``allow_partial``.
        NotMeasuredError: no kernels in the list.
    """
    text, cut = read_text(path, allow_partial=options.allow_partial)
    tables = list(
        tables_in(
            text, is_header=is_launch_list, is_record=_RECORD_START, progress=options.progress
        )
    )
    cut = cut or any(table.cut for table in tables)
    if cut and not options.allow_partial:
        raise InputError(
            f"{path}: the file ends within a row. Export it again, or read what is complete with "
            "--allow-partial."
        )
    parts = [_rows(table, path) for table in tables if table.records]
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({s.KIND: []})
    if not (rows[s.KIND] == s.KIND_KERNEL).any():
        raise NotMeasuredError(f"{path}: a launch list of Nsight Systems without a single kernel.")
    return _recording(rows, path, partial=cut, warnings=skipped_warnings(tables))


def _rows(table: Table, path: Path) -> pd.DataFrame:
    start, end = _times(table, path)
    names = pd.Series(_cells(table, "Name"), dtype=object)
    kinds = pd.Series(s.KIND_KERNEL, index=names.index, dtype=object)
    kinds = kinds.mask(names.str.startswith("[CUDA memcpy"), s.KIND_COPY)
    kinds = kinds.mask(names.str.startswith("[CUDA memset"), s.KIND_SET)
    static = _sizes(table, "StcSMem", path, aligned=True)
    dynamic = _sizes(table, "DymSMem", path, aligned=True)
    devices = [_DEVICE.fullmatch(cell) for cell in _cells(table, "Device")]
    columns: dict[str, pd.Series] = {
        name: integer_array([whole_number(cell) for cell in _cells(table, column)])
        for name, column in _GEOMETRY.items()
    }
    identifiers = {
        s.CORRELATION_ID: "CorrId",
        s.CONTEXT: "Ctx",
        s.STREAM: "Strm",
        s.REGISTERS_PER_THREAD: "Reg/Trd",
    }
    for name, column in identifiers.items():
        columns[name] = integer_array([whole_number(cell) for cell in _cells(table, column)])
    return pd.DataFrame(
        {
            **columns,
            "start": start,
            "end": end,
            "name": names,
            "device_name": [match["name"] if match else "" for match in devices],
            s.KIND: kinds,
            s.DEVICE: [int(match["index"]) if match else 0 for match in devices],
            s.STATIC_SHARED_BYTES: static,
            s.DYNAMIC_SHARED_BYTES: dynamic,
            s.COPY_BYTES: _sizes(table, "Bytes", path, aligned=False),
        }
    )


def _recording(
    rows: pd.DataFrame, path: Path, *, partial: bool, warnings: Sequence[str]
) -> Recording:
    geometry, geometry_warnings = checked_geometry({name: rows[name] for name in _GEOMETRY})
    times, time_warnings = checked_times(rows["start"], rows["end"])
    static, dynamic = (
        at_least(rows[name], 0) for name in (s.STATIC_SHARED_BYTES, s.DYNAMIC_SHARED_BYTES)
    )
    kept = (s.KIND, s.DEVICE, s.CORRELATION_ID, s.CONTEXT, s.STREAM)
    columns = {
        **{name: rows[name] for name in kept},
        **kernel_names(rows["name"], rows[s.KIND]),
        **geometry,
        **times,
        s.REGISTERS_PER_THREAD: at_least(rows[s.REGISTERS_PER_THREAD], 0),
        s.STATIC_SHARED_BYTES: static,
        s.DYNAMIC_SHARED_BYTES: dynamic,
        s.SHARED_BYTES: static + dynamic,
        s.COPY_BYTES: at_least(rows[s.COPY_BYTES], 0),
    }
    launches = build_launches(columns)
    rounded = (
        "the report prints sizes rounded: shared memory is read as the nearest KiB and resident "
        "blocks rest on that; `nsys export --type sqlite` has exact sizes, NVTX ranges and SMs"
    )
    return Recording(
        launches=launches,
        path=path,
        metadata=Metadata(
            instrument="nsys",
            source_format="nsys-csv",
            source_name=path.name,
            devices=_devices(rows),
            untimed=int(launches[s.START_NS].isna().sum()),
            partial=partial,
            warnings=(rounded, *geometry_warnings, *time_warnings, *warnings),
        ),
    )


def _devices(rows: pd.DataFrame) -> tuple[RecordedDevice, ...]:
    named = rows.groupby(s.DEVICE)["device_name"].max()
    return tuple(RecordedDevice(index=int(i), name=name or None) for i, name in named.items())


def _times(table: Table, path: Path) -> tuple[pd.Series, pd.Series]:
    values: list[list[int | None]] = []
    for column in ("Start", "Duration"):
        name, factor = _unit(table, column, _TIME_UNITS, path)
        values.append([whole_number(cell, factor) for cell in _cells(table, name)])
    ends = [
        None if start is None or duration is None else start + duration
        for start, duration in zip(*values, strict=True)
    ]
    return integer_array(values[0]), integer_array(ends)


def _sizes(table: Table, column: str, path: Path, *, aligned: bool) -> pd.Series:
    name, factor = _unit(table, column, _SIZE_UNITS, path)
    sizes = [whole_number(cell, factor) for cell in _cells(table, name)]
    if aligned and factor > 1:
        # Three decimals are printed: half a thousandth of the unit may be missing.
        tolerance = factor // 2000 or 1
        sizes = [None if size is None else _aligned(size, tolerance) for size in sizes]
    return integer_array(sizes)


def _aligned(size: int, tolerance: int) -> int:
    nearest = round(size / _SHARED_ALIGNMENT_BYTES) * _SHARED_ALIGNMENT_BYTES
    return nearest if abs(nearest - size) <= tolerance else size


def _unit(table: Table, column: str, units: dict[str, int], path: Path) -> tuple[str, int]:
    """Name of a column with its unit, and the factor of the unit; the column may be missing."""
    for name in table.header:
        title, _, unit = name.partition("(")
        if title.strip() == column:
            factor = units.get(unit.rstrip(") ").lower())
            if factor is None:
                raise InputError(
                    f"{path}: column {name!r} has a unit that is not known. Export with "
                    "`nsys stats --timeunit nsec`, or to SQLite with `nsys export --type sqlite`."
                )
            return name, factor
    return column, 1


def _cells(table: Table, column: str) -> Sequence[str]:
    if column not in table.header:
        return [""] * len(table.records)
    index = table.header.index(column)
    return [record[index] if index < len(record) else "" for record in table.records]


SOURCE = Source(
    name="nsys-csv",
    description="Nsight Systems launch list (nsys stats --report cuda_gpu_trace --format csv)",
    recognises=recognises_nsys_csv,
    read=read_nsys_csv,
)
