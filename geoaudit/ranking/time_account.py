"""Where time goes on one device: what ran when, what was alone, what ran over what.

Everything is an integral over the device's timeline. The timeline is cut wherever a launch starts
or ends; within a piece nothing changes, so that an integral up to any moment is piecewise linear.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.launches import schema as s

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class TimeSplit:
    """Integrals over a set of intervals, each a mean per interval, in ns.

    Attributes:
        wall: length of the intervals.
        kernel: time at least one kernel runs.
        copy: time copies or sets run and no kernel does.
        gap: time nothing runs.
        wasted: integral of 1 - min(1, sum of sm_fill) over kernel time.
        without_communication: time at least one kernel runs that is no collective.
        wasted_without_communication: the waste as if there were no collectives.
    """

    wall: float
    kernel: float
    copy: float
    gap: float
    wasted: float
    without_communication: float
    wasted_without_communication: float

    def divided_by(self, tokens: int) -> "TimeSplit":
        """The account of one token, where the interval holds several."""
        return TimeSplit(**{name: value / tokens for name, value in vars(self).items()})


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """One device's timeline, cut where anything changes.

    Attributes:
        cuts: moments in ns, ascending.
        kernel, copy, wasted, without_communication, wasted_without_communication, overlapped:
            integral of each from the first cut to every cut, in ns.
    """

    cuts: Integers
    kernel: Reals
    copy: Reals
    wasted: Reals
    without_communication: Reals
    wasted_without_communication: Reals
    overlapped: Reals


def attributed_durations(launches: pd.DataFrame) -> Reals:
    """Time of every launch, overlap on one stream counted once and given to the earlier launch.

    A launch under programmatic dependent launch starts before its predecessor ends; its own
    duration stays what it is, but a sum over launches must not count that time twice.

    Args:
        launches: a launches table in order of start on each device.

    Returns:
        ns per row; the plain duration where the launch has no start, NaN where it is untimed.
    """
    attributed: Reals = launches[s.DURATION_NS].to_numpy(dtype=np.float64, na_value=np.nan)
    # Untimed launches are no part of a timeline, and subtracting from an integer stays exact.
    timed = launches[launches[s.START_NS].notna() & launches[s.DURATION_NS].notna()]
    rows = np.flatnonzero(launches.index.isin(timed.index))
    begins, ends = _attributed_spans(timed)
    attributed[rows] = ends - begins
    return attributed


def _attributed_spans(timed: pd.DataFrame) -> tuple[Integers, Integers]:
    """Begin and end of what each launch is given of its stream's time; both may be its end."""
    starts = timed[s.START_NS].to_numpy(dtype=np.int64)
    ends = starts + timed[s.DURATION_NS].to_numpy(dtype=np.int64)
    begins = starts.copy()
    streams = timed.groupby(
        [s.DEVICE, s.PROCESS, s.CONTEXT, s.STREAM], dropna=False, sort=False
    ).indices
    for places in streams.values():
        reached = np.maximum.accumulate(ends[places])
        begins[places[1:]] = np.maximum(starts[places[1:]], reached[:-1])
    return np.minimum(begins, ends), ends


def build_timeline(launches: pd.DataFrame, sm_fill: Reals, communication: Flags) -> Timeline:
    """The timeline of one device's timed launches.

    Args:
        launches: timed launches of one device.
        sm_fill: SM fill per launch, NaN where unknown; an unknown fill counts as full, since a
            waste that cannot be shown is not claimed.
        communication: whether a launch is a collective.
    """
    starts = launches[s.START_NS].to_numpy(dtype=np.int64)
    ends = starts + launches[s.DURATION_NS].to_numpy(dtype=np.int64)
    kernel = (launches[s.KIND] == s.KIND_KERNEL).to_numpy()
    cuts = np.unique(np.concatenate([starts, ends]))
    running = _Running(np.searchsorted(cuts, starts), np.searchsorted(cuts, ends), len(cuts))
    # A launch that waits for its predecessor on its stream fills nothing yet.
    begins, _ = _attributed_spans(launches)
    filling = _Running(np.searchsorted(cuts, begins), np.searchsorted(cuts, ends), len(cuts))
    blamed = kernel & ~communication
    kernels, copies, others = running.count(kernel), running.count(~kernel), running.count(blamed)
    fill = np.nan_to_num(sm_fill, nan=1.0)
    lengths = np.diff(cuts).astype(np.float64)

    def integral(per_piece: Reals | Flags) -> Reals:
        return np.concatenate([[0.0], np.cumsum(per_piece * lengths)])

    return Timeline(
        cuts=cuts,
        kernel=integral(kernels > 0),
        copy=integral((kernels == 0) & (copies > 0)),
        wasted=integral((kernels > 0) * filling.empty(kernel, fill)),
        without_communication=integral(others > 0),
        wasted_without_communication=integral((others > 0) * filling.empty(blamed, fill)),
        overlapped=integral(kernels > 1),
    )


class _Running:
    """Sums over the launches that run in each piece of a timeline."""

    def __init__(self, first: Integers, last: Integers, cuts: int) -> None:
        self.first, self.last, self.cuts = first, last, cuts

    def sum(self, weights: Reals) -> Reals:
        change = np.zeros(self.cuts)
        np.add.at(change, self.first, weights)
        np.add.at(change, self.last, -weights)
        return np.cumsum(change)[:-1]

    def count(self, of: Flags) -> Reals:
        counted: Reals = np.round(self.sum(of.astype(np.float64)))
        return counted

    def empty(self, of: Flags, fill: Reals) -> Reals:
        """Share of the device that these launches together leave empty, 0 to 1."""
        return 1.0 - np.clip(self.sum(np.where(of, fill, 0.0)), 0.0, 1.0)


def split_time(timeline: Timeline, begins: Integers, ends: Integers) -> TimeSplit:
    """Means over intervals of what the timeline holds.

    Args:
        timeline: of one device.
        begins: start of every interval, ns.
        ends: end of every interval, ns.
    """

    def mean(integral: Reals) -> float:
        return float(np.mean(_between(timeline.cuts, integral, begins, ends)))

    wall, kernel, copy = float(np.mean(ends - begins)), mean(timeline.kernel), mean(timeline.copy)
    return TimeSplit(
        wall=wall,
        kernel=kernel,
        copy=copy,
        gap=max(0.0, wall - kernel - copy),
        wasted=mean(timeline.wasted),
        without_communication=mean(timeline.without_communication),
        wasted_without_communication=mean(timeline.wasted_without_communication),
    )


def overlapped_time(timeline: Timeline, launches: pd.DataFrame) -> Reals:
    """Time of every timed launch during which another kernel of its device runs too, in ns."""
    starts = launches[s.START_NS].to_numpy(dtype=np.int64)
    ends = starts + launches[s.DURATION_NS].to_numpy(dtype=np.int64)
    return _between(timeline.cuts, timeline.overlapped, starts, ends)


def _between(cuts: Integers, integral: Reals, begins: Integers, ends: Integers) -> Reals:
    # Moments count from the first cut: an absolute ns has more digits than a float holds exactly.
    origin = cuts[0]
    places = (cuts - origin).astype(np.float64)
    upper = np.interp((ends - origin).astype(np.float64), places, integral)
    lower = np.interp((begins - origin).astype(np.float64), places, integral)
    between: Reals = upper - lower
    return between
