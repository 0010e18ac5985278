# The usual guard beside the division.
# options: --set n_head=96
import triton


@triton.jit
def work(x):
    pass


class Layer:
    def __init__(self, n_head, tp_size):
        assert n_head % tp_size == 0
        self.local = n_head // tp_size
        if n_head >= tp_size:
            self.kv = n_head // tp_size
        else:
            self.kv = 1

    def forward(self, x):
        work[(self.local,)](x)  # expect: GA401 sharded=local blocks=96/48/24/12
        work[(self.kv, 1)](x)  # expect: GA401 sharded=kv blocks=96/48/24/12
