"""Kernels that take about 2, 20 and 200 us, timed by CUDA events over graphs of many nodes.

A node costs its kernel and the gap to the next. The gap is the same for an empty kernel, so that
what a kernel takes more than the empty one is free of it.
"""

import json
import statistics
import sys
from pathlib import Path

import cupy as cp

SOURCE = r"""
extern "C" __global__ void NAME(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {}
}
"""
CYCLES = {"spin_0us": 0, "spin_2us": 1.4, "spin_20us": 19, "spin_200us": 199}
NODES, REPEATS = (5, 2) if "few" in sys.argv else (200, 15)


def time_per_node_ns(kernel: cp.RawKernel, cycles: int) -> float:
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        for _ in range(NODES):
            kernel((1,), (32,), (cycles,))
        graph = stream.end_capture()
    times = []
    for _ in range(REPEATS):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        with stream:
            busy((1,), (32,), (4_000_000,))  # so that the graph is there when its turn comes
        begin.record(stream)
        graph.launch(stream)
        end.record(stream)
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(begin, end) * 1e6 / NODES)
    return statistics.median(times)


busy = cp.RawKernel(SOURCE.replace("NAME", "busy"), "busy")
clock_khz = cp.cuda.Device().attributes["ClockRate"]
result = {}
for name, microseconds in CYCLES.items():
    kernel = cp.RawKernel(SOURCE.replace("NAME", name), name)
    cycles = int(clock_khz * microseconds / 1000)
    result[name] = time_per_node_ns(kernel, cycles)
Path(sys.argv[1]).write_text(json.dumps(result))
