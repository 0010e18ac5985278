# += of a list.
import triton


@triton.jit
def step(y): ...


def f(y, n_head, batch):
    grid = [n_head]
    grid += [batch]
    step[tuple(grid)](y)  # expect: grid=(n_head, batch)
