# Shapes by slice, by pairs, by size() and with an assertion between.
# options: --dim x.shape[2]=96:tp --set x.shape[0]=1
import triton


@triton.jit
def work(x):
    pass


def shapes(x, dt):
    batch, seqlen, nheads, headdim = x.shape
    assert dt.shape == (batch, seqlen, nheads)
    work[(batch, nheads)](x)  # expect: collapses grid=(x.shape[0], x.shape[2]) roots.x=x.shape[0] roots.y=x.shape[2]
    count, width = x.shape[-2:]
    work[(count,)](x)  # expect: optional collapses|independent|small|shrinks|unknown roots.x=x.shape[-2]|x.shape[2]|x.shape[-2:][0]
    rows, heads = x.shape[0], x.shape[2]
    work[(rows * heads,)](x)  # expect: collapses grid=(x.shape[0] * x.shape[2])
    work[(x.size(2), x.size(0))](x)  # expect: collapses grid=(x.shape[2], x.shape[0])|(x.size(2), x.size(0))
    work[(len(dt), 1)](x)  # expect: independent
