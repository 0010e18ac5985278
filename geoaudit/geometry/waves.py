"""Fill and waves: how much of the device a grid covers, and in how many rounds.

A wave is a model, not a step of the hardware: blocks start one by one as others end. Wave and
tail figures assume that all blocks of a launch take the same time.
"""


def sm_fill(grid_blocks: int, usable_sms: int) -> float:
    """Share of the SMs that get a block at all: min(1, blocks / SMs), 0 to 1.

    Example:
        >>> [round(sm_fill(blocks, 132), 3) for blocks in (1, 12, 48, 128, 256)]
        [0.008, 0.091, 0.364, 0.97, 1.0]
    """
    return min(1.0, grid_blocks / usable_sms)


def waves(grid_blocks: int, device_blocks: int) -> float:
    """Blocks of the grid / blocks the device holds at once, not rounded.

    Args:
        grid_blocks: blocks of the grid.
        device_blocks: resident blocks per SM x usable SMs; with clusters the clusters the device
            holds at once x blocks of a cluster. At least 1.

    Example:
        >>> [round(waves(1280, resident * 48), 2) for resident in (8, 6, 4)]
        [3.33, 4.44, 6.67]
    """
    return grid_blocks / device_blocks


def full_waves(grid_blocks: int, device_blocks: int) -> int:
    """Whole waves of the grid.

    Example:
        >>> full_waves(1280, 8 * 48)
        3
    """
    return grid_blocks // device_blocks


def tail_blocks(grid_blocks: int, device_blocks: int) -> int:
    """Blocks of the partial last wave; 0: the last wave is full.

    Example:
        >>> tail_blocks(1280, 8 * 48), tail_blocks(1152, 8 * 48)
        (128, 0)
    """
    return grid_blocks % device_blocks


def wave_efficiency(grid_blocks: int, device_blocks: int) -> float:
    """Share of the block slots that work over all waves, waves / ceil(waves): 0 to 1.

    0 for a grid without blocks.

    Example:
        >>> round(wave_efficiency(1280, 8 * 48), 3)
        0.833
    """
    rounds = -(-grid_blocks // device_blocks)
    return grid_blocks / (rounds * device_blocks) if rounds else 0.0


def slot_fill(grid_blocks: int, device_blocks: int) -> float:
    """Share of the block slots that the fullest wave takes: min(1, waves), 0 to 1.

    Example:
        >>> round(slot_fill(128, 2 * 132), 3), round(slot_fill(256, 2 * 132), 3)
        (0.485, 0.97)
    """
    return min(1.0, grid_blocks / device_blocks)


def thread_fill(resident_threads: int, max_threads_per_sm: int, usable_sms: int) -> float:
    """Share of the device's thread slots that are taken, 0 to 1.

    Args:
        resident_threads: threads resident at once in the whole device.
        max_threads_per_sm: thread slots of one SM.
        usable_sms: SMs the launch can use.

    Example:
        >>> round(thread_fill(512 * 128, 2048, 148), 2)  # a grid of 512 blocks on 148 SMs
        0.22
    """
    return min(1.0, resident_threads / (max_threads_per_sm * usable_sms))


def working_warps_per_sm(resident_blocks_per_sm: int, working_warps_per_block: int) -> int:
    """Resident warps of one SM that do work.

    A block holds its slots for as long as one of its warps works: a block of four warps of which
    one works keeps three quarters of its warp slots idle.

    Example:
        >>> working_warps_per_sm(12, 1)  # 1536 threads per SM, blocks of 128, one warp working
        12
    """
    return resident_blocks_per_sm * working_warps_per_block


def wasted_sm_time_ns(time_ns: float, sm_fill: float) -> float:
    """Whole-device time that went by on SMs without a block: time x (1 - sm_fill), in ns.

    A ceiling on what another shape could win, not a saving.

    Args:
        time_ns: duration, or time per token, in ns.
        sm_fill: 0 to 1.

    Example:
        >>> round(wasted_sm_time_ns(87_000, 12 / 132))
        79091
    """
    return time_ns * (1.0 - sm_fill)
