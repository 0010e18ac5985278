"""The paths of host ranges that enclose the calls that launched.

A path joins the ranges open on the thread of the call, outermost first, with ``/``.
"""

import re

import numpy as np
import pandas as pd

SEPARATOR = "/"
SEPARATOR_IN_NAME = "\u2215"
"""A division slash stands for the path separator inside a range's name."""

_NUMBERED = re.compile(r"#\d+$")
_NEVER = np.iinfo(np.int64).max
_DEEPEST = 64
"""So many nested ranges are told; deeper ones were never closed."""


def range_paths(ranges: pd.DataFrame, threads: np.ndarray, times: np.ndarray) -> np.ndarray:
    """For each call the path of the ranges open on its thread, or None.

    A name that occurs several times on its thread is told apart by its ordinal, ``name#k``, from
    0 in order of time; not where the name already ends in a number of that form.

    Args:
        ranges: columns ``thread``, ``start``, ``end`` (ns; a range is open up to, not at, its
            end) and ``label``.
        threads: thread of each call, int64.
        times: time of each call, ns, int64.
    """
    paths = np.full(len(times), None, dtype=object)
    of_thread = dict(iter(ranges.groupby("thread", sort=False)))
    order = np.argsort(threads, kind="stable")
    distinct, begins = np.unique(threads[order], return_index=True)
    for thread, calls in zip(distinct, np.split(order, begins[1:]), strict=True):
        if thread in of_thread:
            paths[calls] = _sweep(of_thread[thread], times[calls])
    return paths


def _sweep(ranges: pd.DataFrame, times: np.ndarray) -> np.ndarray:
    """The path at each time: it changes only where a range begins or ends."""
    ordered = ranges.sort_values(["start", "end"], ascending=[True, False], kind="stable")
    names = _with_ordinals(ordered["label"])
    starts, ends = ordered["start"].tolist(), ordered["end"].tolist()
    changes = np.unique(np.concatenate([ordered["start"], ordered["end"]]))
    paths = np.full(len(changes) + 1, None, dtype=object)
    upcoming, active, next_end = 0, [], _NEVER
    for place, time in enumerate(changes.tolist(), start=1):
        while upcoming < len(starts) and starts[upcoming] <= time:
            active.append(upcoming)
            next_end = min(next_end, ends[upcoming])
            upcoming += 1
        if next_end <= time:
            active = [index for index in active if ends[index] > time]
            next_end = min((ends[index] for index in active), default=_NEVER)
        paths[place] = _path([names[index] for index in active[: _DEEPEST + 1]])
    return paths[np.searchsorted(changes, times, side="right")]


def _path(names: list[str]) -> str | None:
    """The names joined; ranges that are opened again and again and never closed are cut."""
    if len(names) > _DEEPEST:
        names = [*names[:_DEEPEST], "…"]
    return SEPARATOR.join(names) or None


def _with_ordinals(labels: pd.Series) -> list[str]:
    ordinals = labels.groupby(labels).cumcount().tolist()
    counts = labels.map(labels.value_counts()).tolist()
    return [
        f"{label}#{ordinal}" if count > 1 and not _NUMBERED.search(label) else label
        for label, ordinal, count in zip(labels, ordinals, counts, strict=True)
    ]
