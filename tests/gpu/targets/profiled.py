"""Fifty launches under PyTorch's own profiler; prints how many of them it saw."""

import torch

x = torch.ones(64, device="cuda")
torch.cuda.synchronize()
activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
with torch.profiler.profile(activities=activities) as profile:
    for _ in range(50):
        x.add_(1)
    torch.cuda.synchronize()
kernels = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA]
print(f"the profiler saw {len(kernels)} kernels")
