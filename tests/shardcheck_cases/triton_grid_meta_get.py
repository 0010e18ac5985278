# META.get.
import triton


@triton.jit
def step(y): ...


def f(y, n_head):
    grid = lambda meta: (meta.get("ROWS"),)
    step[grid](y, ROWS=n_head)  # expect: grid=(n_head)
