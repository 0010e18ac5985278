# What an autograd function is applied to: its forward takes a context before that.
# options: --dim heads=96:tp
import torch
import triton


@triton.jit
def forward_kernel(q, k, v):
    pass


class Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        batch, heads = q.shape[0], q.shape[2]
        forward_kernel[(batch, heads)](q, k, v)  # expect: shrinks|collapses|small symbols.y=heads
        return v


def attend(x, heads, key_heads):
    q = x.new_empty(1, 7, heads, 64)
    k = x.new_empty(1, 7, key_heads, 64)
    return Attend.apply(q, k, k)
