"""Small Nsight Systems SQLite exports, built row by row."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

Row = Mapping[str, object]

PROCESS = 4711
THREAD = 4712
GLOBAL_PID = (1 << 48) | (PROCESS << 24)
GLOBAL_TID = GLOBAL_PID | THREAD

NAMES = {
    1: "void decode::gemv<float>(float const*, float*)",
    2: "gemv",
    3: "cudaLaunchKernel_v7000",
    4: "cudaGraphLaunch_v10000",
    5: "registered range",
}

KERNEL: Row = {
    "start": 1000,
    "end": 3000,
    "deviceId": 0,
    "contextId": 1,
    "greenContextId": None,
    "streamId": 7,
    "correlationId": 100,
    "globalPid": GLOBAL_PID,
    "demangledName": 1,
    "shortName": 2,
    "mangledName": None,
    "registersPerThread": 40,
    "gridX": 12,
    "gridY": 2,
    "gridZ": 1,
    "blockX": 128,
    "blockY": 1,
    "blockZ": 1,
    "staticSharedMemory": 1024,
    "dynamicSharedMemory": 2048,
    "sharedMemoryExecuted": 32768,
    "graphNodeId": None,
    "graphId": None,
    "clusterX": 0,
    "clusterY": 0,
    "clusterZ": 0,
    "maxActiveClusters": 0,
}
CALL: Row = {
    "start": 500,
    "end": 600,
    "globalTid": GLOBAL_TID,
    "correlationId": 100,
    "nameId": 3,
    "returnValue": 0,
}
RANGE: Row = {
    "start": 0,
    "end": 10_000,
    "eventType": 59,
    "text": "token",
    "globalTid": GLOBAL_TID,
    "domainId": 0,
    "textId": None,
}
GPU: Row = {
    "id": 0,
    "name": "NVIDIA H200",
    "smCount": 132,
    "computeMajor": 9,
    "computeMinor": 0,
    "threadsPerWarp": 32,
    "maxWarpsPerSm": 64,
    "maxBlocksPerSm": 32,
    "maxRegistersPerSm": 65536,
    "maxShmemPerSm": 233472,
    "maxShmemPerBlockOptin": 232448,
}


def kernel(**changes: object) -> dict[str, object]:
    """A kernel record with these fields changed."""
    return {**KERNEL, **changes}


def call(**changes: object) -> dict[str, object]:
    """A launch call with these fields changed."""
    return {**CALL, **changes}


def nvtx(text: str | None, start: int, end: int | None, **changes: object) -> dict[str, object]:
    """A push/pop range with these fields changed."""
    return {**RANGE, "text": text, "start": start, "end": end, **changes}


def write_export(
    path: Path,
    tables: Mapping[str, Sequence[Row]],
    *,
    names: Mapping[int, str] = NAMES,
) -> Path:
    """An export with these tables, besides the strings and the version of the exporter."""
    strings = [{"id": number, "value": text} for number, text in names.items()]
    export = [
        {"name": "EXPORT_PRODUCT_VERSION", "value": "2026.1.1"},
        {"name": "EXPORT_SCHEMA_VERSION", "value": "3.24.14"},
    ]
    every: dict[str, Sequence[Row]] = {"StringIds": strings, "META_DATA_EXPORT": export}
    every.update(tables)
    with closing(sqlite3.connect(path)) as connection:
        for name, rows in every.items():
            _write_table(connection, name, rows)
        connection.commit()
    return path


def write_launches(path: Path, *kernels: Row, **tables: Sequence[Row]) -> Path:
    """An export of these kernels, with further tables by name."""
    return write_export(path, {"CUPTI_ACTIVITY_KIND_KERNEL": kernels, **tables})


def _write_table(connection: sqlite3.Connection, name: str, rows: Sequence[Row]) -> None:
    columns = list(rows[0]) if rows else ["start"]
    declared = ", ".join(f'"{column}"' for column in columns)
    connection.execute(f'CREATE TABLE "{name}" ({declared})')
    marks = ", ".join("?" * len(columns))
    connection.executemany(
        f'INSERT INTO "{name}" VALUES ({marks})', [[row[c] for c in columns] for row in rows]
    )
