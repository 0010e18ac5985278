"""Whether the durations of all kernels moved together from token to token, as clocks move them.

The factor of a token is a median over kernels of a median over call sites of duration / the site's
own median. A clock that falls slows every kernel of a token; contention and work that differs slow
some. What slows every kernel alike is not told from a clock: a co-tenant that takes the same share
of the device for whole tokens moves the factor too.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.diagnosis.evidence import Timing
from geoaudit.diagnosis.site_stacks import stacked
from geoaudit.diagnosis.spread import relative_mad, telling_deviations
from geoaudit.launches import schema as s
from geoaudit.launches.signatures import group_ids

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

COMMON_KERNELS = 5
"""Fewer launch signatures in a token do not make a common factor: it would be one kernel's own."""


def common_factors(kernels: pd.DataFrame, signature: Integers) -> Reals:
    """The factor of the token of every launch; NaN without a token or with too few kernels.

    Args:
        kernels: kernel launches, with token and position.
        signature: number of each launch's signature.
    """
    has_token = kernels[s.TOKEN].notna().to_numpy()
    if not has_token.any():
        return np.full(len(kernels), np.nan)
    step_class = group_ids(kernels, (s.DEVICE, s.STEP_CLASS))
    token = _numbered(step_class, kernels[s.TOKEN])
    duration_ns = kernels[s.DURATION_NS].to_numpy(dtype=np.float64, na_value=np.nan)
    used = has_token & kernels[s.POSITION].notna().to_numpy() & (duration_ns > 0)
    signatures = int(signature.max()) + 1
    site = (_numbered(step_class, kernels[s.POSITION]) * signatures + signature)[used]
    ratios = pd.Series(duration_ns[used])
    ratios /= ratios.groupby(site, sort=False).transform("median")
    of_kernel = ratios.groupby((token * signatures + signature)[used], sort=False).median()
    by_token = of_kernel.groupby(of_kernel.index.to_numpy() // signatures)
    found = by_token.median()[by_token.size() >= COMMON_KERNELS]
    return np.where(has_token, found.reindex(token).to_numpy(), np.nan)


def _numbered(group: Integers, number: pd.Series) -> Integers:
    """One number for a group and a number within it, which may be null."""
    within = number.to_numpy(dtype=np.int64, na_value=-1) + 1
    numbered: Integers = group * (within.max() + 1) + within
    return numbered


def with_common_factor(timing: Timing, factors: Reals, sites_ns: Sequence[Reals]) -> Timing:
    """The timing with the range of its tokens' factors, and its spread without them.

    Args:
        timing: of some launches.
        factors: of the same launches; where one is unknown the timing stays as it is.
        sites_ns: durations over factors, one array per call site.
    """
    if np.isnan(factors).any():
        return timing
    return replace(
        timing,
        common_factor_range=float(factors.max() / factors.min() - 1.0),
        relative_mad_without_common_factor=relative_mad(telling_deviations(stacked(sites_ns))),
    )
