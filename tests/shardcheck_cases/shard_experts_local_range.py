# A range of experts for a rank: ends minus begins.
# options: --set num_experts=128 --shard ep=1,2,4,8
import triton


@triton.jit
def route(x):
    pass


def launch(x, num_experts, ep_size, ep_rank):
    per_rank = num_experts // ep_size
    begin = ep_rank * per_rank
    end = begin + per_rank
    route[(per_rank,)](x)  # expect: GA401 blocks=128/64/32/16
    route[(end - begin, 1)](x)  # expect: GA401 blocks=128/64/32/16
