# options: --set total=96
# A view in one file, the shape of the parameter in another.
from .ops import normalise


class Layer:
    def __init__(self, total, tp_size):
        self.here = total // tp_size

    def forward(self, x):
        q = x.view(-1, self.here, 64)
        return normalise(q)
