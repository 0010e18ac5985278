"""What geoaudit knows of one device: the limits occupancy is computed from, and its size."""

from dataclasses import dataclass
from typing import Literal

Vendor = Literal["nvidia", "amd"]


@dataclass(frozen=True, kw_only=True)
class DeviceSpec:
    """One GPU, complete enough to compute occupancy and SM fill.

    A figure that is not known is None, and whatever rests on it is then unknown too.

    Attributes:
        name: marketing name, as the driver prints it where that is known.
        vendor: ``nvidia`` or ``amd`` (an AMD compute unit counts as an SM).
        architecture: compute capability as ``"9.0"``, or the gfx name as ``"gfx942"``.
        sm_count: SMs of the device (compute units on AMD).
        sm_count_source: where the count is from, in words fit for a report's header.
        usable_sm_count: SMs a launch can use, where MIG, MPS or a green context take some away.
        threads_per_warp: 32, or the wavefront size on AMD.
        max_threads_per_block: threads of one block.
        max_threads_per_sm: resident threads of one SM.
        max_warps_per_sm: resident warps of one SM.
        max_blocks_per_sm: block slots of one SM.
        registers_per_sm: 32-bit registers of one SM.
        registers_per_block: 32-bit registers one block may use.
        max_registers_per_thread: registers one thread may use.
        register_allocation_unit: registers are given to a warp in multiples of this.
        warp_allocation_granularity: warps are given registers in multiples of this (the number
            of sub-partitions of an SM).
        shared_bytes_per_sm: largest shared-memory carve-out of one SM.
        shared_bytes_per_block: static limit of a block without opting in.
        shared_bytes_per_block_optin: limit of a block that opts in.
        shared_bytes_reserved_per_block: taken by the system from every block.
        shared_allocation_unit_bytes: shared memory is given in multiples of this.
        l2_bytes: L2 cache.
        memory_bytes_per_second: memory bandwidth, data sheet.
    """

    name: str
    vendor: Vendor
    architecture: str
    sm_count: int
    sm_count_source: str
    usable_sm_count: int | None = None
    threads_per_warp: int
    max_threads_per_block: int
    max_threads_per_sm: int
    max_warps_per_sm: int
    max_blocks_per_sm: int
    registers_per_sm: int
    registers_per_block: int
    max_registers_per_thread: int
    register_allocation_unit: int
    warp_allocation_granularity: int
    shared_bytes_per_sm: int
    shared_bytes_per_block: int
    shared_bytes_per_block_optin: int
    shared_bytes_reserved_per_block: int
    shared_allocation_unit_bytes: int
    l2_bytes: int | None = None
    memory_bytes_per_second: float | None = None

    @property
    def usable_sms(self) -> int:
        """SMs a launch can use: the usable count where one is known, else the device's."""
        return self.sm_count if self.usable_sm_count is None else self.usable_sm_count
