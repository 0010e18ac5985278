# `def grid(meta)` twice.
# options: --dim n_head=96:tp
import triton
import triton.language as tl


@triton.jit
def work(x, BV: tl.constexpr):
    pass


def launch(x, n_head, V, varlen):
    if varlen:
        def grid(meta): return (n_head, triton.cdiv(V, meta["BV"]))
    else:
        def grid(meta): return (n_head, 7)
    work[grid](x, BV=16)  # expect: collapses|shrinks|small sharded=n_head roots.x=n_head roots.y=V|BV,V|V,varlen
