# The same floor in Python.
# options: --dim n_head=96:tp --set n_ctx=4096
import triton

MIN_SLICE = 1024


@triton.jit
def attend(x):
    pass


def forward(x, n_head, n_ctx, num_sms):
    target = triton.cdiv(4 * num_sms, n_head)
    splits = max(1, min(target, n_ctx // MIN_SLICE))
    attend[(n_head, splits)](x)  # expect: capped_by_constant|collapses GA404 blocks=384/192/96/48
