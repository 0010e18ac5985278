# The comment beside a Python constant names the measured shape.
# options: --dim n_head=96:tp
import triton

# best at batch 1, 8192 tokens of context, 64 heads on an H100
NUM_SPLITS = 16
PLAIN_ROWS = 16


@triton.jit
def decode(x):
    pass


def launch(x, n_head):
    decode[(n_head, NUM_SPLITS)](x)  # expect: shrinks|capped_by_constant GA404
    decode[(n_head, PLAIN_ROWS)](x)  # expect: shrinks
