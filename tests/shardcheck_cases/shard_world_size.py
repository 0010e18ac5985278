# `/ world_size`, int() around it, and a name that has nothing of a head.
# options: --set inner=256
import torch.distributed as dist
import triton


@triton.jit
def scan(x):
    pass


class Mixer:
    def __init__(self, inner):
        self.world_size = dist.get_world_size()
        self.width = int(inner / self.world_size)

    def forward(self, x):
        scan[(self.width,)](x)  # expect: GA401 sharded=width blocks=256/128/64/32
