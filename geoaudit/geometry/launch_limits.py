"""Why a launch cannot be made at all, in sentences."""

from collections.abc import Iterator
from math import prod

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry.launch import launch_residency, shared_bytes_of
from geoaudit.geometry.occupancy import registers_checked_per_block
from geoaudit.geometry.shape import Dim3, LaunchShape

# The same on every NVIDIA part of compute capability 7.0 to 12.1 (CUDA C++ Programming Guide,
# "Technical Specifications per Compute Capability").
_LARGEST_GRID: Dim3 = (2**31 - 1, 65535, 65535)
_LARGEST_BLOCK_Z = 64
# 8 is portable, 16 needs the non-portable attribute (CUDA C++ Programming Guide, "Thread Block
# Clusters"); clusters came with compute capability 9.0.
_LARGEST_CLUSTER_BLOCKS = 16
_FIRST_MAJOR_WITH_CLUSTERS = 9


def reasons_impossible(shape: LaunchShape, device: DeviceSpec) -> tuple[str, ...]:
    """Why the device would refuse this launch, a phrase each; empty: nothing known forbids it.

    Meant for launches someone thinks of. A recorded launch was made, so that a reason found for
    one would speak of the recording.

    Example:
        >>> from geoaudit.devices.table import find_device
        >>> shape = LaunchShape(
        ...     grid=(1, 70000, 1), block=(512, 1, 1), registers_per_thread=162, shared_bytes=0
        ... )
        >>> for reason in reasons_impossible(shape, find_device("H200")):
        ...     print(reason)
        grid y is 70000, the limit is 65535
        162 registers x 512 threads take 86016, a block may have 65536
    """
    own = _nvidia_reasons(shape, device) if device.vendor == "nvidia" else ()
    return (*own, *_resource_reasons(shape, device))


def _nvidia_reasons(shape: LaunchShape, device: DeviceSpec) -> tuple[str, ...]:
    return (*_dimension_reasons(shape), *_cluster_reasons(shape, device))


def _dimension_reasons(shape: LaunchShape) -> Iterator[str]:
    # The other axes of a block need no check of their own: its threads are limited together.
    axes = ("grid x", "grid y", "grid z", "block z")
    values = (*(shape.grid or (1, 1, 1)), (shape.block or (1, 1, 1))[2])
    for axis, value, limit in zip(axes, values, (*_LARGEST_GRID, _LARGEST_BLOCK_Z), strict=True):
        if value < 1:
            yield f"{axis} is {value}, at least 1 is needed"
        if value > limit:
            yield f"{axis} is {value}, the limit is {limit}"


def _cluster_reasons(shape: LaunchShape, device: DeviceSpec) -> Iterator[str]:
    blocks = prod(shape.cluster or (1, 1, 1))
    if shape.cluster is None or blocks == 1:
        return
    if int(device.architecture.partition(".")[0]) < _FIRST_MAJOR_WITH_CLUSTERS:
        yield f"clusters need compute capability 9.0, the device has {device.architecture}"
    if blocks > _LARGEST_CLUSTER_BLOCKS:
        yield f"a cluster of {blocks} blocks, the limit is {_LARGEST_CLUSTER_BLOCKS}"
    for axis, grid, cluster in zip("xyz", shape.grid or (), shape.cluster, strict=False):
        if cluster < 1 or grid % cluster:
            yield f"grid {axis} is {grid}, not a multiple of the cluster's {cluster}"


def _resource_reasons(shape: LaunchShape, device: DeviceSpec) -> Iterator[str]:
    held = launch_residency(shape, device)
    if held is None or held.blocks:
        return
    threads, registers = prod(shape.block or ()), shape.registers_per_thread
    sentences = {
        "warps": f"a block of {threads} threads, it may have 1 to {device.max_threads_per_block}",
        "registers": f"{registers} registers x {threads} threads take "
        f"{registers_checked_per_block(threads, registers or 0, device)}, a block may have "
        f"{device.registers_per_block}",
        "shared_memory": f"{shared_bytes_of(shape)} bytes of shared memory, the limit of a block "
        f"is {device.shared_bytes_per_block_optin}",
        "barriers": f"{shape.barriers_per_block} barriers, more than an SM has",
    }
    if registers is not None and registers > device.max_registers_per_thread:
        sentences["registers"] = (
            f"{registers} registers per thread, the limit is {device.max_registers_per_thread}"
        )
    for limiter in held.limiters:
        if limiter in sentences:
            yield sentences[limiter]
