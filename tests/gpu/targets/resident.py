"""Launch as often as told, a fifth of it eager; say how much the resident memory grew.

Counted from before the first launch, so that what the recorder keeps is in it.
"""

import sys
from pathlib import Path

import cupy as cp

NODES = 1000


def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


kernel = cp.RawKernel('extern "C" __global__ void f(float *x) { x[threadIdx.x] += 1.0f; }', "f")
x = cp.zeros(32, dtype=cp.float32)
stream = cp.cuda.Stream(non_blocking=True)
with stream:
    stream.begin_capture()
    for _ in range(NODES):
        kernel((1,), (32,), (x,))
    graph = stream.end_capture()
graph.launch(stream)
stream.synchronize()
before = resident_mb()
launches = int(sys.argv[1])
for _ in range(launches // 5):
    kernel((1,), (32,), (x,))
for _ in range(launches * 4 // 5 // NODES):
    graph.launch(stream)
cp.cuda.Device().synchronize()
print(f"grown {resident_mb() - before:.1f} MB")
