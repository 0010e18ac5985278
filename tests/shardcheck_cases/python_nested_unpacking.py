# Nested unpacking.
import triton


@triton.jit
def step(y): ...


def f(y, n_head, batch):
    (a, x), b = (batch, n_head), 2
    step[(x,)](y)  # expect: grid=(n_head)
