# a and b are one object; so are lists.
import triton


@triton.jit
def step(y): ...


class Sizes:
    pass


def f(y, n_head, batch):
    a = Sizes()
    a.rows = batch
    b = a
    b.rows = n_head
    c = [batch]
    d = c
    d[0] = n_head
    step[(a.rows, c[0])](y)  # expect: grid=(n_head, n_head)
