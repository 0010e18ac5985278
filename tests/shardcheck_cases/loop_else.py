# The else of a loop runs where it does not break.
import triton


@triton.jit
def step(y): ...


def f(y, n_head, batch):
    for block in (16, 32):
        if n_head % block == 0:
            break
    else:
        block = batch
    step[(block,)](y)  # expect: grid=(one_of(16, 32, batch))
