# A nested function sets a variable of the one around it.
import triton


@triton.jit
def step(y): ...


def f(y, n_head, batch):
    x = batch

    def set_x():
        nonlocal x
        x = n_head

    set_x()
    step[(x,)](y)  # expect: grid=(n_head)
