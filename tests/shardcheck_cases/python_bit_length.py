# Depends on n_head.
import triton


@triton.jit
def step(y): ...


def f(y, n_head):
    padded = 1 << (n_head - 1).bit_length()
    step[(padded,)](y)  # expect: grid=(next_power_of_2(n_head))
