# A loop gives its variable a value that stays.
import triton


@triton.jit
def step(y): ...


def f(y, n_head, batch):
    splits = 1
    for splits in (2, 4, 8):
        if batch * splits > 64:
            break
    step[(n_head, splits)](y)  # expect: grid=(n_head, one_of(2, 4, 8))
