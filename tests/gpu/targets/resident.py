"""Launch as often as told, and say by how much the resident memory grew after the first tenth."""

import sys
from pathlib import Path

import cupy as cp


def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


kernel = cp.RawKernel('extern "C" __global__ void f(float *x) { x[threadIdx.x] += 1.0f; }', "f")
x = cp.zeros(32, dtype=cp.float32)
stream = cp.cuda.Stream(non_blocking=True)
with stream:
    stream.begin_capture()
    for _ in range(1000):
        kernel((1,), (32,), (x,))
    graph = stream.end_capture()
replays = int(sys.argv[1]) // 1000
for replay in range(replays):
    graph.launch(stream)
    if replay == replays // 10:
        stream.synchronize()
        before = resident_mb()
stream.synchronize()
print(f"grown {resident_mb() - before:.1f} MB")
