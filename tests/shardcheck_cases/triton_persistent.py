# A persistent grid is the SM count, or at most that.
# options: --dim n_head=96:tp --set n_tile=1000
import torch
import triton


@triton.jit
def persistent(x):
    pass


def launch(x, n_head, n_tile):
    n_sm = torch.cuda.get_device_properties("cuda").multi_processor_count
    persistent[(n_sm,)](x)  # expect: independent sharded=-
    persistent[(min(n_sm, n_tile * n_head),)](x)  # expect: compensated|shrinks blocks=132/132/132/132
    persistent[(min(n_sm, n_head),)](x)  # expect: collapses blocks=96/48/24/12
