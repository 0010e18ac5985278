# Several definitions of the grid under if, one launch.
# options: --dim n_head=96:tp
import triton


@triton.jit
def work(x):
    pass


def branches(x, n_head, batch, decode):
    if decode:
        grid = (n_head, 2)
    elif batch > 8:
        grid = (n_head, 3)
    else:
        grid = lambda meta: (n_head, 4)  # noqa: E731
    work[grid](x)  # expect: collapses grid=(n_head, one_of(2, 3, 4)) roots.x=n_head
    rows = n_head if decode else n_head * 2
    work[(rows,)](x)  # expect: collapses grid=(one_of(n_head, n_head * 2))
