# The attention's ranks are those of tensor parallelism less those of data parallelism.
# options: --set total_heads=128 --shard attn_tp=1,2,4,8
import triton


@triton.jit
def attend(x):
    pass


class Attention:
    def __init__(self, total_heads, tp_size, attn_dp_size):
        self.attn_tp_size = tp_size // attn_dp_size
        self.local_heads = total_heads // self.attn_tp_size

    def forward(self, x):
        attend[(self.local_heads,)](x)  # expect: collapses|small|shrinks sharded=local_heads
