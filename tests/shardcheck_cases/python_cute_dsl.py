# CuTe DSL: kernel(...).launch(grid=, block=).
# options: --dim n_head=96:tp
import cutlass
import cutlass.cute as cute


@cute.kernel
def attend(x: cute.Tensor):
    pass


class Attention:
    @cute.kernel
    def kernel(self, x: cute.Tensor):
        pass

    @cute.jit
    def __call__(self, x, n_head, stream):
        grid = (n_head, 2, 1)
        self.kernel(x).launch(grid=grid, block=[128, 1, 1], stream=stream)  # expect: collapses grid=(n_head, 2, 1) kernel=kernel idiom=cute block=(128, 1, 1)


@cute.jit
def start(x: cute.Tensor, n_head: cutlass.Int32):
    attend(x).launch(grid=[n_head, 1, 1], block=[64, 1, 1])  # expect: collapses grid=(n_head, 1, 1) kernel=attend
    attend(x).launch(  # expect: collapses grid=(cdiv(n_head, 2) * 3) kernel=attend
        grid=(cute.ceil_div(n_head, 2) * 3, 1, 1), block=(64, 1, 1), cluster=(1, 1, 1)
    )
