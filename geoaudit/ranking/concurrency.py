"""What else ran while a launch ran: other streams, other contexts, its neighbours on its stream.

A device's timeline is cut where any launch starts or ends, as in `time_account`. Moments are then
places among those cuts, and a stream, a context or a device is a scope that has a copy of the
places of its own, so that one pass over sorted places counts for all scopes at once.
"""

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.diagnosis.evidence import Concurrency
from geoaudit.launches import schema as s
from geoaudit.launches.signatures import group_ids

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class ConcurrentTime:
    """For every launch, ns of its own duration; NaN: cannot tell.

    Attributes:
        other_streams: under kernels of other streams of its context.
        other_contexts: under kernels of other contexts or processes.
        predecessor: under launches that began before it on its stream.
        successor: under the next launch of its stream.
        beside: under kernels of any other stream of its device.
        filled_beside: integral over that time of the SM fill of those kernels.
    """

    other_streams: Reals
    other_contexts: Reals
    predecessor: Reals
    successor: Reals
    beside: Reals
    filled_beside: Reals

    def where(self, chosen: Flags | Integers) -> "ConcurrentTime":
        """The times of chosen launches."""
        return ConcurrentTime(**{part.name: getattr(self, part.name)[chosen] for part in _PARTS})


_PARTS = fields(ConcurrentTime)


def concurrency(times: ConcurrentTime, places: Integers, duration_ns: Reals) -> Concurrency:
    """Shares of the time of some launches; None where one of them cannot tell.

    Args:
        times: of all launches.
        places: the launches asked for.
        duration_ns: durations of all launches, NaN where untimed; such launches are left out.
    """
    places = places[~np.isnan(duration_ns[places])]
    chosen, total = times.where(places), float(duration_ns[places].sum())

    def share(part: Reals, whole: float) -> float | None:
        value = float(part.sum()) / whole if whole > 0 else np.nan
        return None if np.isnan(value) else min(value, 1.0)

    return Concurrency(
        other_streams=share(chosen.other_streams, total),
        other_contexts=share(chosen.other_contexts, total),
        predecessor=share(chosen.predecessor, total),
        successor=share(chosen.successor, total),
        sm_fill_beside=share(chosen.filled_beside, float(chosen.beside.sum())),
    )


def concurrent_time(kernels: pd.DataFrame, attributed_ns: Reals, sm_fill: Reals) -> ConcurrentTime:
    """What else ran while each kernel launch ran.

    Copies are not counted: they use no SMs. Unknown are launches without a start, all but the
    contexts where the stream is unknown, and the contexts where process and context both are.

    Args:
        kernels: kernel launches in order of start on each device.
        attributed_ns: of every launch, see `time_account.attributed_durations`. A launch that
            waits for its predecessor on its stream fills nothing yet.
        sm_fill: SM fill per launch, NaN where unknown; beside such a launch the fill is unknown.
    """
    timed = (kernels[s.START_NS].notna() & kernels[s.DURATION_NS].notna()).to_numpy()
    found = {part.name: np.full(len(kernels), np.nan) for part in _PARTS}
    for places in kernels[timed].groupby(s.DEVICE).indices.values():
        rows = np.flatnonzero(timed)[places]
        times = _of_device(kernels.iloc[rows], attributed_ns[rows], sm_fill[rows])
        for name, values in found.items():
            values[rows] = getattr(times, name)
    return ConcurrentTime(**found)


def _of_device(kernels: pd.DataFrame, attributed_ns: Reals, sm_fill: Reals) -> ConcurrentTime:
    context = group_ids(kernels, (s.PROCESS, s.CONTEXT))
    stream = group_ids(kernels, (s.PROCESS, s.CONTEXT, s.STREAM))
    starts = kernels[s.START_NS].to_numpy(dtype=np.int64)
    ends = starts + kernels[s.DURATION_NS].to_numpy(dtype=np.int64)
    is_stream_known = kernels[s.STREAM].notna().to_numpy()
    is_context_known = (kernels[s.PROCESS].notna() | kernels[s.CONTEXT].notna()).to_numpy()
    own, contexts, beside, filled = np.zeros((4, len(kernels)))
    if stream.max() > 0:
        device = np.zeros_like(stream)
        spans = _spans(starts, ends, ends - attributed_ns.astype(np.int64))
        own = _time_shared(spans, scope=context, member=stream)
        contexts = _time_shared(spans, scope=device, member=context)
        beside = _time_shared(spans, scope=device, member=stream)
        filled = _filled_beside(spans, stream, sm_fill)
    return ConcurrentTime(
        other_streams=np.where(is_stream_known, own, np.nan),
        other_contexts=np.where(is_context_known, contexts, np.nan),
        predecessor=np.where(is_stream_known, ends - starts - attributed_ns, np.nan),
        successor=np.where(is_stream_known, _under_successor(stream, starts, ends), np.nan),
        beside=np.where(is_stream_known, beside, np.nan),
        filled_beside=np.where(is_stream_known, filled, np.nan),
    )


def _under_successor(stream: Integers, starts: Integers, ends: Integers) -> Reals:
    order = np.argsort(stream, kind="stable")
    under = np.zeros(len(order))
    ahead, behind = order[:-1], order[1:]
    overlap = np.minimum(ends[ahead], ends[behind]) - starts[behind]
    under[ahead] = np.where(stream[ahead] == stream[behind], np.maximum(overlap, 0), 0)
    return under


@dataclass(frozen=True, kw_only=True)
class _Spans:
    """Launches as places among the cuts of their device's timeline.

    Attributes:
        times: since the first cut, ns.
        first, last: where each launch starts and ends.
        filling: where it no longer waits for its predecessor.
    """

    times: Integers
    first: Integers
    last: Integers
    filling: Integers


def _spans(starts: Integers, ends: Integers, filling: Integers) -> _Spans:
    cuts = np.unique(np.concatenate([starts, ends]))
    first, last, filled = (np.searchsorted(cuts, moments) for moments in (starts, ends, filling))
    return _Spans(times=cuts - cuts[0], first=first, last=last, filling=filled)


def _time_shared(spans: _Spans, *, scope: Integers, member: Integers) -> Reals:
    """Time of each launch in which another member of its scope runs; its own always does."""
    if member.max() == scope.max():
        return np.zeros(len(member))  # No scope has a second member.
    first, last, whose = _busy(spans, member)
    running = _Level(spans.times, scope[whose], first, last, np.ones(len(whose)))
    return running.integral(spans, scope, at_least=2)


def _busy(spans: _Spans, member: Integers) -> tuple[Integers, Integers, Integers]:
    """Where each member begins and ends to run anything, and one of its launches for every time."""
    size = len(spans.times)
    order = np.argsort(member, kind="stable")
    first, last = (member[order] * size + place[order] for place in (spans.first, spans.last))
    reached = np.maximum.accumulate(last)
    begins = np.flatnonzero(np.concatenate([[True], first[1:] > reached[:-1]]))
    ends = np.append(begins[1:], len(order)) - 1
    return first[begins] % size, reached[ends] % size, order[begins]


def _filled_beside(spans: _Spans, stream: Integers, sm_fill: Reals) -> Reals:
    """Integral over each launch of the SM fill of all streams but its own."""
    device = np.zeros_like(stream)

    def beside(weights: Reals) -> Reals:
        everything, own = (
            _Level(spans.times, scope, spans.filling, spans.last, weights).integral(spans, scope)
            for scope in (device, stream)
        )
        difference: Reals = everything - own
        return difference

    unknown = np.isnan(sm_fill)
    filled = beside(np.where(unknown, 0.0, sm_fill))
    if not unknown.any():
        return filled
    return np.where(beside(unknown.astype(np.float64)) > 0.5, np.nan, filled)


class _Level:
    """A sum of weights over what runs at a moment, for every scope by itself.

    Args:
        times: of the places, ns.
        scope, first, last, weights: of everything that runs.
    """

    def __init__(
        self, times: Integers, scope: Integers, first: Integers, last: Integers, weights: Reals
    ) -> None:
        size = len(times)
        moments = np.concatenate([scope * size + first, scope * size + last])
        self.places, piece = np.unique(moments, return_inverse=True)
        change = np.bincount(piece, np.concatenate([weights, -weights]), len(self.places))
        self.level = np.cumsum(change)
        self.times = times[self.places % size]

    def integral(self, spans: _Spans, scope: Integers, at_least: int | None = None) -> Reals:
        """Integral over launches in ns; with ``at_least`` of whether the sum is that or more."""
        level = self.level
        if at_least is not None:
            level = (np.round(level) >= at_least).astype(np.float64)
        # Behind the last launch of a scope the sum is 0: the step to the next scope adds nothing.
        sums = np.concatenate([[0.0], np.cumsum(level[:-1] * np.diff(self.times))])

        def until(places: Integers) -> Reals:
            moments = scope * len(spans.times) + places
            piece = np.searchsorted(self.places, moments, side="right") - 1
            since = spans.times[places] - self.times[piece]
            reached: Reals = sums[piece] + level[piece] * since
            return reached

        return until(spans.last) - until(spans.first)
