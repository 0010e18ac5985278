# The star takes two.
import triton


@triton.jit
def step(y): ...


def f(y, n_head):
    *rest, x = 2, 3, n_head
    step[(x,)](y)  # expect: grid=(n_head)
