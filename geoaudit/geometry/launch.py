"""The geometry of one launch on one device: everything that can be told from what is known."""

from dataclasses import replace
from math import prod

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry import waves
from geoaudit.geometry.occupancy import BlockResources, Residency, residency, warps_per_block
from geoaudit.geometry.shape import Dim3, LaunchGeometry, LaunchShape


def launch_geometry(
    shape: LaunchShape, device: DeviceSpec | None, usable_sms: int | None = None
) -> LaunchGeometry:
    """All figures of a launch; None for each that what is known does not tell.

    Nothing is guessed: without a device only the counts of blocks and threads are known, and with
    a bare SM count the fill; without registers or shared memory no resident blocks, and without
    those no waves. Waves of a clustered grid rest on ``max_active_clusters`` alone, since what
    fits depends on how the chip's SMs are grouped, and no formula gives it. A cluster that the
    source does not record is taken for none: then fewer blocks may fit than counted, and the
    waves of a clustered kernel come out too few. Waves assume equal block times.

    Args:
        shape: the launch; the sum ``shared_bytes`` is used where static or dynamic is missing.
        device: the device, or None where unknown.
        usable_sms: SMs the launch can use, where no more than their number is known.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> shape = LaunchShape(
        ...     grid=(12, 1, 1), block=(128, 1, 1), registers_per_thread=64, shared_bytes=0
        ... )
        >>> geometry = launch_geometry(shape, find_device("H200"))
        >>> round(geometry.sm_fill, 3), geometry.resident_blocks_per_sm, geometry.limiter
        (0.091, 8, 'registers')
    """
    known = LaunchGeometry(grid_blocks=_product(shape.grid), block_threads=_product(shape.block))
    sms = usable_sms if device is None else device.usable_sms
    if known.grid_blocks is not None and sms is not None:
        fill = waves.sm_fill(known.grid_blocks, sms)
        known = replace(known, usable_sms=sms, sm_fill=fill)
    if device is None:
        return known
    held = launch_residency(shape, device)
    if held is not None:
        known = _with_residency(known, held, device)
    return _with_waves(known, device_blocks(shape, held, device), device)


def launch_residency(shape: LaunchShape, device: DeviceSpec) -> Residency | None:
    """Resident blocks per SM with every limit; None where a resource of the block is unknown."""
    threads, shared_bytes = _product(shape.block), shared_bytes_of(shape)
    if threads is None or shared_bytes is None or shape.registers_per_thread is None:
        return None
    return residency(
        BlockResources(
            threads=threads,
            registers_per_thread=shape.registers_per_thread,
            shared_bytes=shared_bytes,
            barriers=shape.barriers_per_block,
            shared_config_bytes=shape.shared_config_bytes,
        ),
        device,
    )


def shared_bytes_of(shape: LaunchShape) -> int | None:
    """Shared memory of one block: static + dynamic, or the sum where only that is known.

    Example:
        >>> shared_bytes_of(LaunchShape(grid=None, block=None, shared_bytes=2048))
        2048
    """
    if shape.static_shared_bytes is None or shape.dynamic_shared_bytes is None:
        return shape.shared_bytes
    return shape.static_shared_bytes + shape.dynamic_shared_bytes


def device_blocks(shape: LaunchShape, held: Residency | None, device: DeviceSpec) -> int | None:
    """Blocks of the launch that the whole device holds at once; None: unknown, or none at all.

    Args:
        shape: the launch; with a cluster its ``max_active_clusters`` decides.
        held: its residency, or None where unknown.
        device: the device.
    """
    cluster_blocks = _product(shape.cluster) or 1
    if cluster_blocks > 1:
        return (shape.max_active_clusters or 0) * cluster_blocks or None
    return held.blocks * device.usable_sms or None if held else None


def _with_residency(known: LaunchGeometry, held: Residency, device: DeviceSpec) -> LaunchGeometry:
    warps = held.blocks * warps_per_block(known.block_threads or 0, device)
    return replace(
        known,
        resident_blocks_per_sm=held.blocks,
        limiter=held.limiters[0],
        limiters=held.limiters,
        theoretical_occupancy=warps / device.max_warps_per_sm,
    )


def _with_waves(known: LaunchGeometry, at_once: int | None, device: DeviceSpec) -> LaunchGeometry:
    grid_blocks, block_threads = known.grid_blocks, known.block_threads
    if grid_blocks is None or block_threads is None or at_once is None:
        return known
    resident_threads = min(grid_blocks, at_once) * block_threads
    return replace(
        known,
        waves=waves.waves(grid_blocks, at_once),
        full_waves=waves.full_waves(grid_blocks, at_once),
        tail_blocks=waves.tail_blocks(grid_blocks, at_once),
        wave_efficiency=waves.wave_efficiency(grid_blocks, at_once),
        slot_fill=waves.slot_fill(grid_blocks, at_once),
        thread_fill=waves.thread_fill(
            resident_threads, device.max_threads_per_sm, device.usable_sms
        ),
    )


def _product(dimensions: Dim3 | None) -> int | None:
    return None if dimensions is None else prod(dimensions)
