# A launch under `with`, `try` and in a nested function.
# options: --dim n_head=96:tp
import torch
import triton


@triton.jit
def work(x):
    pass


def under_with(x, n_head):
    with torch.cuda.device(x.device.index):
        work[(n_head, 2)](x)  # expect: collapses grid=(n_head, 2)
    try:
        work[(n_head, 3)](x)  # expect: collapses grid=(n_head, 3)
    except RuntimeError:
        work[(1,)](x)  # expect: constant grid=(1)

    def nested(rows):
        work[(rows,)](x)  # expect: collapses grid=(n_head * 4)

    nested(n_head * 4)
    for _ in range(3):
        work[(n_head, 5)](x)  # expect: collapses grid=(n_head, 5)
    return [work[(n_head, 6)](part) for part in x]  # expect: shrinks grid=(n_head, 6)
