# The launch is of a wrapped or indexed kernel.
# options: --dim n_head=96:tp
import functools

import triton
import triton.language as tl

from elsewhere import imported_kernel


@functools.partial(triton.jit, do_not_specialize=["n"])
def partial_kernel(x, n):
    pass


@triton.jit(do_not_specialize=["n"])
def called_decorator(x, n):
    pass


class Kernels:
    @staticmethod
    @triton.jit
    def inside(x):
        pass


def launch(x, n, n_head):
    partial_kernel[(n_head,)](x, n)  # expect: collapses grid=(n_head) kernel=partial_kernel
    called_decorator[(n_head, 2)](x, n)  # expect: collapses grid=(n_head, 2) kernel=called_decorator
    Kernels.inside[(n_head, 3)](x)  # expect: collapses grid=(n_head, 3) kernel=inside
    imported_kernel[(n_head, 4)](x, n, num_warps=4)  # expect: collapses grid=(n_head, 4) kernel=imported_kernel
