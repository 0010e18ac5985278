# Triton's grids have the same limits.
import triton


@triton.jit
def work(x):
    pass


def limits(x):
    work[(1, 65535)](x)  # expect: constant
    work[(1, 65536)](x)  # expect: constant GA405
    work[(1, 1, 100000)](x)  # expect: constant GA405
    work[(100000,)](x)  # expect: constant
    work[(0,)](x)  # expect: constant GA405
