"""Answers what one call costs: a line names it, the answer is microseconds per call.

    python cost.py plain|torch.profiler|cupti-python

Each answer also gives the time of an empty loop before and after, so that who asks can leave out
what was measured while the processor was busy with something else.
"""

import sys
import time

import cupy as cp

if sys.argv[1] == "cupti-python":
    from cupti import cupti

    # Kernel records alone, given to Python and thrown away.
    cupti.activity_register_callbacks(lambda: (8 << 20, 0), lambda activities: None)
    cupti.activity_enable(cupti.ActivityKind.CONCURRENT_KERNEL)

import torch

NODES = 100
source = """
extern "C" __global__ void add(float *x) { x[threadIdx.x] += 1.0f; }
extern "C" __global__ void spin(float *x, long long cycles) {
    for (long long start = clock64(); clock64() - start < cycles;) {}
    x[threadIdx.x] += 1.0f;
}
"""
module = cp.RawModule(code=source)
add, spin = module.get_function("add"), module.get_function("spin")
x = cp.zeros(1024, dtype=cp.float32)
row = torch.randn(1, 2048, device="cuda", dtype=torch.bfloat16)
stream = cp.cuda.Stream(non_blocking=True)


def graph_of(launch):
    launch()
    with stream:
        stream.begin_capture()
        for _ in range(NODES):
            launch()
        return stream.end_capture()


def empty_loop_us():
    began = time.perf_counter()
    for _ in range(10_000):
        pass
    return (time.perf_counter() - began) * 1e6


def per_call_us(call, calls):
    for _ in range(calls // 10):
        call()
    cp.cuda.Device().synchronize()
    before = empty_loop_us()
    began = time.perf_counter()
    for _ in range(calls):
        call()
    cp.cuda.Device().synchronize()
    took = (time.perf_counter() - began) / calls * 1e6
    return took, max(before, empty_loop_us())


short, long = (
    graph_of(lambda: add((12, 4), (128,), (x,))),
    graph_of(lambda: spin((12, 4), (128,), (x, 2000))),
)
calls = {
    "launch": (lambda: add((12, 4), (128,), (x,)), 1000, 1),
    "node": (lambda: short.launch(stream), 20, NODES),
    "node_of_2us": (lambda: long.launch(stream), 20, NODES),
    "operator": (lambda: torch.nn.functional.rms_norm(row, (2048,)), 500, 1),
}
if sys.argv[1] == "torch.profiler":
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    torch.profiler.profile(activities=activities).start()
for call, count, _ in calls.values():
    per_call_us(call, count)
print("ready", flush=True)
for line in sys.stdin:
    call, count, each = calls[line.strip()]
    took, empty = per_call_us(call, count)
    print(took / each, empty, flush=True)
