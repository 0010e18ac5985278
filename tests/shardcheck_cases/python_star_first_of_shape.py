# The last two of a shape of any rank.
import triton


@triton.jit
def step(y): ...


def f(q):
    *_, h, d = q.shape
    step[(h, d)](q)  # expect: grid=(q.shape[-2], q.shape[-1])
