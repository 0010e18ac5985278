# Products of tiles in one axis.
# options: --dim n_head=96:tp --set N=64
import triton
import triton.language as tl


@triton.jit
def matmul(x, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pass


def launch(x, M, N, n_head):
    grid = lambda META: (triton.cdiv(n_head, META["BLOCK_M"]) * triton.cdiv(N, META["BLOCK_N"]),)  # noqa: E731
    matmul[grid](x, BLOCK_M=1, BLOCK_N=32)  # expect: collapses grid=(n_head * cdiv(N, 32)) roots.x=N,n_head blocks=192/96/48/24
