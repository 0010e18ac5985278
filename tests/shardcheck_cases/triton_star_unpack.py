# Shapes unpacked into names, with a star among them.
# options: --dim k.shape[2]=96:tp --set V=128
import triton


@triton.jit
def recurrent(x):
    pass


def forward(q, k, v):
    B, T, H, K, V = *k.shape, v.shape[-1]
    BV = min(triton.next_power_of_2(V), 8)
    NV = triton.cdiv(V, BV)
    N = B
    recurrent[(NV * N * H,)](k)  # expect: collapses|shrinks|small roots.x=k.shape[0],k.shape[2],v.shape[-1] symbols.x=NV,N,H,B,V,BV
    batch, _, heads, _ = k.shape
    recurrent[(heads,)](k)  # expect: collapses grid=(k.shape[2]) roots.x=k.shape[2]
    first, *rest = k.shape
    recurrent[(rest[1],)](k)  # expect: collapses grid=(k.shape[2])
