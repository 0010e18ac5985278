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

CONFIDENCE_LEVEL = 0.95
RESAMPLES = 299
RESAMPLED_SITES = 32
RESAMPLED_LAUNCHES = 2048
SEED = 20260807

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

    Tight: the upper bound of the relative MAD (95 %) is at most the tight bound, or within two
    timer ticks. Wide: the lower bound is at least the wide bound. Undecided: neither, or fewer
    than ten launches. The bound is the order-statistic interval, which needs no distribution;
    where it leaves a verdict open that the estimate allows, a bootstrap over a fixed subset with
    a fixed seed decides, so that equal input gives equal output. At the launch floor, where no
    verdict rests on the spread, it is not run.

    Args:
        durations_ns: one array of durations (ns) per call site.
        thresholds: the bounds and the timer's tick.

    Raises:
        NotMeasuredError: there is no duration at all.
    """
    sites = _sites(durations_ns)
    stacks = [stack for stack in _stacks(sites) if stack.shape[1] > 1]
    estimates = _relative_mads(stacks)
    if not estimates.size or sum(stack.size for stack in stacks) < SPREAD_LAUNCHES:
        return "undecided"
    typical_ns = float(np.median(np.concatenate(sites)))
    tight, wide = spread_bounds(typical_ns, thresholds)
    estimate = float(np.median(estimates))
    if tight < estimate < wide:
        return "undecided"
    low, high = _order_statistic_interval(stacks)
    settled = high <= tight or low >= wide
    if not settled and typical_ns > thresholds.launch_floor_ns:
        low, high = _bootstrap_interval(sites)
    return classify_interval(low, high, tight=tight, wide=wide)


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


def _deviations(stack: Stack) -> tuple[Stack, Stack]:
    """Relative deviation of each launch from its site's median; sites of median 0 left out."""
    medians = np.median(stack, axis=1, keepdims=True)
    timed = medians[:, 0] > 0
    return np.abs(stack[timed] - medians[timed]) / medians[timed], medians[timed]


def _relative_mads(stacks: Iterable[Stack]) -> Durations:
    mads = [np.median(_deviations(stack)[0], axis=1) for stack in stacks if stack.shape[1] > 1]
    return np.concatenate(mads) if mads else np.empty(0)


def _median_or_none(values: Durations) -> float | None:
    return float(np.median(values)) if values.size else None


def _pooled_std(stacks: Iterable[Stack]) -> float | None:
    squares, freedom = 0.0, 0
    for stack in stacks:
        squares += float(np.sum((stack - stack.mean(axis=1, keepdims=True)) ** 2))
        freedom += stack.shape[0] * (stack.shape[1] - 1)
    return math.sqrt(squares / freedom) if freedom else None


def _order_statistic_interval(stacks: Iterable[Stack]) -> tuple[float, float]:
    """Sign-test interval of each site's MAD about its median, then the median over the sites."""
    lows, highs = [], []
    for stack in stacks:
        deviations = np.sort(_deviations(stack)[0], axis=1)
        count = deviations.shape[1]
        # 0.98 sqrt(n): half-width of the 95 % binomial interval of the median's rank.
        below = max(0, math.floor(count / 2 - 0.98 * math.sqrt(count)))
        lows.append(deviations[:, below])
        highs.append(deviations[:, count - 1 - below])
    return float(np.median(np.concatenate(lows))), float(np.median(np.concatenate(highs)))


def _bootstrap_interval(sites: Sequence[Durations]) -> tuple[float, float]:
    """Percentile interval of the row's relative MAD, launches resampled within their site.

    Written out because importing scipy.stats takes longer than a whole audit; the tests hold it
    against scipy.stats.bootstrap.
    """
    generator = np.random.default_rng(SEED)
    chosen = _evenly([site for site in sites if site.size > 1], RESAMPLED_SITES)
    launches = max(2, RESAMPLED_LAUNCHES // len(chosen))
    mads = []
    for site in chosen:
        sample = site[_even_indices(site.size, launches)]
        drawn = sample[generator.integers(0, sample.size, (RESAMPLES, sample.size))]
        medians = np.median(drawn, axis=1, keepdims=True)
        deviations = np.median(np.abs(drawn - medians), axis=1)
        mads.append(deviations / np.maximum(medians[:, 0], 1.0))
    tail = (1 - CONFIDENCE_LEVEL) / 2
    low, high = np.quantile(np.median(np.stack(mads), axis=0), [tail, 1 - tail])
    return float(low), float(high)


def _even_indices(count: int, wanted: int) -> NDArray[np.intp]:
    return np.linspace(0, count - 1, min(count, wanted)).round().astype(np.intp)


def _evenly(sites: Sequence[Durations], wanted: int) -> list[Durations]:
    return [sites[index] for index in _even_indices(len(sites), wanted)]
