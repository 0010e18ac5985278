"""Nsight Systems SQLite exports (``nsys export --type sqlite``) as a launches table."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.plausible import at_least, checked_geometry, checked_times, kernel_names
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.table import build_launches
from geoaudit.sources.nsys import tables as t
from geoaudit.sources.nsys.devices import green_context_warnings, used_devices
from geoaudit.sources.nsys.ranges import launch_ranges, process_of
from geoaudit.sources.nsys.tables import Database, open_database
from geoaudit.sources.registry import Progress, ReadOptions, Source, part_of

_TRACED_COLUMNS = (
    "start",
    "end",
    "deviceId",
    "contextId",
    "greenContextId",
    "streamId",
    "correlationId",
    "globalPid",
    "graphNodeId",
)
_KERNEL_COLUMNS = (
    *_TRACED_COLUMNS,
    "demangledName",
    "mangledName",
    "shortName",
    "registersPerThread",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "sharedMemoryExecuted",
    "graphId",
    "clusterX",
    "clusterY",
    "clusterZ",
    "maxActiveClusters",
)
_GEOMETRY_COLUMNS = {
    **dict(zip(s.GRID, ("gridX", "gridY", "gridZ"), strict=True)),
    **dict(zip(s.BLOCK, ("blockX", "blockY", "blockZ"), strict=True)),
    **dict(zip(s.CLUSTER, ("clusterX", "clusterY", "clusterZ"), strict=True)),
}
# CUpti_ActivityMemcpyKind, as CUPTI numbers the directions of a copy.
_COPY_DIRECTIONS = {
    1: "Host-to-Device",
    2: "Device-to-Host",
    3: "Host-to-Array",
    4: "Array-to-Host",
    5: "Array-to-Array",
    6: "Array-to-Device",
    7: "Device-to-Array",
    8: "Device-to-Device",
    9: "Host-to-Host",
    10: "Peer-to-Peer",
    11: "Unified Host-to-Device",
    12: "Unified Device-to-Host",
    13: "Unified Device-to-Device",
}
_LAUNCH_CALLS = ("cudaLaunchKernel", "cudaLaunchCooperative", "cuLaunchKernel", "cuLaunchCooperat")
_LOST_EVENTS = "text LIKE '%not all%events might have been collected%'"


def recognises_nsys_sqlite(path: Path, head: bytes) -> bool:
    """Whether a file is an SQLite database with tables of Nsight Systems.

    Raises:
        InputError: it is an SQLite database that cannot be read.
    """
    if not head.startswith(t.SQLITE_MAGIC):
        return False
    with open_database(path) as database:
        known = (t.EXPORT_TABLE, t.KERNEL_TABLE, t.CALL_TABLE, t.GRAPH_TABLE, t.RANGE_TABLE)
        return any(database.find(table) for table in (*known, t.STRING_TABLE))


def read_nsys_sqlite(path: Path, options: ReadOptions) -> Recording:
    """The recording of an export: kernels, copies and sets, with NVTX paths and devices.

    Raises:
        InputError: the database is damaged or still being written.
        NotMeasuredError: it holds no kernels, or kernels without launch geometry.
    """
    with open_database(path) as database:
        _require_kernels(database, path)
        rows = _read_rows(database, part_of(options.progress, 0.0, 0.5))
        processes = process_of(rows["globalPid"])
        devices = used_devices(database, rows["deviceId"], processes)
        ranges, range_warnings = launch_ranges(database, rows, part_of(options.progress, 0.5, 0.9))
        warnings = (*devices.warnings, *_warnings(database, rows), *range_warnings)
        environment = _environment(database)
    placed = {s.DEVICE: devices.index, s.PROCESS: processes, s.RANGES: ranges}
    launches, value_warnings = _launches(rows, placed)
    if options.progress is not None:
        options.progress(1.0)
    if launches.loc[launches[s.KIND] == s.KIND_KERNEL, s.GRID_X].isna().all():
        raise NotMeasuredError(
            f"{path}: none of the {int((rows['kind'] == s.KIND_KERNEL).sum()):,} kernel records "
            "holds a grid and block: nothing to audit. Export again with a current nsys."
        )
    return Recording(
        launches=launches,
        path=path,
        metadata=Metadata(
            instrument="nsys",
            source_format="nsys-sqlite",
            source_name=path.name,
            devices=devices.devices,
            environment=environment,
            untimed=int(launches[s.START_NS].isna().sum()),
            warnings=(*value_warnings, *warnings),
        ),
    )


def _launches(
    rows: pd.DataFrame, placed: Mapping[str, object]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table, with the warnings its values gave rise to."""
    times, time_warnings = checked_times(rows["start"], rows["end"])
    geometry, geometry_warnings = checked_geometry(
        {name: rows[column] for name, column in _GEOMETRY_COLUMNS.items()}
    )
    columns = {
        **placed,
        **kernel_names(rows["name"], rows["kind"]),
        **_attributes(rows),
        **geometry,
        **times,
        s.KIND: rows["kind"],
    }
    return build_launches(columns), (*geometry_warnings, *time_warnings)


def _require_kernels(database: Database, path: Path) -> None:
    if database.count(t.KERNEL_TABLE):
        return
    graphs = database.count(t.GRAPH_TABLE)
    if graphs:
        raise NotMeasuredError(
            f"{path}: {graphs:,} CUDA graph launches are recorded as a whole and no single "
            f"kernel ({t.GRAPH_TABLE} without {t.KERNEL_TABLE}). Record again with "
            "`nsys profile --cuda-graph-trace=node`."
        )
    launched = _launch_call_count(database)
    seen = f"{launched:,} launch calls are recorded but 0 kernel records: " if launched else ""
    advice = (
        "the profiler lost the GPU's records. Record again with `nsys profile --trace=cuda,nvtx`"
        if launched
        else "record with `nsys profile --trace=cuda,nvtx`"
    )
    tables = [name for name in database.tables if not name.startswith(("ENUM_", "sqlite_"))]
    shown = ", ".join(sorted(tables)[:12]) + (" and more" if len(tables) > 12 else "")
    raise NotMeasuredError(
        f"{path}: {seen}no rows in {t.KERNEL_TABLE}; {advice}. Tables found: {shown or 'none'}."
    )


def _launch_call_count(database: Database) -> int:
    calls = database.integers(t.CALL_TABLE, ["nameId"])["nameId"].dropna()
    names = database.strings(calls.unique().tolist())
    launching = [one for one, name in names.items() if name.startswith(_LAUNCH_CALLS)]
    return int(calls.isin(launching).sum())


def _read_rows(database: Database, progress: Progress | None) -> pd.DataFrame:
    kernels = database.integers(
        t.KERNEL_TABLE, _KERNEL_COLUMNS, progress=part_of(progress, 0.0, 0.8)
    )
    kernels["kind"], kernels["name"] = s.KIND_KERNEL, _kernel_texts(database, kernels)
    copies = database.integers(
        t.COPY_TABLE,
        (*_TRACED_COLUMNS, "bytes", "copyKind"),
        progress=part_of(progress, 0.8, 1.0),
    )
    directions = copies["copyKind"].map(_COPY_DIRECTIONS).fillna("Unknown")
    copies["kind"], copies["name"] = s.KIND_COPY, "[CUDA memcpy " + directions + "]"
    sets = database.integers(t.SET_TABLE, (*_TRACED_COLUMNS, "bytes"))
    sets["kind"], sets["name"] = s.KIND_SET, "[CUDA memset]"
    columns = [*_KERNEL_COLUMNS, "bytes", "kind", "name"]
    parts = [part.reindex(columns=columns) for part in (kernels, copies, sets) if len(part)]
    rows = pd.concat(parts, ignore_index=True)
    integers = [name for name in columns if name not in ("kind", "name")]
    return rows.astype(dict.fromkeys(integers, "Int64"))


def _kernel_texts(database: Database, kernels: pd.DataFrame) -> pd.Series:
    names = pd.Series([None] * len(kernels), index=kernels.index, dtype=object)
    for column in ("demangledName", "mangledName", "shortName"):
        texts = database.strings(kernels[column].dropna().unique().tolist())
        names = names.where(names.notna(), kernels[column].map(texts))
    return names


def _attributes(rows: pd.DataFrame) -> dict[str, pd.Series]:
    static = at_least(rows["staticSharedMemory"], 0)
    dynamic = at_least(rows["dynamicSharedMemory"], 0)
    # 0 is what the exporter writes where a figure does not apply: no graph, no cluster, no
    # carve-out known.
    return {
        s.CONTEXT: rows["contextId"],
        s.STREAM: rows["streamId"],
        s.CORRELATION_ID: rows["correlationId"],
        s.REGISTERS_PER_THREAD: at_least(rows["registersPerThread"], 0),
        s.STATIC_SHARED_BYTES: static,
        s.DYNAMIC_SHARED_BYTES: dynamic,
        s.SHARED_BYTES: static + dynamic,
        s.SHARED_CONFIG_BYTES: at_least(rows["sharedMemoryExecuted"], 1),
        s.MAX_ACTIVE_CLUSTERS: at_least(rows["maxActiveClusters"], 1),
        s.GRAPH_ID: at_least(rows["graphId"], 1),
        s.GRAPH_NODE_ID: at_least(rows["graphNodeId"], 1),
        s.COPY_BYTES: at_least(rows["bytes"], 0),
    }


def _warnings(database: Database, rows: pd.DataFrame) -> list[str]:
    green = int((rows["greenContextId"] > 0).fillna(value=False).sum())
    return [
        *green_context_warnings(database, green),
        *_graph_warnings(database),
        *_loss_warnings(database),
    ]


def _graph_warnings(database: Database) -> list[str]:
    graphs = database.integers(t.GRAPH_TABLE, ["start", "end"]).dropna()
    if graphs.empty:
        return []
    total_ms = float((graphs["end"] - graphs["start"]).clip(lower=0).sum()) / 1e6
    return [
        f"{len(graphs):,} CUDA graph launches of {total_ms:,.3f} ms together are recorded as a "
        "whole: their kernels are not in the audit. Record with --cuda-graph-trace=node"
    ]


def _loss_warnings(database: Database) -> list[str]:
    if "text" not in database.columns(t.DIAGNOSTIC_TABLE):
        return []
    if not database.count(t.DIAGNOSTIC_TABLE, _LOST_EVENTS):
        return []
    return ["Nsight Systems says that not all events might have been collected"]


def _environment(database: Database) -> dict[str, str]:
    names = {
        "EXPORT_PRODUCT_VERSION": "nsys_version",
        "EXPORT_SCHEMA_VERSION": "nsys_export_schema_version",
    }
    facts = database.export_facts(tuple(names))
    return {names[key]: value for key, value in facts.items()}


SOURCE = Source(
    name="nsys-sqlite",
    description="Nsight Systems SQLite export (nsys export --type sqlite)",
    recognises=recognises_nsys_sqlite,
    read=read_nsys_sqlite,
)
