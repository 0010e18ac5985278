"""Kernels whose counters are known: one block of 264 works, all work, a copy; then a graph."""

import cupy as cp

SOURCE = r"""
// One block spins, the others exit at once.
extern "C" __global__ void one_works(long long cycles) {
    if (blockIdx.x != 0) return;
    long long begin = clock64();
    while (clock64() - begin < cycles) {}
}
extern "C" __global__ void all_work(long long cycles) {
    long long begin = clock64();
    while (clock64() - begin < cycles) {}
}
template <typename T> __global__ void move(const T* from, T* to, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}
"""
COUNT = 1 << 26

module = cp.RawModule(code=SOURCE, name_expressions=["move<float>", "move<double>"])
cycles = cp.int64(200_000)
from_, to = cp.zeros(2 * COUNT, dtype=cp.float32), cp.zeros(2 * COUNT, dtype=cp.float32)
count = cp.int32(COUNT)
stream = cp.cuda.Stream(non_blocking=True)
with stream:
    for _ in range(20):
        module.get_function("one_works")((264,), (128,), (cycles,))
        module.get_function("all_work")((264,), (128,), (cycles,))
        # Two kernels of one shape and one short name: told apart by their whole names.
        module.get_function("move<float>")((1056,), (512,), (from_, to, count))
        module.get_function("move<double>")((1056,), (512,), (from_, to, count))
    stream.synchronize()
    stream.begin_capture()
    # Shapes of their own: only the nodes of the graph have them.
    module.get_function("one_works")((265,), (128,), (cycles,))
    module.get_function("move<float>")((1057,), (512,), (from_, to, count))
    graph = stream.end_capture()
for _ in range(20):
    graph.launch(stream)
stream.synchronize()
