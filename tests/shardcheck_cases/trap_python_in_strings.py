# Launches in docstrings, f-strings and comments are none.
# options: --dim n_head=96:tp
import triton


@triton.jit
def work(x):
    """work[(n_head,)](x)"""


def launch(x, n_head):
    """Call work[(n_head,)](x).

    work[(n_head, 2)](x)
    """
    # work[(n_head, 3)](x)
    print(f"work[({n_head},)](x)")  # expect: none
    work[(n_head, 4)](x)  # expect: collapses grid=(n_head, 4)
