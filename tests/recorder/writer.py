"""Writes streams as the recorder does, for the tests of what reads them."""

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from geoaudit.recording import stream as layout
from geoaudit.recording.stream import Records, Stream, read_stream

KINDS = {
    "kernels": 1, "copies": 2, "names": 3, "devices": 4, "contexts": 5, "markers": 6,
    "launches": 7, "status": 8,
}  # fmt: skip
HEADER_CHECKED = layout.FILE_HEADER.itemsize - 8
START, END, POINT = 2, 4, 1


def file_header(**fields: object) -> bytes:
    """The header of a file with its checksum."""
    told = {"magic": layout.MAGIC, "version": layout.VERSION, "rank": -1, "ranks": -1}
    usual = {**told, "process": 4242, "program": b"engine", "cupti_version": 130001}
    header = records(layout.FILE_HEADER, [{**usual, **fields}])
    if "checksum" not in fields:
        header["checksum"] = zlib.adler32(header.tobytes()[:HEADER_CHECKED])
    return header.tobytes()


def block(kind: int, payload: bytes, count: int, record_bytes: int) -> bytes:
    """A block with its checksum."""
    numbers = [layout.BLOCK_MAGIC, kind, record_bytes, count, len(payload)]
    head = np.array(numbers, "<u4").tobytes()
    checksum = zlib.adler32(payload, zlib.adler32(head))
    return head + np.array([checksum], "<u4").tobytes() + payload


def records_block(kind: str, records: npt.NDArray[np.void]) -> bytes:
    """A block of records of one kind."""
    return block(KINDS[kind], records.tobytes(), len(records), records.dtype.itemsize)


def names_block(names: Mapping[int, str]) -> bytes:
    """A block of names."""
    payload = b"".join(
        np.array([number, len(name.encode())], "<u4").tobytes() + name.encode()
        for number, name in names.items()
    )
    return block(KINDS["names"], payload, len(names), 0)


def records(dtype: np.dtype[np.void], rows: Sequence[Mapping[str, Any]]) -> Records:
    """Records of the named fields; all else 0."""
    made = np.zeros(len(rows), dtype)
    for row, fields in zip(made, rows, strict=True):
        for name, value in fields.items():
            row[name] = value
    return made


def kernels(*rows: Mapping[str, Any]) -> Records:
    """Kernel records: 12 blocks of 128 threads for 2 µs, and what a row changes."""
    usual = {
        "start_ns": 1_795_967_168_000_000_000,
        "end_ns": 1_795_967_168_000_002_000,
        "name_id": 1,
        "context": 1,
        "stream": 7,
        "grid": (12, 1, 1),
        "block": (128, 1, 1),
        "registers_per_thread": 32,
    }
    return records(layout.KERNEL, [{**usual, **row} for row in rows])


def status(**counts: int) -> Records:
    """A last status; the process ended in order unless `finished` says otherwise."""
    return records(layout.STATUS, [{"finished": 1, **counts}])


def device(**fields: object) -> Records:
    """A device record."""
    usual = {
        "name": b"NVIDIA H200", "capability_major": 9, "sm_count": 132, "threads_per_warp": 32,
        "max_warps_per_sm": 64, "max_blocks_per_sm": 32, "registers_per_sm": 65536,
        "shared_bytes_per_sm": 233472,
    }  # fmt: skip
    return records(layout.DEVICE, [{**usual, **fields}])


def small_stream() -> bytes:
    """A file with two blocks of most kinds, and all of its parts told apart by their values."""
    begin = 1_795_967_168_000_000_000
    rows = [
        {"start_ns": begin + i * 5000, "end_ns": begin + i * 5000 + 900, "correlation_id": i + 1}
        for i in range(3)
    ]
    launches = [{"timestamp_ns": begin + i, "correlation_id": i + 1, "thread": 9} for i in range(3)]
    return b"".join(
        [
            file_header(rank=2, driver_version=13000),
            records_block("devices", device()),
            names_block({1: "gemv", 2: "token"}),
            records_block("kernels", kernels(*rows)),
            records_block("launches", records(layout.LAUNCH, launches)),
            records_block(
                "markers",
                records(
                    layout.MARKER,
                    [
                        {"timestamp_ns": begin, "marker_id": 1, "flags": START, "thread": 9,
                         "name_id": 2},
                        {"timestamp_ns": begin + 2, "marker_id": 1, "flags": END, "thread": 9},
                    ],
                ),
            ),
            records_block("status", status(launches_seen=3, kernel_records=3, finished=0)),
            names_block({3: "größer"}),
            records_block("kernels", kernels({"name_id": 3, "correlation_id": 4})),
            records_block("copies", records(layout.COPY, [{"bytes": 4096, "copy_kind": 1}])),
            records_block("contexts", records(layout.CONTEXT, [{"context": 1, "sm_count": 132}])),
            records_block("status", status(launches_seen=4, kernel_records=4)),
        ]
    )  # fmt: skip


def stream_of(folder: Path, *blocks: bytes, **header: object) -> Stream:
    """What is read of a file with a header and these blocks."""
    file = folder / "4242.geoaudit"
    file.write_bytes(file_header(**header) + b"".join(blocks))
    return read_stream(file)
