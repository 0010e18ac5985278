"""The launches of one typical token, for the picture of it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geoaudit.launches import schema as s
from geoaudit.ranking.annotation import AnnotatedKernels
from geoaudit.ranking.audit import TimelineLaunch
from geoaudit.ranking.selection import Selection

PICTURED_LAUNCHES = 3000
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Pictured:
    """What is pictured.

    Attributes:
        places: its kernels, in order of start; at most 3,000.
        token: number of the token, or None for the start of the trace.
        wall_ns: its wall time, the pause after it included; None: unknown.
    """

    places: Integers
    token: int | None
    wall_ns: float | None


def typical_token(kernels: AnnotatedKernels, selection: Selection, device: int) -> Pictured:
    """The token of median wall time on a device, or the start of the trace without tokens.

    Args:
        kernels: the audited kernels.
        selection: what was audited.
        device: index of the device.
    """
    launches = kernels.launches
    timed = (
        launches[s.START_NS].notna()
        & launches[s.DURATION_NS].notna()
        & (launches[s.DEVICE] == device)
    ).to_numpy()
    intervals = selection.intervals[selection.intervals[s.DEVICE] == device]
    if selection.step_class is None or intervals.empty:
        return Pictured(places=np.flatnonzero(timed)[:PICTURED_LAUNCHES], token=None, wall_ns=None)
    walls = (intervals["end_ns"] - intervals["begin_ns"]).sort_values(kind="stable")
    middle = walls.index[(len(walls) - 1) // 2]
    begin = intervals["begin_ns"][middle]
    token = launches[s.TOKEN][timed & (launches[s.START_NS] == begin).to_numpy()].iloc[0]
    chosen = timed & (launches[s.TOKEN] == token).to_numpy()
    return Pictured(
        places=np.flatnonzero(chosen)[:PICTURED_LAUNCHES],
        token=int(token),
        wall_ns=float(walls[middle]),
    )


def picture(
    kernels: AnnotatedKernels, pictured: Pictured, ranks: Integers
) -> tuple[TimelineLaunch, ...]:
    """The launches as bars: width = time, height = SM fill.

    Args:
        kernels: the audited kernels.
        pictured: from `typical_token`.
        ranks: per kernel, rank of the row it belongs to, 0 for none.
    """
    launches = kernels.launches.iloc[pictured.places]
    starts = launches[s.START_NS].to_numpy(dtype=np.int64)
    durations = launches[s.DURATION_NS].to_numpy(dtype=np.int64)
    fills = kernels.sm_fill[pictured.places]
    return tuple(
        TimelineLaunch(
            kernel_short=str(name),
            start_ns=int(start - starts[0]),
            duration_ns=int(duration),
            sm_fill=None if np.isnan(fill) else float(fill),
            row_rank=int(row) or None,
        )
        for name, start, duration, fill, row in zip(
            launches[s.KERNEL_SHORT], starts, durations, fills, ranks[pictured.places], strict=True
        )
    )
