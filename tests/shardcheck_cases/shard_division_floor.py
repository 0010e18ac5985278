# `// tp_size` in a constructor, used in a method.
# options: --set total_num_heads=96
import triton


@triton.jit
def attend(x):
    pass


class Attention:
    def __init__(self, total_num_heads, tp_size):
        self.total_num_heads = total_num_heads
        self.num_heads = self.total_num_heads // tp_size

    def forward(self, x):
        attend[(self.num_heads,)](x)  # expect: GA401 sharded=num_heads by=tp rounding=floor|exact blocks=96/48/24/12
