# and gives an operand.
import triton


@triton.jit
def step(y): ...


def f(y, c, n_head):
    heads = c and n_head
    step[(heads,)](y)  # expect: grid=(n_head if c else c)
