"""Reading the recorder's stream: blocks of records, straight into numpy arrays.

The layout is that of ``injector/stream.h``. A file may end anywhere (the process was killed, the
disk was full): what stands before the cut is whole and is read. A block whose checksum does not
hold ends the reading too, and is said.
"""

import os
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from geoaudit.errors import InputError, NotMeasuredError

MAGIC = b"GEOAUDIT"
VERSION = 2
_FIRST_VERSION = b"\1\0\0\0"
BLOCK_MAGIC = 0x4B4C4247

FILE_HEADER = np.dtype(
    [
        ("magic", "S8"),
        ("version", "<u4"),
        ("process", "<u4"),
        ("cupti_version", "<u4"),
        ("driver_version", "<u4"),
        ("started_ns", "<u8"),
        ("rank", "<i4"),
        ("ranks", "<i4"),
        ("mps_percentage", "<f4"),
        ("padding", "<u4"),
        ("program", "S24"),
        ("checksum", "<u4"),
        ("write_error", "<i4"),
    ]
)
# Before streams told how many ranks a run has.
_FIRST_HEADER = np.dtype(
    [
        (name, FILE_HEADER[name])
        for name in FILE_HEADER.names or ()
        if name not in ("ranks", "padding")
    ]
)
# The checksum stands before the last field, which is filled in later if at all.
_UNCHECKED_BYTES = 8
BLOCK_HEADER = np.dtype(
    [(name, "<u4") for name in ("magic", "kind", "record_bytes", "count", "bytes", "checksum")]
)
KERNEL = np.dtype(
    [
        ("start_ns", "<u8"), ("end_ns", "<u8"), ("graph_node_id", "<u8"),
        ("name_id", "<u4"), ("device", "<u4"), ("context", "<u4"), ("stream", "<u4"),
        ("correlation_id", "<u4"), ("graph_id", "<u4"),
        ("grid", "<i4", 3), ("block", "<i4", 3), ("cluster", "<u4", 3),
        ("static_shared_bytes", "<u4"), ("dynamic_shared_bytes", "<u4"),
        ("shared_config_bytes", "<u4"), ("max_active_clusters", "<u4"),
        ("registers_per_thread", "<u2"), ("launch_type", "u1"), ("padding", "u1"),
    ]
)  # fmt: skip
COPY = np.dtype(
    [
        ("start_ns", "<u8"), ("end_ns", "<u8"), ("bytes", "<u8"), ("graph_node_id", "<u8"),
        ("device", "<u4"), ("context", "<u4"), ("stream", "<u4"), ("correlation_id", "<u4"),
        ("graph_id", "<u4"),
        ("is_set", "u1"), ("copy_kind", "u1"), ("source_kind", "u1"), ("destination_kind", "u1"),
    ]
)  # fmt: skip
DEVICE = np.dtype(
    [
        ("name", "S96"), ("uuid", "V16"), ("memory_bytes", "<u8"), ("device", "<u4"),
        ("capability_major", "<u4"), ("capability_minor", "<u4"), ("sm_count", "<u4"),
        ("threads_per_warp", "<u4"), ("max_warps_per_sm", "<u4"), ("max_blocks_per_sm", "<u4"),
        ("registers_per_sm", "<u4"), ("shared_bytes_per_sm", "<u4"), ("l2_bytes", "<u4"),
        ("is_mig", "<u4"), ("padding", "<u4"),
    ]
)  # fmt: skip
CONTEXT = np.dtype([(name, "<u4") for name in ("context", "device", "sm_count", "is_green")])
MARKER = np.dtype(
    [
        ("timestamp_ns", "<u8"), ("marker_id", "<u4"), ("flags", "<u4"), ("thread", "<u4"),
        ("name_id", "<u4"), ("domain_id", "<u4"), ("padding", "<u4"),
    ]
)  # fmt: skip
LAUNCH = np.dtype([("timestamp_ns", "<u8"), ("correlation_id", "<u4"), ("thread", "<u4")])
STATUS = np.dtype(
    [
        ("timestamp_ns", "<u8"), ("launches_seen", "<u8"), ("graph_launches_seen", "<u8"),
        ("launches_failed", "<u8"), ("launches_captured", "<u8"), ("kernel_records", "<u8"),
        ("dropped_records", "<u8"),
        ("untimed_records", "<u8"), ("error", "<u4"), ("finished", "<u4"),
    ]
)  # fmt: skip
NAMES_KIND = 3
RECORDS = {1: KERNEL, 2: COPY, 4: DEVICE, 5: CONTEXT, 6: MARKER, 7: LAUNCH, 8: STATUS}
Records = npt.NDArray[np.void]


@dataclass(frozen=True, kw_only=True)
class Stream:
    """All that one process' file holds.

    Attributes:
        process: its identifier.
        program: its name, or empty.
        rank: of a distributed run, or None.
        ranks: how many the run has, or None.
        mps_percentage: the share of the SMs that MPS leaves the process, or None.
        cupti_version, driver_version: as each numbers itself; 0: not told.
        kernels, copies, devices, contexts, markers, launches: records, see the dtypes.
        status: the last status, or None where the process was killed before the first.
        names: name id -> string.
        cut: why reading ended before the end of the file, or None.
    """

    process: int
    program: str
    rank: int | None
    ranks: int | None
    mps_percentage: float | None
    cupti_version: int
    driver_version: int
    kernels: Records
    copies: Records
    devices: Records
    contexts: Records
    markers: Records
    launches: Records
    status: np.void | None
    names: dict[int, str]
    cut: str | None


def read_stream(path: Path) -> Stream:
    """Read the file of one process.

    Raises:
        InputError: it is no stream of the recorder, or of a newer version.
        NotMeasuredError: the file is empty.
    """
    data = path.read_bytes()
    header = _header(path, data)
    has_ranks = "ranks" in (header.dtype.names or ())
    parts: dict[int, list[Records]] = {kind: [] for kind in RECORDS}
    names: dict[int, str] = {}
    cut = _read_blocks(data, header.dtype.itemsize, parts, names)
    if header["write_error"]:
        cut = f"it could not be written on: {os.strerror(int(header['write_error']))}"
    joined = {
        kind: np.concatenate(found) if found else np.empty(0, RECORDS[kind])
        for kind, found in parts.items()
    }
    return Stream(
        process=int(header["process"]),
        program=bytes(header["program"]).decode("utf-8", "replace"),
        rank=None if header["rank"] < 0 else int(header["rank"]),
        ranks=int(header["ranks"]) if has_ranks and header["ranks"] >= 0 else None,
        mps_percentage=float(header["mps_percentage"]) if header["mps_percentage"] > 0 else None,
        cupti_version=int(header["cupti_version"]),
        driver_version=int(header["driver_version"]),
        kernels=joined[1],
        copies=joined[2],
        devices=joined[4],
        contexts=joined[5],
        markers=joined[6],
        launches=joined[7],
        status=joined[8][-1] if len(joined[8]) else None,
        names=names,
        cut=cut,
    )


def _header(path: Path, data: bytes) -> np.void:
    if not data:
        raise NotMeasuredError(
            f"{path}: the recorder could not write (a full disk), or its process ended at once"
        )
    layout = _FIRST_HEADER if data[8:12] == _FIRST_VERSION else FILE_HEADER
    if len(data) < layout.itemsize or not data.startswith(MAGIC):
        raise InputError(
            f"{path}: not a stream of geoaudit's recorder, or cut inside its first "
            f"{layout.itemsize} bytes (a full disk)"
        )
    header: np.void = np.frombuffer(data, layout, 1)[0]
    if header["version"] > VERSION:
        raise InputError(
            f"{path}: stream version {header['version']}, this geoaudit reads {VERSION}. "
            "Upgrade geoaudit."
        )
    if zlib.adler32(data[: layout.itemsize - _UNCHECKED_BYTES]) != header["checksum"]:
        raise InputError(f"{path}: the header of the stream is damaged")
    return header


def _read_blocks(
    data: bytes, place: int, parts: dict[int, list[Records]], names: dict[int, str]
) -> str | None:
    """Fill parts and names; the reason why reading stopped before the end, or None."""
    while place < len(data):
        if place + BLOCK_HEADER.itemsize > len(data):
            return "the file ends inside a block header"
        head = np.frombuffer(data, BLOCK_HEADER, 1, place)[0]
        begin = place + BLOCK_HEADER.itemsize
        place = begin + int(head["bytes"])
        if head["magic"] != BLOCK_MAGIC:
            return f"no block at byte {begin - BLOCK_HEADER.itemsize}"
        if place > len(data):
            return "the file ends inside a block"
        payload = memoryview(data)[begin:place]
        # The checksum is the header's last field and covers the others too.
        before = zlib.adler32(data[begin - BLOCK_HEADER.itemsize : begin - 4])
        if zlib.adler32(payload, before) != head["checksum"]:
            return f"a block at byte {begin} is damaged"
        kind, count = int(head["kind"]), int(head["count"])
        if kind == NAMES_KIND:
            names |= _names(payload, count)
        elif kind in RECORDS:
            size = int(head["record_bytes"])
            if size < RECORDS[kind].itemsize or size * count != len(payload):
                return f"the block at byte {begin} is of another layout"
            parts[kind].append(_records(payload, RECORDS[kind], size, count))
    return None


def _records(payload: memoryview, layout: np.dtype[np.void], size: int, count: int) -> Records:
    """Records of a block; a later minor version may have appended fields to each."""
    if size == layout.itemsize:
        return np.frombuffer(payload, layout, count)
    longer = np.dtype({"names": ["known"], "formats": [layout], "itemsize": size})
    known: Records = np.frombuffer(payload, longer, count)["known"]
    return known


def _names(payload: memoryview, count: int) -> dict[int, str]:
    """Number and string of each name; of a block that holds fewer than it says, those."""
    names = {}
    place = 0
    for _ in range(count):
        if place + 8 > len(payload):
            break
        number, length = np.frombuffer(payload, "<u4", 2, place)
        place += 8
        names[int(number)] = bytes(payload[place : place + int(length)]).decode("utf-8", "replace")
        place += int(length)
    return names
