# jax-triton: the kernel is an argument and the grid a keyword.
# options: --dim n_head=96:tp
import jax_triton as jt
import triton


@triton.jit
def add(x, out):
    pass


def launch(x, n_head):
    jt.triton_call(x, kernel=add, out_shape=x, grid=(n_head,), BLOCK=8)  # expect: collapses grid=(n_head) kernel=add idiom=jax-triton
    return jt.triton_call(x, kernel=add, out_shape=x, grid=lambda meta: (n_head, meta["ROWS"]), ROWS=2)  # expect: collapses grid=(n_head, 2)
