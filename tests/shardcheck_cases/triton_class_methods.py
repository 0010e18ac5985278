# A launch in a method, with fields that another method sets.
# options: --set n_head=96
import triton


@triton.jit
def work(x):
    pass


class Runner:
    ROWS = 2

    def __init__(self, n_head: int, tp_size: int):
        self.heads = n_head // tp_size
        self._plan()

    def _plan(self):
        self.grid = (self.heads, self.ROWS)

    def run(self, x):
        work[self.grid](x)  # expect: GA401 sharded=heads blocks=192/96/48/24
        work[(self.heads, Runner.ROWS)](x)  # expect: GA401 sharded=heads blocks=192/96/48/24
