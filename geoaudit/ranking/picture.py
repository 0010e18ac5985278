"""The launches of one typical token, for the picture of it."""

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.ranking.audit import TimelineLaunch

PICTURED_LAUNCHES = 3000


def typical_token(launches: pd.DataFrame) -> pd.DataFrame:
    """Kernel launches of the token whose time is the median; of the trace's start without tokens.

    Args:
        launches: timed kernel launches of one device with their index kept, in order of start.

    Returns:
        At most 3,000 of them.
    """
    tokens = launches[s.TOKEN].dropna()
    if not tokens.empty:
        starts = launches.groupby(s.TOKEN)[s.START_NS]
        length = (starts.max() - starts.min()).sort_values(kind="stable")
        launches = launches[launches[s.TOKEN] == length.index[(len(length) - 1) // 2]]
    return launches.head(PICTURED_LAUNCHES)


def picture(
    launches: pd.DataFrame,
    sm_fill: npt.NDArray[np.float64],
    row_ranks: npt.NDArray[np.int64],
) -> tuple[TimelineLaunch, ...]:
    """The launches as bars: width = time, height = SM fill.

    Args:
        launches: from `typical_token`.
        sm_fill: per launch, NaN where unknown.
        row_ranks: rank of the row each belongs to, 0 for none.
    """
    if launches.empty:
        return ()
    starts = launches[s.START_NS].to_numpy(dtype=np.int64)
    durations = launches[s.DURATION_NS].to_numpy(dtype=np.int64)
    return tuple(
        TimelineLaunch(
            kernel_short=str(name),
            start_ns=int(start - starts[0]),
            duration_ns=int(duration),
            sm_fill=None if np.isnan(fill) else float(fill),
            row_rank=int(row) or None,
        )
        for name, start, duration, fill, row in zip(
            launches[s.KERNEL_SHORT], starts, durations, sm_fill, row_ranks, strict=True
        )
    )
