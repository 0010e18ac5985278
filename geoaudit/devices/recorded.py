"""A device as a recording describes it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class RecordedDevice:
    """What a source states about a device; None where it says nothing.

    Attributes:
        index: value of the launches table's ``device`` column.
        name: as the source spells it; empty counts as None.
        architecture: compute capability ``"9.0"`` or gfx name; HIP's ``"9.4"`` is understood.
        sm_count: SMs the launches could use.
        sm_count_source: how the source told it, for a header: ``deviceProperties.numSms``.
        threads_per_warp: 32, or the wavefront size on AMD.
        max_threads_per_sm: resident threads of one SM.
        max_blocks_per_sm: block slots of one SM.
        registers_per_sm: 32-bit registers of one SM.
        shared_bytes_per_sm: shared memory of one SM.
        shared_bytes_per_block_optin: shared memory of a block that opts in.
    """

    index: int = 0
    name: str | None = None
    architecture: str | None = None
    sm_count: int | None = None
    sm_count_source: str | None = None
    threads_per_warp: int | None = None
    max_threads_per_sm: int | None = None
    max_blocks_per_sm: int | None = None
    registers_per_sm: int | None = None
    shared_bytes_per_sm: int | None = None
    shared_bytes_per_block_optin: int | None = None


def may_be_same(one: RecordedDevice, other: RecordedDevice) -> bool:
    """Whether two descriptions may be of one kind of device: what both tell, they tell alike.

    Example:
        >>> h200 = RecordedDevice(name="NVIDIA H200", architecture="9.0")
        >>> may_be_same(h200, RecordedDevice(architecture="7.5"))
        False
        >>> may_be_same(h200, RecordedDevice(name="nvidia h200"))
        True
    """
    pairs = ((one.name, other.name), (one.architecture, other.architecture))
    return all(
        not (mine and theirs) or mine.strip().casefold() == theirs.strip().casefold()
        for mine, theirs in pairs
    )


def described(device: RecordedDevice) -> str:
    """Name and compute capability, as far as they are told."""
    capability = f"compute capability {device.architecture}" if device.architecture else ""
    told = ", ".join(one for one in (device.name, capability) if one)
    return told or f"device {device.index}"
