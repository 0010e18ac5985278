# or gives an operand, not 0 or 1.
import triton


@triton.jit
def step(y): ...


def f(y, n_kv, n_head):
    heads = n_kv or n_head
    step[(heads,)](y)  # expect: grid=(n_kv if n_kv else n_head)
