# CuPy's raw kernels, modules and elementwise ones.
# options: --dim n_head=96:tp
import cupy

SOURCE = r"""
extern "C" __global__ void decay(float* x, int n) { x[blockIdx.x] *= 0.5f; }
"""
decay = cupy.RawKernel(SOURCE, "decay")
module = cupy.RawModule(code=SOURCE)


def launch(x, n, n_head, stream):
    decay((n_head,), (128,), (x, n))  # expect: collapses grid=(n_head) block=(128) kernel=decay idiom=cupy
    decay(grid=(n_head, 2), block=(64,), args=(x, n), stream=stream)  # expect: collapses grid=(n_head, 2) block=(64)
    function = module.get_function("decay")
    function((n_head, 3), (32,), (x, n))  # expect: collapses grid=(n_head, 3) kernel=decay
