"""rocprofv3 kernel traces (``kernel_trace.csv``) as a launches table."""

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

_RECORD_START = re.compile(r'\s*"?[\w-]+"?\s*,')
_REQUIRED = {"kernel_name", "start_timestamp", "workgroup_size_x", "grid_size_x"}


def is_kernel_trace(line: str) -> bool:
    """Whether a line is the header of a rocprofv3 kernel trace, of any generation."""
    return "orkgroup" in line and {name.lower() for name in fields(line)} >= _REQUIRED


def recognises_rocprof_csv(path: Path, head: bytes) -> bool:
    """Whether the text holds the header of a rocprofv3 kernel trace."""
    return any(is_kernel_trace(line) for line in head.decode("utf-8", "replace").split("\n"))


def read_rocprof_csv(path: Path, options: ReadOptions) -> Recording:
    """The recording of a kernel trace; its grid, in work-items, is turned into blocks.

    Raises:
        InputError: a cut file without ``allow_partial``.
        NotMeasuredError: no kernels in the trace.
    """
    text, cut = read_text(path, allow_partial=options.allow_partial)
    tables = list(
        tables_in(
            text, is_header=is_kernel_trace, is_record=_RECORD_START, progress=options.progress
        )
    )
    cut = cut or any(table.cut for table in tables)
    if cut and not options.allow_partial:
        raise InputError(
            f"{path}: the file ends within a row. Copy it again, or read what is complete with "
            "--allow-partial."
        )
    parts = [rows for rows in map(_rows, tables) if not rows.empty]
    if not parts:
        raise NotMeasuredError(f"{path}: a rocprofv3 kernel trace without a single kernel.")
    rows = pd.concat(parts, ignore_index=True)
    return _recording(rows, path, partial=cut, warnings=skipped_warnings(tables))


def _rows(table: Table) -> pd.DataFrame:
    position = {name.lower(): index for index, name in enumerate(table.header)}

    def texts(*names: str) -> Sequence[str]:
        index = next((position[name] for name in names if name in position), None)
        if index is None:
            return [""] * len(table.records)
        return [record[index] if index < len(record) else "" for record in table.records]

    def integers(*names: str) -> pd.Series:
        return integer_array([whole_number(cell.strip()) for cell in texts(*names)])

    agents = [cell.rpartition(" ")[2] for cell in texts("agent_id")]
    return pd.DataFrame(
        {
            "start": integers("start_timestamp"),
            "end": integers("end_timestamp"),
            "name": pd.Series(texts("kernel_name"), dtype=object),
            "stream": integers("stream_id", "queue_id"),
            "correlation": integers("correlation_id"),
            "shared": integers("group_segment_size", "lds_block_size"),
            "agent": integer_array([whole_number(cell) for cell in agents]),
            **{name: integers(f"workgroup_size_{name[-1]}") for name in s.BLOCK},
            **{name: integers(f"grid_size_{name[-1]}") for name in s.GRID},
        }
    )


def _recording(
    rows: pd.DataFrame, path: Path, *, partial: bool, warnings: Sequence[str]
) -> Recording:
    geometry, geometry_warnings = _geometry(rows)
    times, time_warnings = checked_times(rows["start"], rows["end"])
    kinds = pd.Series(s.KIND_KERNEL, index=rows.index, dtype=object)
    columns = {
        **kernel_names(rows["name"].str.removesuffix(" [clone .kd]"), kinds),
        **geometry,
        **times,
        s.KIND: kinds,
        s.DEVICE: at_least(rows["agent"], 0).fillna(0).astype("int64"),
        s.STREAM: rows["stream"],
        s.CORRELATION_ID: rows["correlation"],
        s.SHARED_BYTES: at_least(rows["shared"], 0),
    }
    launches = build_launches(columns)
    no_device = (
        "a rocprofv3 kernel trace does not say which GPU it is from or how many compute units "
        "that has: name it with --device"
    )
    return Recording(
        launches=launches,
        path=path,
        metadata=Metadata(
            instrument="rocprof",
            source_format="rocprofv3-csv",
            source_name=path.name,
            devices=tuple(RecordedDevice(index=int(i)) for i in launches[s.DEVICE].unique()),
            untimed=int(launches[s.START_NS].isna().sum()),
            partial=partial,
            warnings=(no_device, *geometry_warnings, *time_warnings, *warnings),
        ),
    )


def _geometry(rows: pd.DataFrame) -> tuple[dict[str, pd.Series], list[str]]:
    """Grid in blocks: work-items divided by the workgroup, per axis, rounded up.

    rocprofv3 records the dispatch packet, whose grid counts work-items (HSA specification,
    kernel dispatch packet: grid_size_x).
    """
    sizes = {name: rows[name] for name in (*s.GRID, *s.BLOCK)}
    uneven = pd.Series(False, index=rows.index)
    for grid, block in zip(s.GRID, s.BLOCK, strict=True):
        workgroup = sizes[block].where(sizes[block] >= 1, 1)
        uneven |= (sizes[grid] % workgroup > 0).fillna(value=False).astype(bool)
        sizes[grid] = -(-sizes[grid] // workgroup)
    checked, warnings = checked_geometry(sizes, "amd")
    uneven &= checked[s.GRID_X].notna()
    if uneven.any():
        warnings.append(
            f"{int(uneven.sum()):,} launches have a grid in work-items that the workgroup does "
            "not divide: blocks are rounded up"
        )
    return checked, warnings


SOURCE = Source(
    name="rocprofv3-csv",
    description="rocprofv3 kernel trace (kernel_trace.csv)",
    recognises=recognises_rocprof_csv,
    read=read_rocprof_csv,
)
