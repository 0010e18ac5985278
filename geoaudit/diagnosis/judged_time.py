"""On how much of a recording it could be told what a gate names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from geoaudit.diagnosis.fail_on import FailOn
from geoaudit.diagnosis.finding import Severity, Verdict
from geoaudit.diagnosis.rule import SEVERITIES
from geoaudit.diagnosis.rules import all_rules
from geoaudit.geometry.shape import LaunchGeometry

TOLD_BY_GRID = frozenset({"GA101", "GA107"})
TOLD_BY_BLOCK = frozenset({"GA103"})
TOLD_BY_RESIDENCY = frozenset({"GA102", "GA104", "GA105", "GA106"})
TOLD_BY_GRID_AND_TIME = frozenset({"starved", "healthy", "inconclusive", "GA201"})
TOLD_BY_RESIDENCY_AND_TIME = frozenset({"tail", "occupancy_limited", "GA202", "GA203"})
TOLD_BY_TIME = frozenset({"launch_bound", "GA206"})
TOLD_BY_COUNTERS = frozenset({"imbalanced", "serial", "compute_bound", "GA204", "GA205"})
TOLD_BY_FLOOR = frozenset({"bandwidth_bound"})
TOLD_BY_SITES = frozenset({"dud", "contended", "GA207", "GA210"})
TOLD_ALWAYS = frozenset({"communication"})
"""Names are told on a row by what is known of it. Rules on the recording (GA9xx) ask no row."""


@dataclass(frozen=True, kw_only=True)
class GatedRow:
    """What a gate asks of a row.

    Attributes:
        calls: launches, per token or trace.
        time_ns: their time, per token or trace; None: untimed.
        geometry: figures of its launch.
        verdict: what holds it back.
        is_counted: hardware counters are known of it.
        has_floor: the bytes of a launch are known, or counted.
        has_sites: its call sites are told apart.
    """

    calls: float
    time_ns: float | None
    geometry: LaunchGeometry
    verdict: Verdict
    is_counted: bool = False
    has_floor: bool = False
    has_sites: bool = False


@dataclass(frozen=True, kw_only=True)
class Need:
    """Something a gate has to know of a row.

    Attributes:
        unknown: how an error says that it is unknown.
        remedy: what to do about it.
        is_known: whether it is known of a row.
        share_of: what it is unknown of a share of.
    """

    unknown: str
    remedy: str
    is_known: Callable[[GatedRow], bool]
    share_of: Literal["the kernel time", "the launches"] = "the kernel time"


def _has_residency(row: GatedRow) -> bool:
    """Whether the waves are known, or cannot matter: at most one block per SM."""
    geometry = row.geometry
    within_one_wave = geometry.sm_fill is not None and geometry.sm_fill < 1
    return geometry.waves is not None or within_one_wave


BLOCK = Need(
    unknown="no known block",
    remedy="Record with an instrument that reports launch geometry.",
    is_known=lambda row: row.geometry.block_threads is not None,
)
GRID = Need(
    unknown="no known grid",
    remedy="Record with an instrument that reports launch geometry, CUDA graphs node by node.",
    is_known=lambda row: row.geometry.grid_blocks is not None,
)
DEVICE = Need(
    unknown="no known grid on a device of known SM count",
    remedy="Name the device: --device NAME or --sms N.",
    is_known=lambda row: row.geometry.sm_fill is not None,
)
RESIDENCY = Need(
    unknown="no known waves",
    remedy="Name the device (--device NAME), or record registers, shared memory and clusters.",
    is_known=_has_residency,
)
TIME = Need(
    unknown="no time",
    remedy="Record with an instrument that times kernels.",
    is_known=lambda row: row.time_ns is not None,
    share_of="the launches",
)
COUNTERS = Need(
    unknown="no hardware counters",
    remedy="Count (geoaudit scan --counters), or join counts: --counters-from FILE.",
    is_known=lambda row: row.is_counted,
)
FLOOR = Need(
    unknown="no known bytes of a launch",
    remedy="Say them (--bytes FILE), or count: geoaudit scan --counters.",
    is_known=lambda row: row.has_floor,
)
SITES = Need(
    unknown="call sites that are not told apart",
    remedy="Say how tokens are found: --token-range, --token-kernel or --tokens.",
    is_known=lambda row: row.has_sites,
)


def needs(fail_on: FailOn) -> tuple[Need, ...]:
    """What has to be known of the rows so that nothing that is named can be missed.

    A severity names all rules that can report it or a worse one; of those that need more than
    shape and time (counters, bytes, call sites) it asks what the recording happens to tell.
    """
    named = fail_on.rules | fail_on.verdicts
    names = named | _rules_of(fail_on.severity)
    residency = TOLD_BY_RESIDENCY | TOLD_BY_RESIDENCY_AND_TIME
    measured = TOLD_BY_COUNTERS | TOLD_BY_FLOOR | TOLD_BY_SITES
    time = TOLD_BY_GRID_AND_TIME | TOLD_BY_RESIDENCY_AND_TIME | TOLD_BY_TIME
    grid = TOLD_BY_GRID | TOLD_BY_GRID_AND_TIME | residency
    waste = fail_on.wasted_fraction is not None
    asked = (
        (BLOCK, names & TOLD_BY_BLOCK),
        (GRID, waste or names & grid),
        (DEVICE, waste or names & grid),
        (RESIDENCY, names & residency),
        (TIME, waste or names & time or named & measured),
        (COUNTERS, named & TOLD_BY_COUNTERS),
        (FLOOR, named & TOLD_BY_FLOOR),
        (SITES, named & TOLD_BY_SITES),
    )
    return tuple(need for need, is_asked in asked if is_asked)


def _rules_of(severity: Severity | None) -> frozenset[str]:
    if severity is None:
        return frozenset()
    named = set(SEVERITIES[: SEVERITIES.index(severity) + 1])
    return frozenset(rule.id for rule in all_rules() if named & set(rule.severities))


def unknown_fraction(rows: Sequence[GatedRow], need: Need) -> float:
    """Share that the need is unknown of, 0 to 1; of the launches where nothing is timed.

    Collectives are left out, and launches at the launch floor need nothing: both are recognised
    whatever their geometry.
    """
    judged = [row for row in rows if row.verdict.name != "communication"]
    by_time = need.share_of == "the kernel time" and any(row.time_ns for row in judged)
    weights = [(row.time_ns or 0.0) if by_time else row.calls for row in judged]
    unknown = sum(
        weight
        for row, weight in zip(judged, weights, strict=True)
        if row.verdict.name != "launch_bound" and not need.is_known(row)
    )
    return unknown / sum(weights) if sum(weights) > 0 else 0.0
