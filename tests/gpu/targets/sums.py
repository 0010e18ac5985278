"""One rank that checks what its communicator sums: ``sums.py RANK RANKS MEETING``."""

import sys
from pathlib import Path

import cupy

from geoaudit.recording.suite.ranks.communicator import NcclCommunicator

TYPES = {"f64": "f8", "f32": "f4", "f16": "f2", "i64": "i8", "i32": "i4", "u8": "u1"}


def main() -> None:
    """Each rank has (rank + 1) x (place % 7); the sum is known exactly."""
    rank, ranks = int(sys.argv[1]), int(sys.argv[2])
    cupy.cuda.Device(rank % cupy.cuda.runtime.getDeviceCount()).use()
    communicator = NcclCommunicator(rank, ranks, Path(sys.argv[3]))
    stream = cupy.cuda.Stream(non_blocking=True)
    for name, dtype in TYPES.items():
        pattern = cupy.arange(7169) % 7
        values = ((rank + 1) * pattern).astype(dtype)
        cupy.cuda.Device().synchronize()
        communicator.all_reduce(values.data.ptr, values.size, name, stream.ptr)
        stream.synchronize()
        expected = (sum(range(1, ranks + 1)) * pattern).astype(dtype)
        if not bool((values == expected).all()):
            raise SystemExit(f"rank {rank}: the sum of {name} is wrong")


if __name__ == "__main__":
    main()
