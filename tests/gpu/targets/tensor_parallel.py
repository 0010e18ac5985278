"""Tensor-parallel decode of PyTorch, under torchrun or mpirun: ``tensor_parallel.py TOKENS``.

Each layer has its columns and then its rows sharded over the ranks, and sums once: by NCCL, or by
Gloo where ranks share a device. The rank of LATE, where that is in the environment, is 200 µs late
at each sum.
"""

import os
import sys
import time

import torch
import torch.distributed

HIDDEN, LAYERS = 4096, 8


def place() -> tuple[int, int]:
    """Rank and number of ranks, as torchrun or Open MPI tells them."""
    for rank, ranks in (("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")):
        if rank in os.environ:
            return int(os.environ[rank]), int(os.environ[ranks])
    raise SystemExit("start this with torchrun or mpirun")


def main() -> None:
    """Run the tokens, each in a range."""
    rank, ranks = place()
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29571")
    torch.cuda.set_device(rank % torch.cuda.device_count())
    backend = "nccl" if torch.cuda.device_count() >= ranks else "gloo"
    torch.distributed.init_process_group(backend, rank=rank, world_size=ranks)
    width = 4 * HIDDEN // ranks
    up = [torch.randn(width, HIDDEN, device="cuda", dtype=torch.bfloat16) for _ in range(LAYERS)]
    down = [torch.randn(HIDDEN, width, device="cuda", dtype=torch.bfloat16) for _ in range(LAYERS)]
    hidden = torch.randn(1, HIDDEN, device="cuda", dtype=torch.bfloat16)
    is_late = os.environ.get("LATE") == str(rank)
    with torch.no_grad():
        for token in range(int(sys.argv[1]) + 1):
            if token:  # the first loads code
                torch.cuda.nvtx.range_push("decode_token")
            for one_up, one_down in zip(up, down, strict=True):
                part = torch.nn.functional.silu(hidden @ one_up.T) @ one_down.T
                if is_late and token:
                    torch.cuda.synchronize()
                    time.sleep(200e-6)
                torch.distributed.all_reduce(part)
                hidden = torch.nn.functional.rms_norm(hidden + part, (HIDDEN,))
            torch.cuda.synchronize()
            if token:
                torch.cuda.nvtx.range_pop()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
