# A head count goes through view and comes out of shape[i] with another name.
# options: --set total=96
import triton


@triton.jit
def norm(x):
    pass


class Layer:
    def __init__(self, total, tp_size, dim):
        self.here = total // tp_size
        self.dim = dim

    def forward(self, x):
        q = x.view(-1, self.here, self.dim)
        norm[(q.shape[1],)](q)  # expect: GA401 sharded=here blocks=96/48/24/12
        tokens, count, width = q.shape
        norm[(count, 2)](q)  # expect: GA401 sharded=here blocks=192/96/48/24
        flat = q.reshape(-1, self.here * self.dim)
        norm[(flat.shape[0],)](flat)  # expect: independent|unknown
        norm[(q.size(1),)](q)  # expect: GA401 sharded=here
        turned = q.transpose(0, 1)
        norm[(turned.shape[0],)](turned)  # expect: GA401 sharded=here
        norm[(turned.shape[1],)](turned)  # expect: independent sharded=-
        raised = q.unsqueeze(0)
        norm[(raised.size(2),)](raised)  # expect: GA401 sharded=here
