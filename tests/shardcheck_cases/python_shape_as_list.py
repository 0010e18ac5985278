# A list of a shape, changed.
import triton


@triton.jit
def step(y): ...


import torch


def f(q, n_head):
    shape = list(q.shape)
    shape[-1] = n_head
    out = torch.empty(shape)
    step[(out.shape[-1],)](q)  # expect: grid=(n_head)
