# Experts over expert-parallel ranks.
# options: --set num_experts=256 --shard ep=1,2,4,8
import triton


@triton.jit
def route(x):
    pass


class Experts:
    def __init__(self, num_experts, ep_size):
        self.here = num_experts // ep_size

    def forward(self, x):
        route[(self.here,)](x)  # expect: GA401 sharded=here by=ep blocks=256/128/64/32
