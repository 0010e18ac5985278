# __post_init__ sets rows.
import triton


@triton.jit
def step(y): ...


from dataclasses import dataclass


@dataclass
class Sizes:
    n: int
    rows: int = 0

    def __post_init__(self):
        self.rows = self.n * 2


def f(y, n_head):
    sizes = Sizes(n_head)
    step[(sizes.rows,)](y)  # expect: grid=(n_head * 2)
