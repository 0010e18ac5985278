"""Hardware counters of one run joined to the launches of another, by launch signature.

A profiler that reads counters runs kernels one at a time and again and again: its times are not
those of the program. What a launch of the same kernel and shape moves and keeps busy is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.signatures import group_ids

Reals = npt.NDArray[np.float64]

_WHOLE = "whole name without blanks"
OTHER_TIME = 4.0
"""Times that differ by more than this factor are not of one kernel with the same work: cold caches
and lower clocks of a profiler stay within it."""
_SHAPE = (*s.GRID, *s.BLOCK, *s.CLUSTER, s.DYNAMIC_SHARED_BYTES)


@dataclass(frozen=True, kw_only=True)
class CountedRecordings:
    """Recordings with the counters of another run in their launches.

    Attributes:
        recordings: as given, with the columns of `schema.COUNTERS` filled where they matched.
        signatures: kernels and launch shapes in all of them.
        counted_signatures: those of them that got counters.
        time_fraction: share of the kernel time that got counters, 0 to 1; None: no time is known.
        other_time_fraction: of the kernel time for which the other run tells its own, the share
            where that is `OTHER_TIME` times as long or as short; None: it tells none.
    """

    recordings: tuple[Recording, ...]
    signatures: int
    counted_signatures: int
    time_fraction: float | None
    other_time_fraction: float | None = None


def join_counters(recordings: Sequence[Recording], counted: pd.DataFrame) -> CountedRecordings:
    """Give launches the counters of launches of the same kernel and shape.

    The kernel is told by its whole name, blanks aside; by its short name where only one whole name
    goes by it on each side. The shape is grid, block, cluster and dynamic shared memory, as far as
    both sides know them. Several counted launches of one signature give their median.

    Args:
        recordings: what was timed.
        counted: a launches table with counters in it.
    """
    measured = counted[(counted[s.KIND] == s.KIND_KERNEL) & counted[s.GRID_X].notna()]
    measured = measured[measured[list(s.COUNTERS)].notna().any(axis=1)]
    joined = [_joined(recording, measured) for recording in recordings]
    signatures = [signature for one in joined for signature in one.signatures]
    total_ns = sum(signature.time_ns for signature in signatures)
    counted_ns = sum(signature.time_ns for signature in signatures if signature.is_counted)
    return CountedRecordings(
        recordings=tuple(one.recording for one in joined),
        signatures=len({signature.key for signature in signatures}),
        counted_signatures=len({one.key for one in signatures if one.is_counted}),
        time_fraction=counted_ns / total_ns if total_ns else None,
        other_time_fraction=_other_time_fraction(signatures),
    )


@dataclass(frozen=True, kw_only=True)
class _Signature:
    """A kernel and launch shape of one recording.

    Attributes:
        key: the same in every recording.
        time_ns: of all its launches.
        is_counted: whether it got counters.
        time_factor: median duration in the other run over that of its own; NaN: unknown.
    """

    key: tuple[object, ...]
    time_ns: float
    is_counted: bool
    time_factor: float


@dataclass(frozen=True, kw_only=True)
class _Joined:
    """One recording with counters, and its signatures."""

    recording: Recording
    signatures: tuple[_Signature, ...]


def _other_time_fraction(signatures: Sequence[_Signature]) -> float | None:
    known = [one for one in signatures if one.is_counted and one.time_factor > 0]
    total_ns = sum(one.time_ns for one in known)
    other_ns = sum(
        one.time_ns for one in known if not 1 / OTHER_TIME <= one.time_factor <= OTHER_TIME
    )
    return other_ns / total_ns if total_ns else None


def _joined(recording: Recording, measured: pd.DataFrame) -> _Joined:
    kernels = recording.launches[recording.launches[s.KIND] == s.KIND_KERNEL]
    signature = group_ids(kernels, (s.KERNEL, *_SHAPE))
    _, first = np.unique(signature, return_index=True)
    one_each = kernels.iloc[first]
    counters = _counters_of(one_each, measured)
    is_counted = counters[list(s.COUNTERS)].notna().any(axis=1).to_numpy()
    launches = recording.launches.copy()
    filled = kernels.index[is_counted[signature]]
    for name in s.COUNTERS:
        launches.loc[filled, name] = counters[name].to_numpy()[signature[is_counted[signature]]]
    durations = np.nan_to_num(_reals(kernels[s.DURATION_NS]))
    times_ns = np.bincount(signature, weights=durations, minlength=len(one_each))
    factors = _reals(counters[s.DURATION_NS]) / _medians_ns(kernels, signature)
    keys = one_each[[s.KERNEL, *_SHAPE]].astype(str).itertuples(index=False, name=None)
    signatures = tuple(
        _Signature(
            key=key, time_ns=float(time_ns), is_counted=bool(counted), time_factor=float(factor)
        )
        for key, time_ns, counted, factor in zip(keys, times_ns, is_counted, factors, strict=True)
    )
    return _Joined(recording=replace(recording, launches=launches), signatures=signatures)


def _medians_ns(kernels: pd.DataFrame, signature: npt.NDArray[np.int64]) -> Reals:
    """The median duration of each signature, in order of its number; NaN: unknown, or 0."""
    medians = kernels[s.DURATION_NS].astype("Float64").groupby(signature).median()
    return _reals(medians.where(medians > 0))


def _reals(column: pd.Series) -> Reals:
    values: Reals = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def _counters_of(kernels: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """The counters and times of these launches, in their order; null where nothing matches."""
    shape = [
        name for name in _SHAPE if kernels[name].notna().any() and measured[name].notna().any()
    ]
    own, other = _keys(kernels, shape), _keys(measured, shape)
    by_whole = _matched(own, other, measured, [_WHOLE, *shape])
    told_by_short = other[other[s.KERNEL_SHORT].isin(_alone(own) & _alone(other))]
    by_short = _matched(own, told_by_short, measured, [s.KERNEL_SHORT, *shape])
    return by_whole.fillna(by_short).where(kernels[s.GRID_X].notna())


def _keys(kernels: pd.DataFrame, shape: Sequence[str]) -> pd.DataFrame:
    """The names and shape of launches, comparable between two instruments."""
    keys = kernels[[*shape]].astype("Int64")
    clusters = [name for name in s.CLUSTER if name in shape]
    # A cluster that nobody speaks of is none.
    keys[clusters] = keys[clusters].fillna(1)
    return keys.assign(
        **{
            _WHOLE: kernels[s.KERNEL].astype(str).str.replace(" ", "", regex=False),
            s.KERNEL_SHORT: kernels[s.KERNEL_SHORT].astype(str),
        }
    )


def _alone(keys: pd.DataFrame) -> set[str]:
    """Short names that one whole name alone goes by."""
    whole_names = keys.groupby(s.KERNEL_SHORT)[_WHOLE].nunique()
    return set(whole_names[whole_names == 1].index)


def _matched(
    own: pd.DataFrame, other: pd.DataFrame, measured: pd.DataFrame, key: Sequence[str]
) -> pd.DataFrame:
    """The median figures of each own launch's key, by the launch's index; null where none is."""
    counters = [*s.COUNTERS, s.DURATION_NS]
    medians = other[[*key]].join(measured[counters]).groupby([*key], dropna=False).median()
    found = own[[*key]].merge(medians.reset_index(), on=[*key], how="left")
    return found[counters].set_axis(own.index)
