"""What was done to a kernel to see whether its time changes, kept beside its recording."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class BlockCount:
    """A kernel alone under another launch shape that does the same work.

    Attributes:
        setting: what was changed, as an option spells it: ``KDA_VALUE_TILE=8``.
        grid_blocks: blocks of the grid.
        block_threads: threads of a block.
        durations_ns: of each repetition.
        kernel_short: what was launched, which may be another kernel; None: not told.
    """

    setting: str
    grid_blocks: int
    block_threads: int
    durations_ns: tuple[int, ...]
    kernel_short: str | None = None


@dataclass(frozen=True, kw_only=True)
class Intervention:
    """One launch of a token, repeated alone with the same arguments, state restored, L2 cold.

    Attributes:
        kernel_short, grid, block, dynamic_shared_bytes: what was launched.
        position: of the launch in the token.
        alone_ns: durations of the repetitions.
        in_situ_ns: durations of the same launch in its token, in the same process.
        sweep: the same work under other block counts, by arms of the manifest; empty where no arm
            changes the kernel's launch.
        device: it was launched on, as in the launches table's ``device`` column.
    """

    kernel_short: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int
    position: int
    alone_ns: tuple[int, ...]
    in_situ_ns: tuple[int, ...]
    sweep: tuple[BlockCount, ...] = ()
    device: int = 0
