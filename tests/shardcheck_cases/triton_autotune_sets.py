# Block sizes from autotune configurations are sets.
# options: --dim n_head=96:tp --set V=128
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BV": 32}, num_warps=2), triton.Config({"BV": 64}, num_warps=4)],
    key=["V"],
)
@triton.jit
def tuned(x, V, BV: tl.constexpr):
    pass


@triton.autotune(configs=[triton.Config({"BV": bv}) for bv in [16, 128]], key=["V"])
@triton.heuristics({"HAS": lambda args: args["x"] is not None})
@triton.jit
def listed(x, V, BV: tl.constexpr, HAS: tl.constexpr):
    pass


def launch(x, n_head, V):
    def grid(meta):
        return (triton.cdiv(V, meta["BV"]), n_head)

    tuned[grid](x, V)  # expect: collapses grid=(one_of(cdiv(V, 32), cdiv(V, 64)), n_head) kernel=tuned
    listed[grid](x, V)  # expect: collapses|shrinks grid=(one_of(cdiv(V, 16), cdiv(V, 128)), n_head) kernel=listed
    tuned[lambda META: (n_head, triton.cdiv(V, META["BV"]))](x, V)  # expect: collapses grid=(n_head, one_of(cdiv(V, 32), cdiv(V, 64)))
