"""Resident blocks per SM: how many blocks of one kernel an SM holds at once, and what bounds them.

The arithmetic is CUDA's own. It equals ``cuOccupancyMaxActiveBlocksPerMultiprocessor`` and the
``cuda_occupancy.h`` of the CUDA toolkit, which are also the source of the rules below; the limits
are those of the "Technical Specifications per Compute Capability" of the CUDA C++ Programming
Guide and come with the device.

Assumed, because no recording tells: a kernel that asks for more shared memory than a block may
have by default has opted in, as it must have to be launched.
"""

from dataclasses import dataclass

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry.shape import Limiter

# Block barriers of an SM for each of its block slots, by compute capability. Older parts have
# barriers too, but CUDA's occupancy does not count them (cuda_occupancy.h).
_BARRIERS_PER_BLOCK_SLOT = {
    "9.0": 2,
    "10.0": 2,
    "10.1": 1,
    "10.3": 1,
    "11.0": 1,
    "12.0": 1,
    "12.1": 1,
}


@dataclass(frozen=True, kw_only=True)
class BlockResources:
    """What one block takes of an SM.

    Attributes:
        threads: threads of the block.
        registers_per_thread: as compiled; 0: uses none.
        shared_bytes: static and dynamic shared memory together, without the system's reserve.
        barriers: block barriers, or None where that is not known, which is taken as no limit.
        shared_config_bytes: shared memory of the SM during the launch, or None: as much as the
            SM can give.
    """

    threads: int
    registers_per_thread: int
    shared_bytes: int
    barriers: int | None = None
    shared_config_bytes: int | None = None


@dataclass(frozen=True, kw_only=True)
class BlockLimits:
    """Blocks per SM that each resource allows; None: that resource does not limit.

    Attributes:
        warps: by warp slots; 0 for a block of more threads than a block may have.
        blocks: by block slots.
        registers: by registers, counted per sub-partition.
        shared_memory: by shared memory.
        barriers: by block barriers.
    """

    warps: int
    blocks: int
    registers: int | None
    shared_memory: int | None
    barriers: int | None

    @property
    def by_limiter(self) -> dict[Limiter, int]:
        """The limits that apply, by name, in the order a tie is named in."""
        named: tuple[tuple[Limiter, int | None], ...] = (
            ("warps", self.warps),
            ("blocks", self.blocks),
            ("registers", self.registers),
            ("shared_memory", self.shared_memory),
            ("barriers", self.barriers),
        )
        return {limiter: limit for limiter, limit in named if limit is not None}


@dataclass(frozen=True, kw_only=True)
class Residency:
    """Resident blocks of one SM.

    Attributes:
        blocks: blocks one SM holds at once; 0: the launch is impossible.
        limits: what each resource alone would allow.
        limiters: the resources that allow no more than that, in the order of ``by_limiter``;
            where ``blocks`` is 0, ``impossible`` comes first.
    """

    blocks: int
    limits: BlockLimits
    limiters: tuple[Limiter, ...]


def residency(resources: BlockResources, device: DeviceSpec) -> Residency:
    """Resident blocks per SM, with every limit and what binds.

    A recorded carve-out counts only where it is what binds: the driver sizes it to what the
    launch needs, so it is no limit of its own unless the program asked for less. One that could
    not hold a single block contradicts the launch and is ignored.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> block = BlockResources(threads=256, registers_per_thread=64, shared_bytes=0)
        >>> held = residency(block, find_device("H200"))
        >>> held.blocks, held.limiters
        (4, ('registers',))
    """
    held = _residency_of(block_limits(resources, device))
    if resources.shared_config_bytes is None:
        return held
    as_configured = _residency_of(
        block_limits(resources, device, shared_bytes_per_sm=resources.shared_config_bytes)
    )
    return as_configured if 0 < as_configured.blocks < held.blocks else held


def _residency_of(limits: BlockLimits) -> Residency:
    by_limiter = limits.by_limiter
    blocks = min(by_limiter.values())
    binding = tuple(limiter for limiter, limit in by_limiter.items() if limit == blocks)
    return Residency(
        blocks=blocks,
        limits=limits,
        limiters=binding if blocks else ("impossible", *binding),
    )


def block_limits(
    resources: BlockResources, device: DeviceSpec, *, shared_bytes_per_sm: int | None = None
) -> BlockLimits:
    """Blocks per SM that each resource of the device allows.

    Args:
        resources: what a block takes.
        device: the device.
        shared_bytes_per_sm: carve-out to count with; None: the largest of the device.
    """
    carve_out = device.shared_bytes_per_sm
    if shared_bytes_per_sm is not None:
        carve_out = min(shared_bytes_per_sm, carve_out)
    return BlockLimits(
        warps=warps_limit(resources.threads, device),
        blocks=device.max_blocks_per_sm,
        registers=registers_limit(resources.threads, resources.registers_per_thread, device),
        shared_memory=shared_memory_limit(resources.shared_bytes, device, carve_out),
        barriers=barriers_limit(resources.barriers, device),
    )


def warps_per_block(threads: int, device: DeviceSpec) -> int:
    """Warps a block occupies: a partly filled warp takes a whole slot.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> warps_per_block(100, find_device("H200"))
        4
    """
    return _ceiling_division(threads, device.threads_per_warp)


def warps_limit(threads: int, device: DeviceSpec) -> int:
    """Blocks per SM by warp slots; 0 for a block without threads or with too many.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> warps_limit(100, find_device("H200")), warps_limit(1056, find_device("H200"))
        (16, 0)
    """
    if not 1 <= threads <= device.max_threads_per_block:
        return 0
    return device.max_warps_per_sm // warps_per_block(threads, device)


def registers_per_warp(registers_per_thread: int, device: DeviceSpec) -> int:
    """Registers a warp is given: registers x threads, rounded up to the allocation unit.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> registers_per_warp(92, find_device("H200"))
        3072
    """
    return _round_up(
        registers_per_thread * device.threads_per_warp, device.register_allocation_unit
    )


def registers_checked_per_block(threads: int, registers_per_thread: int, device: DeviceSpec) -> int:
    """Registers a block is checked with against the limit of a block.

    The hardware's check counts as if the warps were spread over all sub-partitions evenly, rounded
    up (cuda_occupancy.h).

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> registers_checked_per_block(288, 200, find_device("H200"))  # 9 warps count as 12
        76800
    """
    warps = _round_up(warps_per_block(threads, device), device.warp_allocation_granularity)
    return registers_per_warp(registers_per_thread, device) * warps


def registers_limit(threads: int, registers_per_thread: int, device: DeviceSpec) -> int | None:
    """Blocks per SM by registers; None: the kernel uses none; 0: it cannot launch.

    Registers lie in the SM's sub-partitions, and a warp takes all of its own from one of them, so
    what is left over in each cannot be joined. Where a block may have only a share of the SM's
    registers (compute capability 5.2: half), all of its warps lie in one share's sub-partitions.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> registers_limit(224, 92, find_device("A100 40GB"))  # 20 warps of registers, 7 a block
        2
    """
    if registers_per_thread > device.max_registers_per_thread:
        return 0
    per_warp = registers_per_warp(registers_per_thread, device)
    if per_warp == 0:
        return None
    partitions = device.warp_allocation_granularity
    warps = max(1, warps_per_block(threads, device))
    if registers_checked_per_block(threads, registers_per_thread, device) > (
        device.registers_per_block
    ):
        return 0
    shares = max(1, device.registers_per_sm // device.registers_per_block)
    warps_per_partition = device.registers_per_sm // partitions // per_warp
    return warps_per_partition * partitions // shares // warps * shares


def shared_bytes_allocated(shared_bytes: int, device: DeviceSpec) -> int:
    """Shared memory a block is given: its own and the system's reserve, rounded up to the unit.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> shared_bytes_allocated(16, find_device("H200"))
        1152
    """
    return _round_up(
        shared_bytes + device.shared_bytes_reserved_per_block, device.shared_allocation_unit_bytes
    )


def shared_memory_limit(shared_bytes: int, device: DeviceSpec, carve_out_bytes: int) -> int | None:
    """Blocks per SM by shared memory; None: a block takes none; 0: one block asks for too much.

    Args:
        shared_bytes: static and dynamic shared memory of a block, in bytes.
        device: the device.
        carve_out_bytes: shared memory of the SM, in bytes.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> h200 = find_device("H200")
        >>> shared_memory_limit(100 * 1024, h200, h200.shared_bytes_per_sm)
        2
        >>> shared_memory_limit(228 * 1024, h200, h200.shared_bytes_per_sm)
        0
    """
    allocated = shared_bytes_allocated(shared_bytes, device)
    if allocated == 0:
        return None
    largest = device.shared_bytes_per_block_optin + device.shared_bytes_reserved_per_block
    return 0 if allocated > largest else carve_out_bytes // allocated


def barriers_limit(barriers_per_block: int | None, device: DeviceSpec) -> int | None:
    """Blocks per SM by block barriers; None: not known, none used, or never a limit there.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> barriers_limit(7, find_device("H200"))
        9
    """
    per_slot = _BARRIERS_PER_BLOCK_SLOT.get(device.architecture)
    if not barriers_per_block or per_slot is None:
        return None
    return device.max_blocks_per_sm * per_slot // barriers_per_block


def _ceiling_division(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)


def _round_up(value: int, unit: int) -> int:
    return _ceiling_division(value, unit) * unit
