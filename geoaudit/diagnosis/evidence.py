"""The evidence a verdict is reached from: one launch signature, its geometry and its timing."""

from dataclasses import dataclass
from typing import Literal

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry.shape import LaunchGeometry, LaunchShape

SpreadClass = Literal["tight", "undecided", "wide"]


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Durations of one signature over the launches that are counted.

    Attributes:
        launches: launches with a time.
        median_ns, mean_ns: over all of them.
        std_ns: standard deviation within call sites, pooled over the sites; None below two
            launches at every site.
        relative_mad: median over the sites of (median absolute deviation / median); None where
            no site has two launches.
        site_spread: relative MAD of the sites' medians about their median; None with one site.
        sites: call sites (positions in the token) the launches fall into; None: unknown, and the
            figures within a site are of all launches together.
        repetitions: fewest launches at one site.
        overlapped_fraction: share of the signature's time under other kernels of its device.
        spread: how the durations spread within a call site; None: not classified from samples.
    """

    launches: int
    median_ns: float
    mean_ns: float
    std_ns: float | None = None
    relative_mad: float | None = None
    site_spread: float | None = None
    sites: int | None = 1
    repetitions: int = 1
    overlapped_fraction: float | None = None
    spread: SpreadClass | None = None


@dataclass(frozen=True, kw_only=True)
class SignatureEvidence:
    """Everything known of one launch signature.

    Attributes:
        kernel: whole name.
        owner: who wrote it, by name (own, cublas, nccl, ...).
        shape: the launch configuration.
        geometry: what it amounts to on the device.
        device: the device, or None where unknown.
        timing: durations, or None where no launch was timed.
    """

    kernel: str
    owner: str
    shape: LaunchShape
    geometry: LaunchGeometry
    device: DeviceSpec | None
    timing: Timing | None


@dataclass(frozen=True, kw_only=True)
class RecordingEvidence:
    """What a recording says about its own health.

    Attributes:
        launches: kernel launches with a record.
        untimed: launches without a usable time.
        dropped: records the instrument says it lost; None where it cannot tell.
        launches_seen: launches the driver saw, where they were counted apart from the records.
        geometry_unknown_fraction: share of the kernel time whose grid is unknown, 0 to 1.
        replayed: the recording ships with geoaudit and was not made on this machine.
        partial: the source was cut; only its complete part was read.
        recorded_on: date of a shipped recording, ISO 8601, or None.
        kernel: always None: the findings are about the recording.
    """

    launches: int
    untimed: int = 0
    dropped: int | None = None
    launches_seen: int | None = None
    geometry_unknown_fraction: float = 0.0
    replayed: bool = False
    partial: bool = False
    recorded_on: str | None = None
    kernel: None = None
