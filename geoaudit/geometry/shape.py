"""What a launch asks for, and what its geometry amounts to on one device."""

from dataclasses import dataclass
from typing import Literal

Limiter = Literal["warps", "blocks", "registers", "shared_memory", "barriers", "impossible"]
Dim3 = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class LaunchShape:
    """One launch configuration; None where the source does not tell.

    Attributes:
        grid: blocks in x, y, z (always blocks, also where a cluster is set).
        block: threads in x, y, z.
        cluster: blocks of one cluster in x, y, z; (1, 1, 1): none; None: not recorded, which is
            taken for none.
        registers_per_thread: as compiled.
        static_shared_bytes, dynamic_shared_bytes: shared memory of one block.
        shared_bytes: both together, where only the sum is known.
        shared_config_bytes: carve-out of the SM, where the recording has it.
        max_active_clusters: clusters the device holds at once, from the driver or the recording.
        barriers_per_block: block barriers the kernel uses, where known (Nsight Compute tells).
    """

    grid: Dim3 | None
    block: Dim3 | None
    cluster: Dim3 | None = None
    registers_per_thread: int | None = None
    static_shared_bytes: int | None = None
    dynamic_shared_bytes: int | None = None
    shared_bytes: int | None = None
    shared_config_bytes: int | None = None
    max_active_clusters: int | None = None
    barriers_per_block: int | None = None


@dataclass(frozen=True, kw_only=True)
class LaunchGeometry:
    """Figures of one launch on one device; None: cannot tell from what is known.

    Attributes:
        grid_blocks: blocks of the grid.
        block_threads: threads of a block.
        usable_sms: SMs the launch can use.
        sm_fill: min(1, grid_blocks / usable SMs), 0 to 1.
        resident_blocks_per_sm: blocks one SM holds at once (CUDA's occupancy); 0: cannot launch.
        limiter: what bounds resident_blocks_per_sm (the first of several that tie).
        limiters: all that tie; for ``impossible``, followed by what makes it so.
        theoretical_occupancy: resident warps / the SM's warps, 0 to 1.
        waves: grid_blocks / blocks the device holds at once, not rounded.
        full_waves: whole waves.
        tail_blocks: blocks of the partial last wave; 0: the last wave is full.
        wave_efficiency: waves / ceil(waves), 0 to 1.
        slot_fill: min(1, waves), 0 to 1.
        thread_fill: threads resident in the fullest wave / the device's threads, 0 to 1.
    """

    grid_blocks: int | None = None
    block_threads: int | None = None
    usable_sms: int | None = None
    sm_fill: float | None = None
    resident_blocks_per_sm: int | None = None
    limiter: Limiter | None = None
    limiters: tuple[Limiter, ...] = ()
    theoretical_occupancy: float | None = None
    waves: float | None = None
    full_waves: int | None = None
    tail_blocks: int | None = None
    wave_efficiency: float | None = None
    slot_fill: float | None = None
    thread_fill: float | None = None
