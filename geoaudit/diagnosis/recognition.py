"""What a launch is recognised as, from its name, shape and time: said once, used by all rules."""

import math
from dataclasses import dataclass

from geoaudit.diagnosis.evidence import Floor, SignatureEvidence, SpreadClass, Timing
from geoaudit.diagnosis.spread import classify_interval, spread_bounds
from geoaudit.diagnosis.thresholds import (
    MOST_SITES,
    NEAR_LAUNCH_FLOOR,
    OVERLAPPED,
    SPREAD_LAUNCHES,
    TWO_GROUPS,
    UNFILLED_THREADS,
    Thresholds,
)
from geoaudit.diagnosis.wording import floor_ratio_of, grid_on_sms
from geoaudit.geometry.shape import LaunchShape
from geoaudit.quantities import duration, percent, plural

NORMAL_MAD = 0.6745
"""MAD of a normal sample / its standard deviation."""

MAD_STANDARD_ERROR = 1.17
"""Relative standard error of the MAD of a normal sample, x sqrt(n): its efficiency is 36.7 %."""

STD_STANDARD_ERROR = 0.71
"""Relative standard error of the standard deviation of a normal sample, x sqrt(n): 1/sqrt(2)."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How the durations of a signature spread within a call site.

    Attributes:
        name: tight, wide or undecided.
        sentence: the number that says so, with what it was measured on.
    """

    name: SpreadClass
    sentence: str


def launch_bound_ns(evidence: SignatureEvidence, thresholds: Thresholds) -> float:
    """Median durations up to it are the launch's own cost.

    Measured, it is the near floor ratio times what a launch that does nothing takes and one trip
    to memory, without which nothing is read; else the default.

    Example:
        An H200's 608 ns and 346 ns: 1.53 µs.
    """
    floor = evidence.floor
    if floor is None or not floor.launch_floor_is_measured:
        return thresholds.launch_floor_ns
    return thresholds.near_floor_ratio * (floor.launch_floor_ns + (floor.latency_ns or 0.0))


def is_launch_bound(evidence: SignatureEvidence, thresholds: Thresholds) -> bool:
    """Whether the median of its own time is the launch's cost; False where untimed."""
    time_ns = own_time_ns(evidence)
    return time_ns is not None and time_ns <= launch_bound_ns(evidence, thresholds)


def own_time_ns(evidence: SignatureEvidence) -> float | None:
    """Median duration less what lies under the predecessor on the stream; None: untimed."""
    timing, floor = evidence.timing, evidence.floor
    if timing is None or floor is None or floor.own_time_ns is None:
        return None if timing is None else timing.median_ns
    return floor.own_time_ns


def shared_time(evidence: SignatureEvidence) -> float | None:
    """Share of its time under kernels beside it; where streams are unknown, under any kernel."""
    beside = beside_share(evidence)
    if beside is not None or evidence.timing is None:
        return beside
    return evidence.timing.overlapped_fraction


def is_mostly_shared(evidence: SignatureEvidence) -> bool:
    """Whether more than half of its time lies under other kernels of the device."""
    share = shared_time(evidence)
    return share is not None and share > OVERLAPPED


def is_near_floor(evidence: SignatureEvidence, thresholds: Thresholds) -> bool:
    """Whether the median is at most 1.6 times the floor of its bytes; False where unknown."""
    ratio = floor_ratio_of(evidence)
    return ratio is not None and ratio <= thresholds.near_floor_ratio


def is_of_bytes(floor: Floor) -> bool:
    """Whether the floor is that of the bytes, and not of a launch that does nothing."""
    if floor.bytes is None or floor.bandwidth_bytes_per_second is None:
        return False
    return floor.bytes / floor.bandwidth_bytes_per_second * 1e9 >= floor.launch_floor_ns


def has_two_groups(timing: Timing | None) -> bool:
    """Whether at most of its sites the launches fall into two groups that lie well apart."""
    if timing is None or timing.bimodal_fraction is None or timing.mode_distance is None:
        return False
    return timing.bimodal_fraction >= MOST_SITES and timing.mode_distance >= TWO_GROUPS


def may_be_served_by_l2(evidence: SignatureEvidence) -> bool:
    """Whether all that the token touches from one launch of a site to the next fits the L2."""
    touched = None if evidence.floor is None else evidence.floor.touched_bytes
    l2_bytes = None if evidence.device is None else evidence.device.l2_bytes
    return touched is not None and l2_bytes is not None and touched <= l2_bytes


def beside_share(evidence: SignatureEvidence) -> float | None:
    """Share of its time under kernels of other streams, contexts or processes; None: unknown."""
    concurrency = evidence.concurrency
    if concurrency is None:
        return None
    streams, contexts = concurrency.other_streams, concurrency.other_contexts
    return None if streams is None or contexts is None else min(1.0, streams + contexts)


def is_near_default_floor(evidence: SignatureEvidence, thresholds: Thresholds) -> bool:
    """Whether the median is above the default launch floor by no more than a fifth of it.

    False where an empty kernel was measured.
    """
    timing, floor = evidence.timing, evidence.floor
    if timing is None or (floor is not None and floor.launch_floor_is_measured):
        return False
    above = timing.median_ns / thresholds.launch_floor_ns
    return 1 < above <= 1 + NEAR_LAUNCH_FLOOR


def is_persistent(evidence: SignatureEvidence) -> bool:
    """Whether it has the shape of a persistent kernel: k x usable SMs, resident at once, filled.

    Filled means that it takes every block slot its residency allows, or at least half of the
    device's thread slots. A grid that merely happens to be a multiple of the SM count, with few
    threads and room for more, is not persistent. Where it is unknown how many blocks (or clusters)
    are resident, only one block per SM without clusters is known to be resident at once.

    Assumes that a grid that is an exact multiple of the SM count was sized by it.
    """
    geometry = evidence.geometry
    blocks, sms, waves = geometry.grid_blocks, geometry.usable_sms, geometry.waves
    if not blocks or sms is None or blocks % sms:
        return False
    one_per_sm = blocks == sms and not is_clustered(evidence.shape)
    resident = one_per_sm if waves is None else waves <= 1
    return resident and (waves == 1 or (thread_bound(evidence) or 0.0) >= UNFILLED_THREADS)


def is_clustered(shape: LaunchShape) -> bool:
    """Whether the launch is known to group its blocks into clusters."""
    return shape.cluster is not None and math.prod(shape.cluster) > 1


def thread_bound(evidence: SignatureEvidence) -> float | None:
    """Threads of the whole grid / thread slots of the device, at most 1.

    An upper bound of ``thread_fill`` that holds whatever registers and shared memory allow.
    """
    blocks, threads = evidence.geometry.grid_blocks, evidence.geometry.block_threads
    if blocks is None or threads is None or evidence.device is None:
        return None
    slots = evidence.device.usable_sms * evidence.device.max_threads_per_sm
    return min(1.0, blocks * threads / slots)


def slots_filled(evidence: SignatureEvidence) -> str:
    """``132 blocks on 132 SMs (100 % have work), but only 12.5 % of the thread slots are ...``."""
    filled = percent(thread_bound(evidence))
    return f"{grid_on_sms(evidence)}, but only {filled} of the thread slots are filled"


def leaves_threads_unfilled(evidence: SignatureEvidence, below: float) -> bool:
    """Whether a grid that reaches every second SM has too few threads to fill the slots.

    Smaller grids are another rule's; grids that fill the resident-block slots, as persistent
    ones do, nobody's: there the registers or shared memory of the block are what empties the SM.
    """
    geometry, bound = evidence.geometry, thread_bound(evidence)
    if bound is None or geometry.sm_fill is None or geometry.sm_fill < below:
        return False
    slots_unfilled = geometry.slot_fill is None or geometry.slot_fill < below
    return bound < below and slots_unfilled


def tail_loss(evidence: SignatureEvidence, most_full_waves: int) -> float | None:
    """Ideal time share lost to a partial last wave, 0 to 1; None where there is none to speak of.

    1 - wave_efficiency, for 1 to ``most_full_waves`` whole waves. Equal block times are assumed.
    """
    full, efficiency = evidence.geometry.full_waves, evidence.geometry.wave_efficiency
    if full is None or efficiency is None or not 1 <= full <= most_full_waves:
        return None
    return 1 - efficiency if efficiency < 1 else None


def spread_of(timing: Timing, thresholds: Thresholds) -> Spread:
    """The spread as it was classified from the samples, else estimated from the figures alone.

    Without samples the relative MAD is given the 95 % interval of a normal sample's; without it
    the standard deviation stands for the MAD that a normal sample of it has. Where call sites are
    not told apart, launches that differ by their site look like launches that do not repeat: a
    wide spread is then no evidence, and a tight one is.
    """
    if timing.relative_mad is not None:
        value, precision = timing.relative_mad, MAD_STANDARD_ERROR
        measure = f"spread {percent(value)}{_interval(timing)}"
    elif timing.std_ns is not None and timing.median_ns > 0:
        relative_std = timing.std_ns / timing.median_ns
        value, precision = NORMAL_MAD * relative_std, STD_STANDARD_ERROR
        measure = f"standard deviation {duration(timing.std_ns)}, {percent(relative_std)} of the "
        measure += "median,"
    else:
        return Spread(name="undecided", sentence="no call site was timed twice")
    name = timing.spread or _estimated(value, precision, timing, thresholds)
    launches = plural(timing.launches, "launch", "launches")
    if timing.sites is None:
        where = "call sites are not told apart (no tokens)"
        sentence = f"{measure} over {launches}; {where}"
        return Spread(name="tight" if name == "tight" else "undecided", sentence=sentence)
    sentence = f"{measure} over {launches} at {plural(timing.sites, 'site')}"
    if timing.spread == "undecided" and timing.relative_mad_low is None:
        sentence += f"; no site has the {SPREAD_LAUNCHES} launches that tell: record more tokens"
    return Spread(name=name, sentence=sentence)


def _interval(timing: Timing) -> str:
    """The interval that leaves a spread undecided, in brackets."""
    low, high = timing.relative_mad_low, timing.relative_mad_high
    if timing.spread != "undecided" or low is None or high is None:
        return ""
    return f" (95 % interval {percent(low)} to {percent(high)})"


def _estimated(
    value: float, precision: float, timing: Timing, thresholds: Thresholds
) -> SpreadClass:
    """Class of a relative MAD whose standard error is ``precision`` x it / sqrt(freedom)."""
    freedom = timing.launches - (timing.sites or 1)
    if timing.repetitions < SPREAD_LAUNCHES or freedom < 1:
        return "undecided"
    margin = 1.96 * precision / math.sqrt(freedom)
    tight, wide = spread_bounds(timing.median_ns, thresholds)
    return classify_interval(value * (1 - margin), value * (1 + margin), tight=tight, wide=wide)
