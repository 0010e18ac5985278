# The field is set by the base class.
# options: --set n_head=96
import triton


@triton.jit
def work(x):
    pass


class Base:
    def __init__(self, n_head, tp_size):
        self.local = n_head // tp_size


class Derived(Base):
    def __init__(self, n_head, tp_size):
        super().__init__(n_head, tp_size)
        self.other = 3

    def forward(self, x):
        work[(self.local, self.other)](x)  # expect: collapses sharded=local blocks=288/144/72/36
