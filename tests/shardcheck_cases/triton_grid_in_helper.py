# The grid comes from a helper, of this module and of a class.
# options: --dim n_head=96:tp
import triton


@triton.jit
def work(x):
    pass


def grid_of(heads, rows=2):
    return heads, rows


class Planner:
    @staticmethod
    def plane(heads):
        return (heads, 3)

    def __init__(self, n_head):
        self.n_head = n_head

    @property
    def grid(self):
        return (self.n_head, 4)


def launch(x, n_head):
    work[grid_of(n_head)](x)  # expect: collapses grid=(n_head, 2)
    work[grid_of(n_head, rows=5)](x)  # expect: collapses grid=(n_head, 5)
    work[Planner.plane(n_head)](x)  # expect: collapses grid=(n_head, 3)
    planner = Planner(n_head)
    work[planner.grid](x)  # expect: collapses grid=(n_head, 4)
