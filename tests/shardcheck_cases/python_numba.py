# Numba's brackets hold grid and block.
# options: --dim n_head=96:tp
from numba import cuda


@cuda.jit
def step(x):
    x[cuda.blockIdx.x] += 1


@cuda.jit("void(float32[:])")
def typed(x):
    pass


def launch(x, n_head, stream):
    step[n_head, 128](x)  # expect: collapses grid=(n_head) block=(128) kernel=step idiom=numba
    step[(n_head, 2), (16, 16), stream](x)  # expect: collapses grid=(n_head, 2) block=(16, 16)
    blocks, threads = n_head * 3, 64
    typed[blocks, threads](x)  # expect: collapses grid=(n_head * 3) block=(64)
    step.forall(n_head)(x)  # expect: unknown|none
