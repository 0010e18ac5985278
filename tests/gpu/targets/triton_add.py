"""Launch a Triton kernel as often as told."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(x + offsets, tl.load(x + offsets, mask=mask) + 1.0, mask=mask)


size = 37 * 256
values = torch.zeros(size, device="cuda")
for _ in range(int(sys.argv[1])):
    add_kernel[(37,)](values, size, BLOCK=256)
torch.cuda.synchronize()
assert float(values[0]) == int(sys.argv[1])
