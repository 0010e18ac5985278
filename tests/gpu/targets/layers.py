"""Twenty layers of two matrix products and a norm, each in an NVTX range."""

import torch

x = torch.zeros(1, 512, device="cuda").expand(64, 512).bfloat16() + 1
weight = torch.full((512, 512), 1 / 512, device="cuda").bfloat16()
torch.cuda.synchronize()
for layer in range(20):
    with torch.cuda.nvtx.range(f"layer {layer}"):
        x = torch.nn.functional.rms_norm(x @ weight @ weight, (512,))
torch.cuda.synchronize()
