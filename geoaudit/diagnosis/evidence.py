"""The evidence a verdict is reached from: one launch signature, its geometry and its timing."""

from dataclasses import dataclass
from typing import Literal

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry.shape import LaunchGeometry, LaunchShape
from geoaudit.launches.declared import SplitProperties
from geoaudit.launches.interventions import Intervention

SpreadClass = Literal["tight", "undecided", "wide"]


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Durations of one signature over the launches that are counted.

    Attributes:
        launches: launches with a time.
        median_ns, mean_ns: over all of them.
        std_ns: standard deviation within call sites, pooled over the sites; None below two
            launches at every site.
        relative_mad: median of |launch - its site's median| / that median over the sites with ten
            launches or more (without any, over those launched twice), of each site all but the
            smallest, which its median takes up; None where no site has two launches.
        relative_mad_low, relative_mad_high: 95 % interval of it, see
            `geoaudit.diagnosis.spread.spread_interval`; None: no site has ten launches.
        relative_iqr, p99_to_median, bimodal_fraction, mode_distance, drift_fraction, drift,
            outliers, outlier_excess_ns, outlier_max_excess_ns: of the sites with ten launches or
            more, see `geoaudit.diagnosis.spread_shape.SpreadShape`; None where there is none.
        site_spread: relative MAD of the sites' medians about their median; None with one site.
        site_std_ns: standard deviation between the sites' means, what launches of one site
            scatter taken out; None with one site.
        sites: call sites (positions in the token) the launches fall into; None: unknown, and the
            figures within a site are of all launches together.
        repetitions: fewest launches at one site.
        overlapped_fraction: share of the signature's time under other kernels of its device.
        spread: how the durations spread within a call site; None: not classified from samples.
        common_factor_range: how far durations of the device's sites moved together over the
            tokens, see `geoaudit.ranking.common_factor`; None: cannot tell.
        relative_mad_without_common_factor: the relative MAD after that factor is divided out: a
            wide spread that is tight without it is clocks and not contention.
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
    relative_mad_low: float | None = None
    relative_mad_high: float | None = None
    relative_iqr: float | None = None
    p99_to_median: float | None = None
    bimodal_fraction: float | None = None
    mode_distance: float | None = None
    drift_fraction: float | None = None
    drift: float | None = None
    outliers: int | None = None
    outlier_excess_ns: float | None = None
    outlier_max_excess_ns: float | None = None
    site_std_ns: float | None = None
    common_factor_range: float | None = None
    relative_mad_without_common_factor: float | None = None


@dataclass(frozen=True, kw_only=True)
class Floor:
    """The time below which no launch shape brings a launch, and what it is from.

    Launches of one signature may differ in their bytes (a projection with one grid and several
    widths): each is held against its own floor, and they are never pooled before that.

    Attributes:
        floor_ns: max(launch floor, bytes / bandwidth), the median over the launches; where bytes
            or bandwidth are unknown, the launch floor alone, and ``floor_ratio`` is None.
        launch_floor_ns: what a launch that does nothing takes; the median over eager launches and
            those of CUDA graphs.
        floor_ratio: median over the launches of (duration / the launch's own floor); None where
            bytes, bandwidth or durations are unknown.
        time_ns: median of the same durations: those of the launches, less what overlaps the launch
            ahead on the stream.
        own_time_ns: the same of all launches, of known bytes or not; None: untimed.
        distinct_floors: how many floors the launches have; above 1 ``floor_ns`` and ``bytes`` are
            medians, and the median duration / ``floor_ns`` is not the ratio.
        bytes: of one launch; None: unknown.
        bytes_source: ``compulsory`` (declared) or ``traffic`` (counted, amplification and all).
        bandwidth_bytes_per_second: that the bytes are divided by.
        is_measured: launch floor and bandwidth were measured on this device, not looked up.
        launch_floor_is_measured: the launch floor was; else it is a default.
        latency_ns: of one trip to memory, measured; None: not measured.
        touched_bytes: what the token touches from one launch of a site to the next, its own bytes
            among them, summed over its launches: memory that several touch counts for each, so it
            is at most that; None: unknown. Up to the size of the L2 the launch may find its bytes
            there, and the floor is no floor of DRAM.
    """

    floor_ns: float
    launch_floor_ns: float
    floor_ratio: float | None = None
    time_ns: float | None = None
    own_time_ns: float | None = None
    distinct_floors: int = 1
    bytes: float | None = None
    bytes_source: Literal["compulsory", "traffic"] | None = None
    bandwidth_bytes_per_second: float | None = None
    is_measured: bool = False
    launch_floor_is_measured: bool = False
    latency_ns: float | None = None
    touched_bytes: float | None = None


@dataclass(frozen=True, kw_only=True)
class Counters:
    """What hardware counters say of a launch of the signature. None: not counted.

    Attributes:
        dram_bytes: traffic of one launch.
        sm_active_fraction: share of SM-time with a resident warp, 0 to 1.
        sm_throughput_fraction: throughput of the SM's busiest unit (a pipeline, the issue slots,
            the path to memory), as a share of its peak over the whole launch, 0 to 1.
    """

    dram_bytes: float | None = None
    sm_active_fraction: float | None = None
    sm_throughput_fraction: float | None = None


@dataclass(frozen=True, kw_only=True)
class Concurrency:
    """What else the device did while the signature ran; shares of its time, 0 to 1. None: unknown.

    Attributes:
        other_streams: under kernels of other streams of its context.
        other_contexts: under kernels of other contexts or processes in the recording.
        predecessor: under the launch ahead of it on its stream (the head of a programmatic
            dependent launch).
        successor: under the launch behind it on its stream (the tail of the same).
        sm_fill_beside: mean share of the SMs that the kernels of other streams and contexts have
            blocks for, over the time they overlap.
    """

    other_streams: float | None = None
    other_contexts: float | None = None
    predecessor: float | None = None
    successor: float | None = None
    sm_fill_beside: float | None = None


@dataclass(frozen=True, kw_only=True)
class WorkPerSm:
    """What one SM that has blocks works with.

    Attributes:
        working_warps: resident warps that do work.
        bytes_in_flight: bytes of loads they have outstanding; None: neither declared nor told by
            the machine code.
        needed_bytes_in_flight: latency x bandwidth / SMs; None: latency or bandwidth unknown.
    """

    working_warps: float
    bytes_in_flight: float | None = None
    needed_bytes_in_flight: float | None = None


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
        floor: what no launch shape can better, or None where nothing is known.
        counters: what was counted, or None.
        concurrency: what ran beside it, or None where starts are unknown.
        work: what an SM has to work with, or None where registers or declarations lack.
        split: what more blocks would cost, or None where nobody says.
        can_be_repeated: a manifest describes its launch, and ``scan --confirm`` was not run yet:
            what it leaves out once it leaves out again.
        interventions: of this signature.
        twin: short name of the kernel at the next position that does this one's work where this
            one exits at once (a self-gated pair), or None.
    """

    kernel: str
    owner: str
    shape: LaunchShape
    geometry: LaunchGeometry
    device: DeviceSpec | None
    timing: Timing | None
    floor: Floor | None = None
    counters: Counters | None = None
    concurrency: Concurrency | None = None
    work: WorkPerSm | None = None
    split: SplitProperties | None = None
    can_be_repeated: bool = False
    interventions: tuple[Intervention, ...] = ()
    twin: str | None = None


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
        ranks: how many ranks the run has; None: not known.
        missing_ranks: those of them that a data set lacks.
        positions: positions of a token that ranks were compared at; None: they were not.
        differing_positions: of those, where ranks launch another kernel or geometry.
        lacking_positions: of those, where a rank launches nothing and nothing else differs.
        first_difference: sentence on the first of both.
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
    ranks: int | None = None
    missing_ranks: tuple[int, ...] = ()
    positions: int | None = None
    differing_positions: int = 0
    lacking_positions: int = 0
    first_difference: str | None = None
    kernel: None = None
