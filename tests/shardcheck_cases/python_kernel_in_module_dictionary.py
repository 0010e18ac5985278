# Kernels kept in a dictionary and a list.
# options: --dim n_head=96:tp
import triton


@triton.jit
def small_kernel(x):
    pass


@triton.jit
def large_kernel(x):
    pass


KERNELS = {"small": small_kernel, "large": large_kernel}


def launch(x, n_head, size):
    KERNELS[size][(n_head,)](x)  # expect: collapses grid=(n_head)
    kernel = KERNELS["large"]
    kernel[(n_head, 2)](x)  # expect: collapses grid=(n_head, 2)
