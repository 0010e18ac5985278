# Fields that super().__init__ sets.
import triton


@triton.jit
def step(y): ...


class Made:
    def __init__(self, rows):
        self.rows = rows * 2


class Derived(Made):
    def __init__(self, rows):
        super().__init__(rows)


def f(y, n_head):
    p = Derived(n_head)
    step[(p.rows,)](y)  # expect: grid=(n_head * 2)
