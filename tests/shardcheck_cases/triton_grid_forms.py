# The forms of a Triton grid: tuple, name, list, one number, lambda, def, star.
# options: --dim n_head=96:tp --set head_dim=128
import triton
import triton.language as tl


@triton.jit
def scale(x, n: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(x, n)


def forms(x, n_head, head_dim, n):
    scale[(n_head,)](x, n, BLOCK=64)  # expect: GA401 grid=(n_head) kernel=scale idiom=triton roots.x=n_head sharded=n_head
    scale[n_head, 2](x, n, BLOCK=64)  # expect: GA401 grid=(n_head, 2)
    grid = (n_head, triton.cdiv(head_dim, 32))
    scale[grid](x, n, BLOCK=64)  # expect: GA401 grid=(n_head, cdiv(head_dim, 32)) blocks=384/192/96/48
    scale[lambda meta: (n_head, triton.cdiv(head_dim, meta["BLOCK"]))](x, n, BLOCK=64)  # expect: GA401 grid=(n_head, cdiv(head_dim, 64)) blocks=192/96/48/24

    def by_meta(meta):
        return (n_head * triton.cdiv(head_dim, meta["BLOCK"]),)

    scale[by_meta](x, n, BLOCK=32)  # expect: GA401 grid=(n_head * cdiv(head_dim, 32)) roots.x=head_dim,n_head|BLOCK,head_dim,n_head
    scale[[n_head, 3]](x, n, BLOCK=64)  # expect: GA401 grid=(n_head, 3)
    leading = (n_head, 2)
    scale[(*leading, 1)](x, n, BLOCK=64)  # expect: GA401 grid=(n_head, 2, 1)
