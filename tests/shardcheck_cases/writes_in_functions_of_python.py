# A function and a method change an object.
import triton


@triton.jit
def step(y): ...


class Sizes:
    def __init__(self, rows):
        self.rows = rows

    def scale(self, rows):
        self.rows = rows


def fill(sizes, rows):
    sizes.rows = rows


def f(y, n_head, batch):
    a = Sizes(batch)
    fill(a, n_head)
    b = Sizes(batch)
    b.scale(n_head)
    step[(a.rows, b.rows)](y)  # expect: grid=(n_head, n_head)
