import scan_cuda


class Mixer:
    def __init__(self, inner, tp_size):
        self.width = inner // tp_size

    def forward(self, x):
        scan_cuda.scan_fwd(x, 4, self.width)
