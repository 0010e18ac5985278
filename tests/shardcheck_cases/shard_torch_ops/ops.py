# options: --set total=96
import torch


class Layer:
    def __init__(self, total, tp_size):
        self.here = total // tp_size

    def forward(self, x, out):
        q = x.view(-1, self.here, 64)
        torch.ops.engine.rotate(out, q, self.here)
