# The divisor is a call that says attention.
# options: --set total_heads=128 --shard attn_tp=1,2,4,8
import triton
from parallel import get_attention_tp_size


@triton.jit
def attend(x):
    pass


class Attention:
    def __init__(self, total_heads):
        attn_tp_size = get_attention_tp_size()
        self.local_heads = total_heads // attn_tp_size

    def forward(self, x):
        attend[(self.local_heads,)](x)  # expect: GA401 sharded=local_heads by=attn_tp blocks=128/64/32/16
