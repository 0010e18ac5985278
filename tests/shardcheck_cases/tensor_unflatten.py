# unflatten.
import triton


@triton.jit
def step(y): ...


def f(q, n_head):
    y = q.unflatten(-1, (n_head, 128))
    step[(y.shape[-2],)](q)  # expect: grid=(n_head)
