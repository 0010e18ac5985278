"""Two ranks that sum nothing, each with LAUNCHES kernels: ``two_processes.py LAUNCHES``.

On a machine with one device both are on it.
"""

import os
import subprocess
import sys


def launch(count: int) -> None:
    """The rank's kernels: of one block in rank 0, of two in rank 1."""
    import cupy

    rank = int(os.environ["RANK"])
    cupy.cuda.Device(rank % cupy.cuda.runtime.getDeviceCount()).use()
    kernel = cupy.RawKernel(
        'extern "C" __global__ void add_one(float* values) { values[threadIdx.x] += 1; }', "add_one"
    )
    values = cupy.zeros(32, dtype="f4")
    for _ in range(count):
        kernel((rank + 1,), (32,), (values,))
    cupy.cuda.Device().synchronize()


def main() -> int:
    """Start the ranks, and wait for them; the larger exit code."""
    if "RANK" in os.environ:
        launch(int(sys.argv[1]))
        return 0
    ranks = [
        subprocess.Popen(
            [sys.executable, *sys.argv], env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2"}
        )
        for rank in range(2)
    ]
    return max(rank.wait() for rank in ranks)


if __name__ == "__main__":
    sys.exit(main())
