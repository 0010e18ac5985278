# `divide(x, tp)` asserts that it divides.
# options: --set num_heads=96 --set head_size=1
import triton
from distributed import divide, get_tensor_model_parallel_world_size


@triton.jit
def attend(x):
    pass


class Linear:
    def __init__(self, num_heads, head_size):
        world = get_tensor_model_parallel_world_size()
        self.heads_here = divide(num_heads, world)

    def forward(self, x):
        attend[(self.heads_here, 2)](x)  # expect: GA401 sharded=heads_here rounding=exact blocks=192/96/48/24
