# (m,) * 2 is a tuple.
import triton


@triton.jit
def step(y): ...


def f(y, n_head, batch):
    grid = (n_head,) + (batch,) * 2
    step[grid](y)  # expect: grid=(n_head, batch, batch)
