"""How the durations of one launch signature spread, per call site and never pooled over sites."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from geoaudit.diagnosis.evidence import SpreadClass, Timing
from geoaudit.diagnosis.thresholds import (
    DEFAULT_THRESHOLDS,
    SPREAD_LAUNCHES,
    TIGHT_TICKS,
    Thresholds,
)
from geoaudit.errors import NotMeasuredError

SMALL_SAMPLE_FACTORS = {2: 1.414, 3: 0.978, 4: 1.062}
"""What the deviations from the median of so few launches are multiplied by, so that their median
is the MAD of a normal sample (by simulation; from five launches on within 2 % of one)."""

WHOLE_MICROSECOND_NS = 1_000
"""Sources that round their timestamps round them to this."""

Durations = NDArray[np.float64]
Stack = NDArray[np.float64]


def timing_of_sites(
    durations_ns: Sequence[NDArray[np.number]],
    *,
    overlapped_fraction: float | None = None,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> Timing:
    """Sum up the durations of one signature.

    Args:
        durations_ns: one array of durations (ns) per call site; empty ones are left out.
        overlapped_fraction: share of that time under other kernels of the device, 0 to 1.
        thresholds: bounds of a tight and a wide spread, and the timer's tick.

    Returns:
        Timing: the median over the sites of each site's relative MAD, the standard deviation
        within sites pooled by degrees of freedom, and how far the sites' medians lie apart.

    Raises:
        NotMeasuredError: there is no duration at all.
    """
    sites = _sites(durations_ns)
    everything = np.concatenate(sites)
    stacks = _stacks(sites)
    medians = np.concatenate([np.median(stack, axis=1) for stack in stacks])
    relative_mads = _relative_mads(stacks)
    return Timing(
        launches=int(everything.size),
        median_ns=float(np.median(everything)),
        mean_ns=float(np.mean(everything)),
        std_ns=_pooled_std(stacks),
        relative_mad=_median_or_none(relative_mads),
        site_spread=_median_or_none(_relative_mads([medians[None, :]])),
        sites=len(sites),
        repetitions=min(site.size for site in sites),
        overlapped_fraction=overlapped_fraction,
        spread=classify_spread(sites, thresholds=thresholds),
    )


def classify_spread(
    durations_ns: Sequence[NDArray[np.number]], *, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> SpreadClass:
    """Whether the durations of a call site repeat.

    Tight: the upper bound of the relative MAD is at most the tight bound, or within two timer
    ticks. Wide: the lower bound is at least the wide bound. Undecided: neither, or too few
    launches for bounds, see `spread_interval`. Timestamps in whole microseconds widen the
    interval by one of them: what they round away was not measured.

    Args:
        durations_ns: one array of durations (ns) per call site.
        thresholds: the bounds and the timer's tick.

    Raises:
        NotMeasuredError: there is no duration at all.
    """
    sites = _sites(durations_ns)
    everything = np.concatenate(sites)
    interval = spread_interval(sites)
    typical_ns = float(np.median(everything))
    if interval is None or typical_ns <= 0:
        return "undecided"
    tight, wide = spread_bounds(typical_ns, thresholds)
    unseen = WHOLE_MICROSECOND_NS / typical_ns if is_whole_microseconds(everything) else 0.0
    low, high = interval
    return classify_interval(low - unseen, high + unseen, tight=tight, wide=wide)


def spread_interval(durations_ns: Sequence[NDArray[np.number]]) -> tuple[float, float] | None:
    """Bounds of the relative MAD within call sites: each is wrong in at most 2.5 % of samples.

    The deviations of all launches from the median of their own site, relative to it and corrected
    for how few launches that median is of, make one sample; its order statistics bound its median
    without assuming a distribution. One deviation of each site, the smallest, is spent on the
    site's median and left out: a site of two launches tells one deviation and not two equal ones.

    Args:
        durations_ns: one array of durations (ns) per call site.

    Returns:
        Low and high bound, or None: fewer than ten launches at sites launched more than once, or
        too few deviations for any order statistic to be a bound (five sites of two launches).
    """
    stacks = [stack for stack in _stacks(_sites(durations_ns)) if stack.shape[1] > 1]
    if sum(stack.size for stack in stacks) < SPREAD_LAUNCHES:
        return None
    free = [_free_deviations(stack) for stack in stacks]
    deviations = np.sort(np.concatenate(free))
    below = rank_below_median(deviations.size)
    if below is None:
        return None
    return float(deviations[below]), float(deviations[deviations.size - 1 - below])


def rank_below_median(count: int) -> int | None:
    """Rank from 0 of the order statistic that bounds the median of a sample from below.

    It lies above the median in at most 2.5 % of samples (sign test; the normal approximation of
    the binomial with continuity correction). By symmetry ``count - 1 - rank`` bounds it from above.

    Example:
        >>> rank_below_median(5), rank_below_median(6), rank_below_median(11)
        (None, 0, 1)
    """
    rank = math.floor((count - 1) / 2 - 0.98 * math.sqrt(count))
    return rank if rank >= 0 else None


def is_whole_microseconds(durations_ns: NDArray[np.number]) -> bool:
    """Whether every duration is a whole number of microseconds: the source rounds to them.

    A timer of 32 ns ticks gives one such duration in 125, so that ten are no accident.
    """
    return bool(np.all(durations_ns % WHOLE_MICROSECOND_NS == 0))


def spread_bounds(typical_ns: float, thresholds: Thresholds) -> tuple[float, float]:
    """Bounds of a tight and a wide relative MAD at this duration, the timer's tick included."""
    ticks_ns = TIGHT_TICKS * thresholds.timer_tick_ns
    tight = max(thresholds.tight_spread, ticks_ns / typical_ns if typical_ns > 0 else math.inf)
    return tight, max(thresholds.wide_spread, tight)


def classify_interval(low: float, high: float, *, tight: float, wide: float) -> SpreadClass:
    """Class of a relative MAD known to lie between ``low`` and ``high``."""
    if high <= tight:
        return "tight"
    return "wide" if low >= wide else "undecided"


def _sites(durations_ns: Iterable[NDArray[np.number]]) -> list[Durations]:
    sites = [np.asarray(site, dtype=np.float64) for site in durations_ns]
    filled = [site for site in sites if site.size]
    if not filled:
        raise NotMeasuredError(
            "a launch signature has no duration at all: its launches are untimed. Record it "
            "again with an instrument that times kernels."
        )
    return filled


def _stacks(sites: Sequence[Durations]) -> list[Stack]:
    """Sites of equal length as the rows of one array, so that numpy loops and not Python."""
    by_length: dict[int, list[Durations]] = {}
    for site in sites:
        by_length.setdefault(site.size, []).append(site)
    return [np.stack(group) for group in by_length.values()]


def _deviations(stack: Stack) -> Stack:
    """Relative deviation of each launch from its site's median; sites of median 0 left out."""
    medians = np.median(stack, axis=1, keepdims=True)
    timed = medians[:, 0] > 0
    deviations: Stack = np.abs(stack[timed] - medians[timed]) / medians[timed]
    return deviations


def _relative_mads(stacks: Iterable[Stack]) -> Durations:
    mads = [np.median(_deviations(stack), axis=1) for stack in stacks if stack.shape[1] > 1]
    return np.concatenate(mads) if mads else np.empty(0)


def _median_or_none(values: Durations) -> float | None:
    return float(np.median(values)) if values.size else None


def _pooled_std(stacks: Iterable[Stack]) -> float | None:
    squares, freedom = 0.0, 0
    for stack in stacks:
        squares += float(np.sum((stack - stack.mean(axis=1, keepdims=True)) ** 2))
        freedom += stack.shape[0] * (stack.shape[1] - 1)
    return math.sqrt(squares / freedom) if freedom else None


def _free_deviations(stack: Stack) -> Durations:
    """Relative deviations of all launches but one per site, corrected for small samples."""
    factor = SMALL_SAMPLE_FACTORS.get(stack.shape[1], 1.0)
    free: Durations = factor * np.sort(_deviations(stack), axis=1)[:, 1:].ravel()
    return free
