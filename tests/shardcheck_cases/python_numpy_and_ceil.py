# Grids with ceil of a real division, of numpy, and rounding to a tuple.
# options: --dim n_head=96:tp
import math

import cupy
import numpy as np

kernel = cupy.RawKernel("extern \"C\" __global__ void k() {}", "k")


def launch(n_head):
    kernel((math.ceil(n_head / 5),), (64,), ())  # expect: small grid=(cdiv(n_head, 5)) blocks=20/10/5/3
    kernel((int(np.ceil(n_head / 5)),), (64,), ())  # expect: small grid=(cdiv(n_head, 5))
    blocks = (n_head + 4) // 5, 1, 1
    kernel(blocks, (64,), ())  # expect: small grid=(cdiv(n_head, 5))
