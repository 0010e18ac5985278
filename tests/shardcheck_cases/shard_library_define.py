# Operators defined with Python's torch.library reach a C++ function elsewhere, or nothing.
# options: --set total=96
import torch
import triton


@triton.jit
def work(x):
    pass


@torch.library.custom_op("engine::rotate", mutates_args=())
def rotate(q: torch.Tensor, heads: int) -> torch.Tensor:
    work[(heads, q.shape[0])](q)  # expect: collapses|small|shrinks roots.x=total,tp_size|total|heads
    return q


def forward(q, total, tp_size):
    local = total // tp_size
    return torch.ops.engine.rotate(q, local)
