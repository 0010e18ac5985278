"""How far a recording is, from the streams while they grow."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from geoaudit.recording.stream import (
    BLOCK_HEADER,
    BLOCK_MAGIC,
    FILE_HEADER,
    MAGIC,
    RECORDS,
    STATUS,
)

STATUS_KIND = next(kind for kind, layout in RECORDS.items() if layout is STATUS)


@dataclass(frozen=True, kw_only=True)
class StreamTail:
    """A growing stream, read up to a block.

    Attributes:
        path: its file.
        place: the byte at which the next block begins; 0: not even the file's header is there.
        launches: launch calls seen so far, those of graphs included, of the last status.
        kernel_records: kernel records so far, graph nodes included, of the last status.
    """

    path: Path
    place: int = 0
    launches: int = 0
    kernel_records: int = 0


def advance_all(folder: Path, tails: Sequence[StreamTail]) -> tuple[StreamTail, ...]:
    """The tails of all streams of a folder, brought up to now.

    Args:
        folder: where the recorder writes.
        tails: what the call before this one gave; empty at first.
    """
    known = {tail.path: tail for tail in tails}
    try:
        paths = sorted(folder.glob("*.geoaudit"))
    except OSError:
        return tuple(tails)
    return tuple(advance(known.get(path, StreamTail(path=path))) for path in paths)


def advance(tail: StreamTail) -> StreamTail:
    """The tail brought up to what its file holds now.

    Only the headers of new blocks and the last new status are read. A stream that cannot be read,
    or holds something else than blocks, stays where it is: the reader says so at the end.
    """
    try:
        with tail.path.open("rb", buffering=0) as file:
            return _advanced(tail, file.fileno())
    except OSError:
        return tail


def _advanced(tail: StreamTail, file: int) -> StreamTail:
    size = os.fstat(file).st_size
    if size < tail.place:
        # A process of the same number began the file anew.
        tail = StreamTail(path=tail.path)
    place, status = tail.place, None
    if place == 0 and size >= FILE_HEADER.itemsize and os.pread(file, 8, 0) == MAGIC:
        place = FILE_HEADER.itemsize
    while place and place + BLOCK_HEADER.itemsize <= size:
        head = np.frombuffer(os.pread(file, BLOCK_HEADER.itemsize, place), BLOCK_HEADER)[0]
        after = place + BLOCK_HEADER.itemsize + int(head["bytes"])
        if head["magic"] != BLOCK_MAGIC or after > size:
            break
        if head["kind"] == STATUS_KIND and head["record_bytes"] >= STATUS.itemsize:
            status = after - int(head["record_bytes"])
        place = after
    tail = replace(tail, place=place)
    return tail if status is None else _with_status(tail, os.pread(file, STATUS.itemsize, status))


def _with_status(tail: StreamTail, data: bytes) -> StreamTail:
    if len(data) < STATUS.itemsize:
        return tail
    status = np.frombuffer(data, STATUS)[0]
    return replace(
        tail,
        launches=int(status["launches_seen"]) + int(status["graph_launches_seen"]),
        kernel_records=int(status["kernel_records"]),
    )
