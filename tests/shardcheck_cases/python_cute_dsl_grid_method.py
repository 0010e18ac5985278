# The grid comes from a static method and a scheduler's.
# options: --dim n_head=96:tp
import cutlass.cute as cute


class Decode:
    @staticmethod
    def grid_of(n_head, splits):
        return (splits, n_head, 1)

    @cute.kernel
    def kernel(self, x):
        pass

    @cute.jit
    def __call__(self, x, n_head, stream):
        grid = self.grid_of(n_head, 2)
        self.kernel(x).launch(grid=grid, block=(128, 1, 1), stream=stream)  # expect: collapses grid=(2, n_head, 1)
        self.kernel(x).launch(grid=Decode.grid_of(n_head, 3), block=(128, 1, 1), stream=stream)  # expect: collapses grid=(3, n_head, 1)
