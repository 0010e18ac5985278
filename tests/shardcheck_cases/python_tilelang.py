# TileLang: the grid is in the kernel, under `with`.
# options: --dim n_head=96:tp
import tilelang
import tilelang.language as T


@tilelang.jit
def attention(n_head, dim, block_m=64):
    @T.prim_func
    def main(x: T.Tensor((n_head, dim), "float16")):
        with T.Kernel(n_head, 2, threads=128) as (bx, by):  # expect: collapses grid=(n_head, 2) idiom=tilelang roots.x=n_head
            pass

    return main


def ceil_grid(n_head, dim):
    @T.prim_func
    def second(x: T.Tensor((n_head, dim), "float16")):
        with T.Kernel(T.ceildiv(n_head, 2), threads=128) as bx:  # expect: small grid=(cdiv(n_head, 2)) idiom=tilelang
            pass

    return second
