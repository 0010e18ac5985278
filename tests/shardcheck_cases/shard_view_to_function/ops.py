import torch
import triton


@triton.jit
def norm(x):
    pass


def normalise(q):
    tokens, heads, width = q.shape
    out = torch.empty((heads, tokens), device=q.device)
    norm[(heads, 1)](q)  # expect: GA401 roots.x=q.shape[1] sharded=here|q.shape[1]|shape[1] blocks=96/48/24/12
    norm[(out.shape[0], 1)](q)  # expect: GA401 sharded=here|q.shape[1]|shape[1]
    norm[(tokens, 1)](q)  # expect: independent sharded=-
