# dict(a=n).
import triton


@triton.jit
def step(y): ...


def f(y, n_head):
    sizes = dict(heads=n_head)
    step[(sizes["heads"],)](y)  # expect: grid=(n_head)
