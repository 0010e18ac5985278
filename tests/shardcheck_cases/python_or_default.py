# block is None here, so it is 32.
import triton


@triton.jit
def step(y): ...


def launch(y, rows, block=None):
    block = block or 32
    step[(rows // block,)](y)  # expect: grid=(n_head // 32)


def f(y, n_head):
    launch(y, n_head)
