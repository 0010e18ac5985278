# None is given a value where it is None; 0 is no value of it.
import triton


@triton.jit
def step(y): ...


def launch(y, rows, tile=None):
    if tile is None:
        tile = 32
    step[(rows // tile,)](y)  # expect: grid=(n_head // 32)


def g(y, n_head):
    launch(y, n_head)
