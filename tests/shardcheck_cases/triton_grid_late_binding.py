# A lambda sees n as it is when the launch calls it.
import triton


@triton.jit
def step(y): ...


def f(y, n_head, batch):
    rows = batch
    grid = lambda meta: (rows,)
    rows = n_head
    step[grid](y)  # expect: grid=(n_head)
