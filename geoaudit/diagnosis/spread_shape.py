"""What one number for a spread hides: its middle half, its far end, two groups, a trend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from geoaudit.diagnosis.bimodality import mode_distances
from geoaudit.diagnosis.drift import SIGNIFICANT, relative_drifts, trend_scores
from geoaudit.diagnosis.site_stacks import Durations, Stack, median_or_none
from geoaudit.diagnosis.thresholds import SPREAD_LAUNCHES, TIGHT_TICKS

SITE_REPETITIONS = SPREAD_LAUNCHES
"""Launches of one site from which its quartiles, groups and trend are told."""

PERCENTILE_LAUNCHES = 100
"""Fewer launches have no last percent."""

OUTLIER_FENCES = 3.0
"""An outlier lies beyond the upper quartile by so many interquartile ranges (Tukey's far out: one
launch in 100 of an exponential tail, none in 10,000 of a normal one)."""


@dataclass(frozen=True, kw_only=True)
class SpreadShape:
    """The shape of the durations at the sites with ten launches or more; None: no such site.

    Attributes:
        relative_iqr: median over the sites of (upper - lower quartile) / median.
        p99_to_median: 99th percentile of the launches' durations over their own site's median;
            None below a hundred launches at these sites.
        bimodal_fraction: share of the sites whose durations fall into two groups.
        mode_distance: how far those groups lie apart, relative to the site's median, a median
            over these sites; None: no bimodal site.
        drift_fraction: share of the sites whose durations rise or fall over the recording.
        drift: last third against first third, signed, relative, a median over all the sites.
        outliers: launches far slower than their site's others; they stay in all figures.
        outlier_excess_ns: what they took beyond their site's median, a median; None: no outlier.
        outlier_max_excess_ns: the most that one took.
    """

    relative_iqr: float | None = None
    p99_to_median: float | None = None
    bimodal_fraction: float | None = None
    mode_distance: float | None = None
    drift_fraction: float | None = None
    drift: float | None = None
    outliers: int | None = None
    outlier_excess_ns: float | None = None
    outlier_max_excess_ns: float | None = None


def spread_shape(stacks: Sequence[Stack], tick_ns: float) -> SpreadShape:
    """The shape of a signature's durations, computed per call site.

    Args:
        stacks: durations in ns in order of launch; a row is a call site.
        tick_ns: granularity of the timer.
    """
    long = [stack for stack in stacks if stack.shape[1] >= SITE_REPETITIONS]
    timed = [stack[np.median(stack, axis=1) > 0] for stack in long]
    figures = [_of_stack(stack, tick_ns) for stack in timed if len(stack)]
    if not figures:
        return SpreadShape()
    joined = _Figures(*(np.concatenate(parts) for parts in zip(*figures, strict=True)))
    excesses = joined.outlier_excesses_ns
    many = joined.ratios.size >= PERCENTILE_LAUNCHES
    return SpreadShape(
        relative_iqr=median_or_none(joined.relative_iqrs),
        p99_to_median=float(np.quantile(joined.ratios, 0.99)) if many else None,
        bimodal_fraction=float(np.mean(joined.mode_distances > 0)),
        mode_distance=median_or_none(joined.mode_distances[joined.mode_distances > 0]),
        drift_fraction=float(np.mean(np.abs(joined.trend_scores) > SIGNIFICANT)),
        drift=median_or_none(joined.drifts),
        outliers=excesses.size,
        outlier_excess_ns=median_or_none(excesses),
        outlier_max_excess_ns=float(excesses.max()) if excesses.size else None,
    )


class _Figures(NamedTuple):
    """One value a site, but ``ratios`` (a launch) and ``outlier_excesses_ns`` (an outlier)."""

    relative_iqrs: Durations
    ratios: Durations
    mode_distances: Durations
    trend_scores: Durations
    drifts: Durations
    outlier_excesses_ns: Durations


def _of_stack(stack: Stack, tick_ns: float) -> _Figures:
    ordered = np.sort(stack, axis=1)
    lower, medians, upper = (_quantile(ordered, share) for share in (0.25, 0.5, 0.75))
    ranges = upper - lower
    fences = upper + OUTLIER_FENCES * np.maximum(ranges, TIGHT_TICKS * tick_ns)
    excesses = (stack - medians[:, None])[stack > fences[:, None]]
    return _Figures(
        relative_iqrs=ranges / medians,
        ratios=(stack / medians[:, None]).ravel(),
        # An outlier would stretch the range in which groups are looked for.
        mode_distances=mode_distances(np.minimum(ordered, fences[:, None]), tick_ns),
        trend_scores=trend_scores(stack),
        drifts=relative_drifts(stack),
        outlier_excesses_ns=excesses,
    )


def _quantile(ordered: Stack, share: float) -> Durations:
    """Quantile of each ascending row, between order statistics as `numpy.quantile` has it."""
    place = share * (ordered.shape[1] - 1)
    below = int(place)
    above = min(below + 1, ordered.shape[1] - 1)
    quantile: Durations = ordered[:, below] + (place - below) * (
        ordered[:, above] - ordered[:, below]
    )
    return quantile
