# Suppressions in Python.
# options: --dim n_head=96:tp
import triton


@triton.jit
def chosen(x):
    pass


def launch(x, n_head):
    # geoaudit: allow GA401 runs beside the all-reduce
    chosen[(n_head,)](x)  # expect: collapses allowed=GA401
    chosen[(n_head,)](x)  # geoaudit: allow GA401 the same; expect: collapses allowed=GA401
    chosen[(n_head,)](x)  # expect: GA401
