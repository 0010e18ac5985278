# ** in a dictionary.
import triton


@triton.jit
def step(y): ...


def f(y, n_head, batch):
    a = {"rows": n_head}
    b = {**a, "other": batch}
    step[(b["rows"],)](y)  # expect: grid=(n_head)
