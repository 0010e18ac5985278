# The ranks come from a module's global and from the environment.
# options: --set n_head=96
import os

import triton

TP_SIZE = int(os.environ.get("TP_SIZE", "1"))


@triton.jit
def work(x):
    pass


def launch(x, n_head):
    local = n_head // TP_SIZE
    work[(local,)](x)  # expect: GA401 blocks=96/48/24/12 by=tp
