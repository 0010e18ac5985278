"""Whether the durations of a call site fall into two groups."""

import numpy as np
from numpy.typing import NDArray

from geoaudit.diagnosis.site_stacks import Durations, Stack
from geoaudit.diagnosis.thresholds import TIGHT_TICKS

CRITICAL_EXCESS_MASS = 1.1
"""What the square root of the launches times the excess mass of a second group stays below in 99 %
of uniform samples, the hardest ones to tell, of 10 to 400 launches (by simulation: 1.00 to 1.10).
The dip statistic is half the excess mass."""

ORDER_STATISTICS = 100
"""A longer site is thinned to so many of its order statistics: a group of 11 % still shows."""

DENSITIES = np.geomspace(0.25, 8.0, 16)
"""Densities asked for, in units of a uniform sample's over the same range."""


def mode_distances(ordered_ns: Stack, tick_ns: float) -> Durations:
    """How far the two groups of each site lie apart, relative to its median; 0: one group.

    The excess mass test (Müller and Sawitzki 1991), equal to Hartigan's dip test: how much more
    of the launches two intervals hold than one, each interval charged its length times a density,
    at the density where that is most. A skewed sample or one with a long tail has no second
    interval worth its length. Equal durations are first spread evenly over one timer tick, so
    that the tick makes no groups, and groups up to two ticks apart are the timer's.

    A dozen launches show groups of about equal size only; a slow launch in ten is an outlier.

    Args:
        ordered_ns: durations, ascending in each row; a row is a site.
        tick_ns: granularity of the timer.
    """
    ordered = _thinned(ordered_ns)
    distances = np.zeros(len(ordered))
    ranges = ordered[:, -1] - ordered[:, 0]
    asked = np.flatnonzero((ranges > TIGHT_TICKS * tick_ns) & (ordered[:, 0] > 0))
    if not asked.size:
        return distances
    chosen = ordered[asked]
    gain, split = _second_group(_spread_ties(chosen, tick_ns))
    apart = _median_beyond(chosen, split) - _median_until(chosen, split)
    is_bimodal = (gain * np.sqrt(chosen.shape[1]) > CRITICAL_EXCESS_MASS) & (
        apart > TIGHT_TICKS * tick_ns
    )
    distances[asked] = np.where(is_bimodal, apart / np.median(chosen, axis=1), 0.0)
    return distances


def _thinned(ordered: Stack) -> Stack:
    if ordered.shape[1] <= ORDER_STATISTICS:
        return ordered
    places = (np.arange(ORDER_STATISTICS) + 0.5) * ordered.shape[1] / ORDER_STATISTICS
    thinned: Stack = ordered[:, places.astype(np.int64)]
    return thinned


def _spread_ties(ordered: Stack, tick_ns: float) -> Stack:
    """Equal values of a row at even distances within half a tick of their value."""
    places = np.arange(ordered.shape[1])
    differs = np.diff(ordered, axis=1) > 0
    edge = np.ones((len(ordered), 1), dtype=bool)
    begins = np.where(np.concatenate([edge, differs], axis=1), places, 0)
    ends = np.where(np.concatenate([differs, edge], axis=1), places, places[-1])
    first = np.maximum.accumulate(begins, axis=1)
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    spread: Stack = ordered + tick_ns * ((places - first + 0.5) / (last - first + 1) - 0.5)
    return spread


def _second_group(ordered: Stack) -> tuple[Durations, NDArray[np.intp]]:
    """Excess mass that a second interval adds to each row, and the last place of the first."""
    sites, launches = ordered.shape
    lowest = ordered[:, :1]
    lengths = ((ordered - lowest) / (ordered[:, -1:] - lowest))[:, None, :] * DENSITIES[:, None]
    shares = np.arange(launches + 1) / launches
    until, before = shares[1:] - lengths, shares[:-1] - lengths
    # The best interval that ends at or before each place, and that begins at or behind it.
    left = np.maximum.accumulate(until - np.minimum.accumulate(before, axis=2), axis=2)
    reach = np.maximum.accumulate(until[:, :, ::-1], axis=2) - before[:, :, ::-1]
    right = np.maximum.accumulate(reach, axis=2)[:, :, ::-1]
    gains = (left[:, :, :-1] + right[:, :, 1:] - left[:, :, -1:]).reshape(sites, -1)
    best = gains.argmax(axis=1)
    return gains[np.arange(sites), best], best % (launches - 1)


def _median_until(ordered: Stack, last: NDArray[np.intp]) -> Durations:
    medians: Durations = ordered[np.arange(len(ordered)), last // 2]
    return medians


def _median_beyond(ordered: Stack, last: NDArray[np.intp]) -> Durations:
    medians: Durations = ordered[np.arange(len(ordered)), (last + ordered.shape[1]) // 2]
    return medians
