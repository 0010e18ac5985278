"""Whether the durations of a call site rise or fall over the recording."""

import numpy as np
from numpy.typing import NDArray

from geoaudit.diagnosis.site_stacks import Durations, Stack

DRIFT_BLOCKS = 24
"""A longer site is joined into so many runs of launches, each its median: pairs stay few."""

SIGNIFICANT = 2.576
"""Two-sided 1 % of the standard normal."""


def trend_scores(stack_ns: Stack) -> Durations:
    """Mann-Kendall score of each site: standard normal where durations have no order.

    S = pairs that rise - pairs that fall; the score is S, one step nearer to 0, by its standard
    deviation, ties taken out of it (Kendall 1975). Positive: later launches are slower. Beyond
    ``SIGNIFICANT`` the order of the launches is no accident. A site whose launches depend on one
    another, as under a co-tenant's bursts, scores more often than that.

    Args:
        stack_ns: durations in order of launch, a row a site, ten launches or more.

    Example:
        >>> trend_scores(np.arange(10.0)[None, :]).round(2).tolist()
        [3.94]
    """
    blocks = _blocks(stack_ns)
    count = blocks.shape[1]
    order = np.sign(blocks[:, None, :] - blocks[:, :, None])
    rising = np.triu(order).sum(axis=(1, 2))
    ties = (order == 0).sum(axis=2)
    tied = ((ties - 1) * (2 * ties + 5)).sum(axis=1)
    variance = (count * (count - 1) * (2 * count + 5) - tied) / 18
    nearer = np.sign(rising) * np.maximum(np.abs(rising) - 1, 0)
    scores: Durations = nearer / np.sqrt(np.maximum(variance, 1))
    return scores


def relative_drifts(stack_ns: Stack) -> Durations:
    """Median of the last third less that of the first, relative to the median, signed; per site.

    Sites of median 0 have none and are left out.
    """
    third = stack_ns.shape[1] // 3
    medians = np.median(stack_ns, axis=1)
    first = np.median(stack_ns[:, :third], axis=1)
    last = np.median(stack_ns[:, -third:], axis=1)
    timed: NDArray[np.bool_] = medians > 0
    drifts: Durations = (last - first)[timed] / medians[timed]
    return drifts


def _blocks(stack: Stack) -> Stack:
    sites, launches = stack.shape
    if launches <= DRIFT_BLOCKS:
        return stack
    length = launches // DRIFT_BLOCKS
    whole = stack[:, launches - DRIFT_BLOCKS * length :]
    medians: Stack = np.median(whole.reshape(sites, DRIFT_BLOCKS, length), axis=2)
    return medians
