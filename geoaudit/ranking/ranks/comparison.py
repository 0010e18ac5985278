"""What a comparison of ranks says. Values only, base units.

Every tuple with a value per rank is in the order of ``RankComparison.ranks``.
"""

from dataclasses import dataclass

from geoaudit.geometry.shape import LaunchShape

PerRank = tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class RankSummary:
    """One rank of the run.

    Attributes:
        rank: its number in the distributed run.
        device: index of its device; of several, the one with most of its audited launches.
        device_name: the device's name.
        further_devices: devices that it launches on beside that one; no figure is of them.
        tokens: complete tokens the figures are means over; None: the rank has none of the audited
            class, and no figure of it can be told, or figures are per trace.
        wall_time_per_token_ns, kernel_time_per_token_ns, copy_time_per_token_ns,
            gap_time_per_token_ns, wasted_sm_time_per_token_ns: as in ``AuditTotals``, of this
            rank's device; None: cannot tell.
        communication_time_per_token_ns: sum of the durations of its collectives.
        waiting_per_token_ns: of that, the waiting for ranks that arrive later; None: cannot tell,
            or no collective.
    """

    rank: int
    device: int
    device_name: str
    further_devices: int
    tokens: int | None
    wall_time_per_token_ns: float | None
    kernel_time_per_token_ns: float | None
    copy_time_per_token_ns: float | None
    gap_time_per_token_ns: float | None
    wasted_sm_time_per_token_ns: float | None
    communication_time_per_token_ns: float | None
    waiting_per_token_ns: float | None


@dataclass(frozen=True, kw_only=True)
class RankLaunch:
    """What a rank launches at a position."""

    kernel_short: str
    shape: LaunchShape


@dataclass(frozen=True, kw_only=True)
class PositionDifference:
    """A position at which ranks do not launch the same.

    Attributes:
        position: in the token's template.
        launches: of each rank, in the first common token in which they differ; None: the rank
            launches nothing there.
    """

    position: int
    launches: tuple[RankLaunch | None, ...]


@dataclass(frozen=True, kw_only=True)
class GeometryComparison:
    """Whether all ranks launch the same kernels with the same geometry.

    Attributes:
        tokens: common tokens that were compared.
        positions: positions that a rank launches at.
        same: positions at which all ranks launch the same in all of these tokens.
        differing: positions at which kernel, grid, block, cluster or dynamic shared memory differ.
        lacking: positions at which a rank launches nothing that others launch, and nothing else
            differs.
        unknown: positions at which a grid or a block is not known and nothing else differs.
        unplaced: of each rank, launches of these tokens that the template lacks, so that they have
            no position and are not compared.
        differences: the first of those differing or lacking, in order of position.
    """

    tokens: int
    positions: int
    same: int
    differing: int
    lacking: int
    unknown: int
    unplaced: tuple[int, ...]
    differences: tuple[PositionDifference, ...]


@dataclass(frozen=True, kw_only=True)
class RankedSignature:
    """One launch signature, whatever its device, on every rank.

    Attributes:
        place: place in the order asked for, from 1.
        kernel, kernel_short, owner: names.
        shape: launch configuration.
        calls_per_token: of each rank; 0: it never launches this; None: cannot tell.
        time_per_token_ns: of each rank; None: it never launches this, or cannot tell.
        difference_ns: time of the slowest rank less that of the fastest; None: not all have one.
        difference_fraction: that as a share of the slowest's time, 0 to 1.
        slowest: number of the slowest rank where it takes notably longer, else None.
    """

    place: int
    kernel: str
    kernel_short: str
    owner: str
    shape: LaunchShape
    calls_per_token: PerRank
    time_per_token_ns: PerRank
    difference_ns: float | None
    difference_fraction: float | None
    slowest: int | None


@dataclass(frozen=True, kw_only=True)
class Skew:
    """How far the ranks' durations of one call lie apart, over the calls of a collective, in ns.

    Attributes:
        median_ns, p95_ns, max_ns: of longest minus shortest duration of a call.
        calls: calls they are of.
    """

    median_ns: float
    p95_ns: float
    max_ns: float
    calls: int


@dataclass(frozen=True, kw_only=True)
class RankedCollective:
    """One collective on every rank, see ``collectives.compare_collectives`` for what is assumed.

    Attributes:
        place: place in the order asked for, going on where the signatures end.
        kernel, kernel_short, owner: names.
        calls_per_token: of each rank; None: cannot tell.
        tokens: common tokens in which each of its calls was found, timed, on all ranks; what the
            figures below are means over. None: there is none.
        time_per_token_ns: sum of its durations on each rank, over those tokens; without them over
            all tokens of the rank.
        own_time_per_token_ns: sum over its calls of the shortest duration; None: cannot tell.
        waiting_per_token_ns: of each rank, its time less the own time; None: cannot tell.
        skew: over its calls; None: cannot tell.
    """

    place: int
    kernel: str
    kernel_short: str
    owner: str
    calls_per_token: PerRank
    tokens: int | None
    time_per_token_ns: PerRank
    own_time_per_token_ns: float | None
    waiting_per_token_ns: PerRank
    skew: Skew | None


@dataclass(frozen=True, kw_only=True)
class RankComparison:
    """All ranks that have launches, held against each other; figures per token or per trace.

    Attributes:
        ranks: their summaries, by number.
        run_ranks: how many the run has, as its launcher said; None: not known.
        missing: those of them without a launch.
        geometry: whether they launch the same; None: cannot tell.
        geometry_unknown: why it cannot be told; empty where it can.
        signatures: launch signatures but collectives.
        collectives: collectives, a row per kernel.
        communication_time_per_token_ns: sum of the collectives' durations, a mean over ranks;
            None: cannot tell.
        own_time_per_token_ns: sum of the collectives' own times; None: cannot tell, or none.
        waiting_fraction: share of the collectives' time that is waiting, over all ranks, 0 to 1;
            None: cannot tell, or no collective.
        hidden_signatures, hidden_collectives: rows that ``--top`` left out.
    """

    ranks: tuple[RankSummary, ...]
    run_ranks: int | None
    missing: tuple[int, ...]
    geometry: GeometryComparison | None
    geometry_unknown: str
    signatures: tuple[RankedSignature, ...]
    collectives: tuple[RankedCollective, ...]
    communication_time_per_token_ns: float | None
    own_time_per_token_ns: float | None
    waiting_fraction: float | None
    hidden_signatures: int = 0
    hidden_collectives: int = 0
