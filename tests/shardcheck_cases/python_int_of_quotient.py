# int() rounds down.
import triton


@triton.jit
def step(y): ...


def f(y, n_head):
    step[(int(n_head / 32),)](y)  # expect: grid=(n_head // 32)
