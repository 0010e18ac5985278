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
    for thread in np.unique(threads):
        if thread in of_thread:
            calls = threads == thread
            paths[calls] = _sweep(of_thread[thread], times[calls])
    return paths


def _sweep(ranges: pd.DataFrame, times: np.ndarray) -> np.ndarray:
    """The path at each time: it changes only where a range begins or ends."""
    ordered = ranges.sort_values(["start", "end"], ascending=[True, False], kind="stable")
    names = _with_ordinals(ordered["label"])
    starts, ends = ordered["start"].tolist(), ordered["end"].tolist()
    changes = np.unique(np.concatenate([ordered["start"], ordered["end"]]))
    paths = np.full(len(changes) + 1, None, dtype=object)
    upcoming, active = 0, []
    for place, time in enumerate(changes.tolist(), start=1):
        while upcoming < len(starts) and starts[upcoming] <= time:
            active.append(upcoming)
            upcoming += 1
        active = [index for index in active if ends[index] > time]
        paths[place] = SEPARATOR.join(names[index] for index in active) or None
    return paths[np.searchsorted(changes, times, side="right")]


def _with_ordinals(labels: pd.Series) -> list[str]:
    ordinals = labels.groupby(labels).cumcount().tolist()
    counts = labels.map(labels.value_counts()).tolist()
    return [
        f"{label}#{ordinal}" if count > 1 and not _NUMBERED.search(label) else label
        for label, ordinal, count in zip(labels, ordinals, counts, strict=True)
    ]
