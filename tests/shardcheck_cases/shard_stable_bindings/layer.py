import torch


class Layer:
    def __init__(self, total, tp_size):
        self.count = total // tp_size

    def forward(self, state):
        torch.ops.engine.decay.default(state, self.count, rows=7)
