# partial.
import triton


@triton.jit
def step(y): ...


from functools import partial


def blocks(a, b):
    return a * b


def f(y, n_head, batch):
    count = partial(blocks, n_head)
    step[(count(batch),)](y)  # expect: grid=(n_head * batch)


def tiles(rows, columns, meta):
    return (rows, triton.cdiv(columns, meta["BLOCK"]))


def g(y, n_head, batch):
    grid = partial(tiles, n_head, columns=batch)
    step[grid](y, BLOCK=32)  # expect: grid=(n_head, cdiv(batch, 32))
