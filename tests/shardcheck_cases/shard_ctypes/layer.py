# options: --set total=96
# A library that is called through ctypes; names are all that binds them.
import ctypes

library = ctypes.CDLL("libengine.so")


class Layer:
    def __init__(self, total, tp_size):
        self.local = total // tp_size

    def forward(self, x):
        library.launch_decay(x.data_ptr(), self.local)
