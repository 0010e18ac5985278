"""Cost of a launch, a graph node and a PyTorch operator; also under torch.profiler."""

import contextlib
import statistics
import sys
import time

import cupy as cp
import torch

kernel = cp.RawKernel('extern "C" __global__ void f(float *x) { x[threadIdx.x] += 1.0f; }', "f")
x = cp.zeros(1024, dtype=cp.float32)
row = torch.randn(1, 2048, device="cuda", dtype=torch.bfloat16)
context = contextlib.nullcontext()
if sys.argv[1] == "torch":
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
    operator = per_call_us(lambda: torch.nn.functional.rms_norm(row, (2048,)), 5_000)
print(f"eager {eager:.3f} graph {node:.4f} operator {operator:.3f}")
