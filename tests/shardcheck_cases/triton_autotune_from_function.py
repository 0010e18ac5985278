# Configurations made by a function and by a product of lists.
# options: --dim n_head=96:tp --set V=128
import itertools

import triton
import triton.language as tl


def configurations():
    return [triton.Config({"BV": size}, num_warps=warps) for size in [32, 64] for warps in [2, 4]]


@triton.autotune(configs=configurations(), key=["V"])
@triton.jit
def made(x, V, BV: tl.constexpr):
    pass


SIZES = [16, 64]


@triton.autotune(configs=[triton.Config({"BV": a}, num_stages=b) for a, b in itertools.product(SIZES, [1, 2])], key=["V"])
@triton.jit
def multiplied(x, V, BV: tl.constexpr):
    pass


def launch(x, n_head, V):
    made[lambda META: (n_head, triton.cdiv(V, META["BV"]))](x, V)  # expect: collapses|shrinks|small grid=(n_head, one_of(cdiv(V, 32), cdiv(V, 64)))
    multiplied[lambda META: (n_head, triton.cdiv(V, META["BV"]))](x, V)  # expect: collapses|shrinks|small grid=(n_head, one_of(cdiv(V, 16), cdiv(V, 64)))
