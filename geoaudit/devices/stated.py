"""What is stated about a device, whoever states it."""

from typing import Protocol


class StatedDevice(Protocol):
    """A description of a device, None where it says nothing.

    ``geoaudit.launches.recording.RecordedDevice`` is one, and ``resolve.DeviceClues``; this
    package may not import the former, and so names only what it reads.
    """

    @property
    def name(self) -> str | None:
        """As the source spells it; empty counts as None."""
        ...

    @property
    def architecture(self) -> str | None:
        """Compute capability ``"9.0"`` or gfx name; HIP's ``"9.4"`` is understood."""
        ...

    @property
    def sm_count(self) -> int | None:
        """SMs the launches could use."""
        ...

    @property
    def sm_count_source(self) -> str | None:
        """How the source told the count, ``deviceProperties.numSms``."""
        ...

    @property
    def threads_per_warp(self) -> int | None:
        """32, or the wavefront size on AMD."""
        ...

    @property
    def max_threads_per_sm(self) -> int | None:
        """Resident threads of one SM."""
        ...

    @property
    def max_blocks_per_sm(self) -> int | None:
        """Block slots of one SM."""
        ...

    @property
    def registers_per_sm(self) -> int | None:
        """32-bit registers of one SM."""
        ...

    @property
    def shared_bytes_per_sm(self) -> int | None:
        """Shared memory of one SM."""
        ...

    @property
    def shared_bytes_per_block_optin(self) -> int | None:
        """Shared memory of a block that opts in."""
        ...
