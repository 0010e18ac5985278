# Python's own arithmetic.
# options: --dim n_head=96:tp
import math

import triton


@triton.jit
def work(x):
    pass


def arithmetic(x, n_head, rows):
    work[(max(1, n_head // 8),)](x)  # expect: small grid=(max(1, n_head // 8)) blocks=12/6/3/1
    work[(math.ceil(n_head / 5),)](x)  # expect: small grid=(cdiv(n_head, 5)) blocks=20/10/5/3
    work[(-(-n_head // 5),)](x)  # expect: small grid=(cdiv(n_head, 5)) blocks=20/10/5/3
    work[((n_head + 4) // 5,)](x)  # expect: small grid=(cdiv(n_head, 5))
    work[(int(n_head * 2),)](x)  # expect: collapses grid=(n_head * 2)
    work[(math.prod((n_head, 3)),)](x)  # expect: collapses grid=(n_head * 3)
    work[(2 ** 3 * n_head,)](x)  # expect: shrinks grid=(n_head * 8) blocks=768/384/192/96
    splits = 1
    while splits < 4:
        splits *= 2
    work[(n_head, splits)](x)  # expect: collapses grid=(n_head, 4)
    blocks = n_head
    blocks //= 2
    work[(blocks,)](x)  # expect: small grid=(n_head // 2)
