# kwargs gives tile.
import triton


@triton.jit
def step(y): ...


def launch(y, rows, tile=4):
    step[(rows // tile,)](y)  # expect: grid=(n_head // 2)


def g(y, n, **kwargs):
    launch(y, n, **kwargs)


def h(y, n_head):
    g(y, n_head, tile=2)
