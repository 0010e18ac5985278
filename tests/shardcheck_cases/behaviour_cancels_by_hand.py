# Heads a rank times ranks are all heads again.
# options: --set total=96
import triton


@triton.jit
def gather(x):
    pass


def launch(x, total, tp_size):
    here = total // tp_size
    gather[(here * tp_size,)](x)  # expect: independent|compensated blocks=96/96/96/96
