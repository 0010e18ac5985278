"""Whether two sets of durations spread differently, each within its own call sites."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geoaudit.diagnosis.site_stacks import Durations, filled_sites, repeated_deviations, stacked
from geoaudit.diagnosis.spread import free_deviations


@dataclass(frozen=True, kw_only=True)
class SpreadComparison:
    """Two spreads compared.

    Attributes:
        deviation_ratio: mean relative deviation of the second by that of the first; None: the
            first has none.
        p_value: how often spreads that are equal differ as much; None: fewer than two launches
            beyond each site's first, or no deviation in either.
    """

    deviation_ratio: float | None
    p_value: float | None


def compare_spreads(
    first_ns: Sequence[NDArray[np.number]], second_ns: Sequence[NDArray[np.number]]
) -> SpreadComparison:
    """The Brown-Forsythe test over call sites.

    Levene's test about medians (Brown and Forsythe 1974): an analysis of variance of the absolute
    deviations from the median of each launch's own site, relative to it, so that sites of
    different speed are no spread. The smallest deviation of each site is left out: it is 0 by
    construction where the launches are odd in number (Hines and Hines 2000).

    Args:
        first_ns: one array of durations (ns) per call site.
        second_ns: the same of what it is compared with.

    Raises:
        NotMeasuredError: either has no duration at all.
    """
    from scipy.stats import f_oneway

    first, second = (_deviations(sites) for sites in (first_ns, second_ns))
    ratio = float(second.mean() / first.mean()) if second.size and first.any() else None
    varies = min(first.size, second.size) > 1 and (np.ptp(first) > 0 or np.ptp(second) > 0)
    p_value = float(f_oneway(first, second).pvalue) if varies else None
    return SpreadComparison(deviation_ratio=ratio, p_value=p_value)


def _deviations(durations_ns: Sequence[NDArray[np.number]]) -> Durations:
    repeated = repeated_deviations(stacked(filled_sites(durations_ns)))
    return free_deviations(repeated)
