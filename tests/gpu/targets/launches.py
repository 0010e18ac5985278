"""Launch EAGER kernels, and a graph of NODES nodes REPLAYS times."""

import sys

import cupy as cp

eager, nodes, replays = map(int, sys.argv[1:4])
kernel = cp.RawKernel(
    'extern "C" __global__ void add_one(float *x) { x[threadIdx.x] += 1.0f; }', "add_one"
)
x = cp.zeros(1024, dtype=cp.float32)
for _ in range(eager):
    kernel((12, 4), (128,), (x,), shared_mem=256)
stream = cp.cuda.Stream(non_blocking=True)
with stream:
    stream.begin_capture()
    for _ in range(nodes):
        kernel((3,), (64,), (x,))
    graph = stream.end_capture()
for _ in range(replays):
    graph.launch(stream)
stream.synchronize()
