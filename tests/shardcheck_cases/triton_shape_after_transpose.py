# A shape read after transpose, permute, unsqueeze, reshape.
# options: --dim n_head=96:tp
import triton
import triton.language as tl


@triton.jit
def rope(x, heads: tl.constexpr):
    pass


def forward(q, n_head):
    q = q.transpose(1, 2)
    batch, seq, n_q, dim = q.shape
    rope[(batch * seq,)](q, heads=n_q)  # expect: independent grid=(q.shape[0] * q.shape[2]) sharded=- not.x=n_q
    wide = q.new_empty(3, n_head, dim)
    rope[(wide.shape[1],)](q, heads=8)  # expect: collapses grid=(n_head)
    lifted = wide.unsqueeze(0)
    rope[(lifted.shape[1], lifted.shape[0])](q, heads=8)  # expect: constant grid=(3, 1)
    turned = wide.permute(1, 0, 2)
    rope[turned.shape[:2]](q, heads=8)  # expect: collapses grid=(n_head, 3)
