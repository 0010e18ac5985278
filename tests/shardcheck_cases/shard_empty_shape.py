# Extents of tensors that are allocated here.
# options: --set total=96
import torch
import triton


@triton.jit
def reduce(x):
    pass


def launch(x, total, tp_size, batch):
    here = total // tp_size
    partial = torch.empty((batch, here, 4), device=x.device)
    reduce[(partial.shape[1], partial.shape[2])](partial)  # expect: collapses grid=(total // tp_size, 4) blocks=384/192/96/48
    same = torch.empty_like(partial)
    reduce[(same.shape[1],)](same)  # expect: GA401 grid=(total // tp_size)
    zeros = partial.new_zeros(here, batch)
    reduce[(zeros.size(0),)](zeros)  # expect: GA401 grid=(total // tp_size)
