# options: --dim n_head=96:tp
import triton


@triton.jit
def shared_kernel(x):
    pass


def wrapper(x, rows):
    shared_kernel[(rows,)](x)  # expect: collapses grid=(n_head)|(layer.n_head) roots.x=rows symbols.x=rows,n_head|rows,layer.n_head|rows,self.n_head
