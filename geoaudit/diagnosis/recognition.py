"""What a launch is recognised as, from its name, shape and time: said once, used by all rules."""

import math
from dataclasses import dataclass

from geoaudit.diagnosis.evidence import SignatureEvidence, SpreadClass, Timing
from geoaudit.diagnosis.thresholds import (
    OVERLAPPED,
    SPREAD_LAUNCHES,
    TIGHT_TICKS,
    Thresholds,
)
from geoaudit.quantities import duration, percent


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How the durations of a signature spread within a call site.

    Attributes:
        name: tight, wide or undecided.
        sentence: the number that says so, with what it was measured on.
    """

    name: SpreadClass
    sentence: str


def is_launch_bound(timing: Timing | None, thresholds: Thresholds) -> bool:
    """Whether the median duration is at or below the launch floor; False where untimed."""
    return timing is not None and timing.median_ns <= thresholds.launch_floor_ns


def is_mostly_overlapped(timing: Timing | None) -> bool:
    """Whether more than half of its time lies under other kernels of the device."""
    return (
        timing is not None
        and timing.overlapped_fraction is not None
        and timing.overlapped_fraction > OVERLAPPED
    )


def is_persistent(evidence: SignatureEvidence) -> bool:
    """Whether the grid is k x usable SMs, all resident at once: the shape of a persistent kernel.

    Assumes that a grid that is an exact multiple of the SM count was sized by it.
    """
    blocks, sms = evidence.geometry.grid_blocks, evidence.geometry.usable_sms
    resident = evidence.geometry.resident_blocks_per_sm
    if not blocks or sms is None:
        return False
    blocks_per_sm, rest = divmod(blocks, sms)
    if rest:
        return False
    return blocks_per_sm == 1 if resident is None else 1 <= blocks_per_sm <= resident


def thread_bound(evidence: SignatureEvidence) -> float | None:
    """Threads of the whole grid / thread slots of the device, at most 1.

    An upper bound of ``thread_fill`` that holds whatever registers and shared memory allow.
    """
    blocks, threads = evidence.geometry.grid_blocks, evidence.geometry.block_threads
    if blocks is None or threads is None or evidence.device is None:
        return None
    slots = evidence.device.usable_sms * evidence.device.max_threads_per_sm
    return min(1.0, blocks * threads / slots)


def leaves_threads_unfilled(evidence: SignatureEvidence, below: float) -> bool:
    """Whether a grid that reaches every second SM has too few threads to fill the slots.

    Smaller grids are another rule's; persistent grids, and grids that fill the resident-block
    slots (there the registers or shared memory of the block are what empties the SM), nobody's.
    """
    geometry, bound = evidence.geometry, thread_bound(evidence)
    if bound is None or geometry.sm_fill is None or geometry.sm_fill < below:
        return False
    slots_unfilled = geometry.slot_fill is None or geometry.slot_fill < below
    return bound < below and slots_unfilled and not is_persistent(evidence)


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

    Without samples the relative MAD, else standard deviation / median (never less than the MAD
    of a symmetric sample), is given the 95 % interval of a normal sample's deviation.
    """
    if timing.relative_mad is not None:
        value, measure = timing.relative_mad, f"spread {percent(timing.relative_mad)}"
    elif timing.std_ns is not None and timing.median_ns > 0:
        value = timing.std_ns / timing.median_ns
        measure = f"standard deviation {duration(timing.std_ns)}, {percent(value)} of the median,"
    else:
        return Spread(name="undecided", sentence="no call site was timed twice")
    where = "call sites that are not told apart"
    if timing.sites is not None:
        where = "1 site" if timing.sites == 1 else f"{timing.sites} sites"
    sentence = f"{measure} over {timing.launches} launches at {where}"
    return Spread(name=timing.spread or _estimated(value, timing, thresholds), sentence=sentence)


def _estimated(value: float, timing: Timing, thresholds: Thresholds) -> SpreadClass:
    freedom = timing.launches - (timing.sites or 1)
    if timing.launches < SPREAD_LAUNCHES or freedom < 1:
        return "undecided"
    margin = 1.96 / math.sqrt(2 * freedom)
    ticks = TIGHT_TICKS * thresholds.timer_tick_ns / max(timing.median_ns, 1.0)
    tight = max(thresholds.tight_spread, ticks)
    if value * (1 + margin) <= tight:
        return "tight"
    return "wide" if value * (1 - margin) >= max(thresholds.wide_spread, tight) else "undecided"
