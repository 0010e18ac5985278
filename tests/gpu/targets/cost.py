"""Cost of an eager launch and a graph node by the host's clock; also under torch.profiler."""

import contextlib
import statistics
import sys
import time

import cupy as cp

kernel = cp.RawKernel('extern "C" __global__ void f(float *x) { x[threadIdx.x] += 1.0f; }', "f")
x = cp.zeros(1024, dtype=cp.float32)
context = contextlib.nullcontext()
if sys.argv[1] == "torch":
    import torch

    torch.zeros(1, device="cuda")
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    context = torch.profiler.profile(activities=activities)
stream = cp.cuda.Stream(non_blocking=True)
with stream:
    stream.begin_capture()
    for _ in range(100):
        kernel((3,), (64,), (x,))
    graph = stream.end_capture()


def per_call_us(call, calls, repeats=7):
    times = []
    for _ in range(repeats):
        cp.cuda.Device().synchronize()
        began = time.perf_counter()
        for _ in range(calls):
            call()
        cp.cuda.Device().synchronize()
        times.append((time.perf_counter() - began) / calls * 1e6)
    return statistics.median(times)


with context:
    eager = per_call_us(lambda: kernel((12, 4), (128,), (x,)), 10_000)
    node = per_call_us(lambda: graph.launch(stream), 100) / 100
print(f"eager {eager:.3f} graph {node:.4f}")
