# The launch methods, and a kernel object kept in a variable.
# options: --dim n_head=96:tp
import triton
from triton.experimental import gluon


@triton.jit
def work(x):
    pass


@gluon.jit
def gluon_work(x):
    pass


def launch(x, n_head, fast):
    work.run(x, grid=(n_head,), warmup=False)  # expect: collapses grid=(n_head) kernel=work idiom=triton
    work.warmup(x, grid=(n_head, 2))  # expect: collapses grid=(n_head, 2) kernel=work
    gluon_work[(n_head, 3)](x)  # expect: collapses grid=(n_head, 3) kernel=gluon_work
    kernel = work if fast else gluon_work
    kernel[(n_head,)](x)  # expect: collapses grid=(n_head)
    compiled = work[(n_head, 4)]  # expect: collapses grid=(n_head, 4) kernel=work
    compiled(x)  # expect: none
