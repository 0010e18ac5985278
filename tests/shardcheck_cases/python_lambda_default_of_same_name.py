# lambda a, y=y.
import triton


@triton.jit
def step(y): ...


def f(y, n_head, batch):
    k = n_head
    rows = lambda a, k=k: a * k
    k = 3
    step[(rows(batch),)](y)  # expect: grid=(batch * n_head)
