# A tensor that is split keeps its other extents.
# options: --set total=96
import torch
import triton


@triton.jit
def work(x):
    pass


def forward(x, total, tp_size):
    local = total // tp_size
    qkv = x.view(-1, 3, local, 64)
    q, k, v = qkv.unbind(1)
    work[(q.shape[1],)](q)  # expect: optional GA401 blocks=96/48/24/12
    same = qkv.contiguous().to(torch.float16)
    work[(same.shape[2],)](same)  # expect: GA401 blocks=96/48/24/12
    first = qkv[:, 0]
    work[(first.shape[1],)](first)  # expect: GA401 blocks=96/48/24/12
