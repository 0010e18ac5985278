from geoaudit.shardcheck.python.autotune import meta_values

from .programs import program

TEXT = """
import triton
BLOCKS = [32, 64] if SMALL else [128]
COMMON = dict()
def configurations():
    result = [triton.Config({"M": 2 * b}, num_warps=w) for b in BLOCKS for w in (4, 8)]
    for extra in [48]:
        result.append(triton.Config({"M": extra}))
    return result + [triton.Config({"M": 16}, 2, num_stages=3)]
@triton.heuristics({"EVEN": lambda args: 1 if args["n"] else 2, "FLAG": lambda args: args["n"] > 1})
@triton.autotune(
    configs=[triton.Config({"N": n, "K": k}) for n, k in itertools.product(range(1, 3), [7])]
    + configurations() + [triton.Config({"OTHER": unknown()})],
    key=["n"],
)
@triton.jit
def attend(x, M: tl.constexpr): pass
"""


def test_values_of_every_parameter_that_the_file_tells() -> None:
    one = program(TEXT)
    (kernel,) = (function for function in one.functions if function.name == "attend")
    assert meta_values(kernel, one) == {
        "M": {16, 48, 64, 128, 256},
        "N": {1, 2},
        "K": {7},
        "EVEN": {1, 2},
        "num_warps": {2, 4, 8},
        "num_stages": {3},
    }
