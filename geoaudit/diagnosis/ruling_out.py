"""What the evidence rules out besides a verdict, each by the number that does."""

from collections.abc import Callable, Iterator

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import VerdictName
from geoaudit.diagnosis.recognition import (
    has_two_groups,
    is_launch_bound,
    is_mostly_shared,
    launch_bound_ns,
    shared_time,
    spread_of,
)
from geoaudit.diagnosis.spread import looks_time_sliced
from geoaudit.diagnosis.thresholds import (
    BUSY_COMPUTE,
    BUSY_SMS,
    FILLED_SM_FILL,
    NOTABLE_TAIL_LOSS,
    SMALL_GRID_SM_FILL,
    Thresholds,
)
from geoaudit.diagnosis.wording import (
    against_floor,
    busiest_while_active,
    dram_share_of,
    floor_ratio_of,
    grid_on_sms,
    launch_floor,
    launch_floor_ns,
)
from geoaudit.quantities import duration, percent

FEW_SHARED = 0.05
"""A smaller share of a launch's time under other kernels slows it by no more than that."""

Sentences = Iterator[str]


def ruled_out(
    name: VerdictName, evidence: SignatureEvidence, thresholds: Thresholds
) -> tuple[str, ...]:
    """The alternatives to a verdict that a number speaks against.

    Args:
        name: of the verdict.
        evidence: that it was reached from.
        thresholds: the launch floor, and bounds of the spread and the floor ratio.
    """
    return tuple(
        sentence
        for verdicts, alternative in _ALTERNATIVES
        if name not in verdicts
        for sentence in alternative(evidence, thresholds)
    )


def _not_contention(evidence: SignatureEvidence, thresholds: Thresholds) -> Sentences:
    """A tight spread: steady contention is tight too, so that what runs beside it comes first."""
    timing = evidence.timing
    if timing is None or is_mostly_shared(evidence):
        return
    spread = spread_of(timing, thresholds)
    if spread.name == "tight" and not has_two_groups(timing) and not looks_time_sliced(timing):
        yield f"not contention: {spread.sentence}"


def _not_other_streams(evidence: SignatureEvidence, thresholds: Thresholds) -> Sentences:
    beside = shared_time(evidence)
    if beside is not None and beside < FEW_SHARED:
        yield f"not other streams: {percent(beside)} of its time is under other kernels"


def _not_the_launch(evidence: SignatureEvidence, thresholds: Thresholds) -> Sentences:
    timing = evidence.timing
    if timing is None or timing.median_ns < 2 * launch_bound_ns(evidence, thresholds):
        return
    floors = timing.median_ns / launch_floor_ns(evidence, thresholds)
    yield (
        f"not the launch itself: {duration(timing.median_ns)} is {floors:.1f} times "
        f"{launch_floor(evidence, thresholds)}"
    )


def _not_starved(evidence: SignatureEvidence, thresholds: Thresholds) -> Sentences:
    fill = evidence.geometry.sm_fill
    if fill is not None and fill >= FILLED_SM_FILL:
        yield f"not starved: {grid_on_sms(evidence)}"
    elif evidence.twin is not None:
        yield f"not starved: on the same grid {evidence.twin} does the work"
    elif is_launch_bound(evidence, thresholds):
        yield f"not starved: no grid takes less than {launch_floor(evidence, thresholds)}"


def _not_a_tail(evidence: SignatureEvidence, thresholds: Thresholds) -> Sentences:
    waves, efficiency = evidence.geometry.waves, evidence.geometry.wave_efficiency
    if waves is None or efficiency is None or waves < 1:
        return
    if 1 - efficiency <= NOTABLE_TAIL_LOSS:
        yield f"not a tail: {waves:.2f} waves, of which the last loses {percent(1 - efficiency)}"


def _not_imbalanced(evidence: SignatureEvidence, thresholds: Thresholds) -> Sentences:
    active = None if evidence.counters is None else evidence.counters.sm_active_fraction
    if active is not None and active >= BUSY_SMS:
        yield f"not imbalanced: counted, SMs have a warp {percent(active)} of the time"


def _not_bandwidth(evidence: SignatureEvidence, thresholds: Thresholds) -> Sentences:
    ratio, counted = floor_ratio_of(evidence), dram_share_of(evidence)
    if ratio is not None and ratio >= thresholds.large_floor_ratio:
        yield f"not bandwidth: {against_floor(evidence)}"
    elif counted is not None and counted < BUSY_COMPUTE / 2:
        yield f"not bandwidth: counted, it moves {percent(counted)} of what a copy moves"


def _not_arithmetic(evidence: SignatureEvidence, thresholds: Thresholds) -> Sentences:
    """Of the SMs that have work, by counters; of the device, by the empty ones."""
    busy = busiest_while_active(evidence)
    if busy is not None and busy < BUSY_COMPUTE / 2:
        yield (
            f"not arithmetic: counted, no unit of an SM that has work is above {percent(busy)} of "
            "its peak"
        )
        return
    fill = evidence.geometry.sm_fill
    if fill is not None and fill < SMALL_GRID_SM_FILL:
        yield f"not the device's arithmetic: {percent(1 - fill)} of its SMs have no block"


_ALTERNATIVES: tuple[
    tuple[frozenset[VerdictName], Callable[[SignatureEvidence, Thresholds], Sentences]], ...
] = (
    (frozenset({"contended"}), _not_contention),
    (frozenset(), _not_other_streams),
    (frozenset({"launch_bound", "dud"}), _not_the_launch),
    (frozenset({"starved"}), _not_starved),
    (frozenset({"tail"}), _not_a_tail),
    (frozenset({"imbalanced"}), _not_imbalanced),
    (frozenset({"bandwidth_bound"}), _not_bandwidth),
    (frozenset({"compute_bound"}), _not_arithmetic),
)
"""What is ruled out, beside the verdicts it would contradict."""
