# Plain floor division of 100 by 8 drops heads.
# options: --set total_heads=100 --set rows=512
import triton


@triton.jit
def attend(x):
    pass


def launch(x, total_heads, tp_size, rows):
    heads_here = total_heads // tp_size
    attend[(heads_here, rows)](x)  # expect: shrinks GA403 blocks=51200/25600/12800/6144
