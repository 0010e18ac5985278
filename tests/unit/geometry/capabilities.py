"""One device per compute capability, its limits written down apart from the device table.

Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", and the
architecture traits of NVIDIA's CCCL. The table is checked against these, not built from them.
"""

from dataclasses import dataclass

from geoaudit.devices.spec import DeviceSpec

KIB = 1024


@dataclass(frozen=True, kw_only=True)
class Capability:
    warps: int
    blocks: int
    shared_kib: int
    shared_unit: int = 128
    reserve: int = 1024


CAPABILITIES = {
    "7.0": Capability(warps=64, blocks=32, shared_kib=96, shared_unit=256, reserve=0),
    "7.2": Capability(warps=64, blocks=32, shared_kib=96, shared_unit=256, reserve=0),
    "7.5": Capability(warps=32, blocks=16, shared_kib=64, shared_unit=256, reserve=0),
    "8.0": Capability(warps=64, blocks=32, shared_kib=164),
    "8.6": Capability(warps=48, blocks=16, shared_kib=100),
    "8.7": Capability(warps=48, blocks=16, shared_kib=164),
    "8.9": Capability(warps=48, blocks=24, shared_kib=100),
    "9.0": Capability(warps=64, blocks=32, shared_kib=228),
    "10.0": Capability(warps=64, blocks=32, shared_kib=228),
    "10.1": Capability(warps=48, blocks=24, shared_kib=228),
    "10.3": Capability(warps=64, blocks=32, shared_kib=228),
    "11.0": Capability(warps=48, blocks=24, shared_kib=228),
    "12.0": Capability(warps=48, blocks=24, shared_kib=100),
    "12.1": Capability(warps=48, blocks=24, shared_kib=100),
}


def device_of(
    architecture: str = "9.0", *, sm_count: int = 132, usable_sm_count: int | None = None
) -> DeviceSpec:
    capability = CAPABILITIES[architecture]
    shared_bytes = capability.shared_kib * KIB
    return DeviceSpec(
        name=f"a part of compute capability {architecture}",
        vendor="nvidia",
        architecture=architecture,
        sm_count=sm_count,
        sm_count_source="the test",
        usable_sm_count=usable_sm_count,
        threads_per_warp=32,
        max_threads_per_block=1024,
        max_threads_per_sm=capability.warps * 32,
        max_warps_per_sm=capability.warps,
        max_blocks_per_sm=capability.blocks,
        registers_per_sm=64 * KIB,
        registers_per_block=64 * KIB,
        max_registers_per_thread=255,
        register_allocation_unit=256,
        warp_allocation_granularity=4,
        shared_bytes_per_sm=shared_bytes,
        shared_bytes_per_block=48 * KIB,
        shared_bytes_per_block_optin=shared_bytes - capability.reserve,
        shared_bytes_reserved_per_block=capability.reserve,
        shared_allocation_unit_bytes=capability.shared_unit,
    )


def amd_device_of(*, sm_count: int = 304) -> DeviceSpec:
    """A gfx942 part, limits of the AMD Instinct MI300 instruction set guide."""
    return DeviceSpec(
        name="a gfx942 part",
        vendor="amd",
        architecture="gfx942",
        sm_count=sm_count,
        sm_count_source="the test",
        threads_per_warp=64,
        max_threads_per_block=1024,
        max_threads_per_sm=2048,
        max_warps_per_sm=32,
        max_blocks_per_sm=32,
        registers_per_sm=128 * KIB,
        registers_per_block=128 * KIB,
        max_registers_per_thread=512,
        register_allocation_unit=512,
        warp_allocation_granularity=4,
        shared_bytes_per_sm=64 * KIB,
        shared_bytes_per_block=64 * KIB,
        shared_bytes_per_block_optin=64 * KIB,
        shared_bytes_reserved_per_block=0,
        shared_allocation_unit_bytes=512,
    )
