# A tensor that is a field, its view made elsewhere in the class.
# options: --set total=96
import torch
import triton


@triton.jit
def work(x):
    pass


class Cache:
    def __init__(self, total, tp_size, pages):
        self.local = total // tp_size
        self.keys = torch.zeros(pages, self.local, 16)

    def append(self, x):
        work[(self.keys.shape[1],)](x)  # expect: GA401 blocks=96/48/24/12
        pages, heads, width = self.keys.shape
        work[(heads, 1)](x)  # expect: GA401 blocks=96/48/24/12
