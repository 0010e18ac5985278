# __call__.
import triton


@triton.jit
def step(y): ...


class Rows:
    def __call__(self, n):
        return n * 2


def f(y, n_head):
    rows = Rows()
    step[(rows(n_head),)](y)  # expect: grid=(n_head * 2)
