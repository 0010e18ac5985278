# Default batch and context are said: batch is 1.
# options: --dim n_head=96:tp
import triton


@triton.jit
def decode(x):
    pass


def launch(x, n_head, batch):
    decode[(batch, n_head)](x)  # expect: collapses grid=(batch, n_head) sharded=n_head blocks=96/48/24/12
