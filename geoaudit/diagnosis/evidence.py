"""The evidence a verdict is reached from: one launch signature, its geometry and its timing."""

from dataclasses import dataclass

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry.shape import LaunchGeometry, LaunchShape


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
        sites: call sites (positions in the token) the launches fall into.
        repetitions: fewest launches at one site.
        overlapped_fraction: share of the signature's time under other kernels of its device.
    """

    launches: int
    median_ns: float
    mean_ns: float
    std_ns: float | None = None
    relative_mad: float | None = None
    site_spread: float | None = None
    sites: int = 1
    repetitions: int = 1
    overlapped_fraction: float | None = None


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
