# Key heads are replicated once there are fewer than ranks.
# options: --set total_kv=4 --set group=32
import triton


@triton.jit
def attend(x):
    pass


class Attention:
    def __init__(self, total_kv, tp_size, group):
        self.kv_here = max(1, total_kv // tp_size)
        self.group = group

    def forward(self, x):
        attend[(self.kv_here, self.group)](x)  # expect: GA401 sharded=kv_here rounding=at_least_one blocks=128/64/32/32
