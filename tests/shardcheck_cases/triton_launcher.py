# Python launchers: a function that is given the kernel and the grid.
# options: --dim n_head=96:tp
import triton


@triton.jit
def work(x):
    pass


def launch(kernel, grid, *args, **kwargs):
    return kernel[grid](*args, **kwargs)  # expect: launcher


def use(x, n_head):
    launch(work, (n_head, 2), x, num_warps=4)  # expect: collapses grid=(n_head, 2) kernel=work launcher=launch
    launch(kernel=work, grid=(n_head,), x=x)  # expect: collapses grid=(n_head) kernel=work
