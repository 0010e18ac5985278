"""Named ranges of the host, carried over to the GPU's records through their launches.

A path joins the ranges that enclose a launch, outermost first, with ``/``. A ``/`` within a name
becomes U+2215 (division slash), so that a path splits without doubt. A name that occurs more
than once on its thread is told apart by ``#k``, k being its instance in order of time from 0;
names that end in ``#<number>`` of their own (``ProfilerStep#12``) stay as they are.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geoaudit.sources.kineto.activities import MISSING, Codes, Integers, Thread, TimedRange

SLASH_IN_NAME = "\u2215"
NO_PATH = -1
_OWN_NUMBER = re.compile(r".*#\d+", re.DOTALL)
# The PyTorch profiler's step spans the process, though it is recorded on one thread of it: the
# backward pass launches from a thread of its own.
_PROFILER_STEP = re.compile(r"ProfilerStep#\d+")

Codes32 = npt.NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """Path of one thread over time.

    Attributes:
        starts: times from which on a path holds, in ns, ascending.
        paths: code of the path from each start on, NO_PATH outside all ranges.
    """

    starts: Integers
    paths: Codes32

    def at(self, times: Integers) -> Codes32:
        """The path at each time; NO_PATH before the first range and for MISSING."""
        index = np.searchsorted(self.starts, times, side="right") - 1
        found = np.where(index < 0, NO_PATH, self.paths[np.maximum(index, 0)])
        return np.where(times == MISSING, NO_PATH, found).astype(np.int32)


class RangePaths:
    """Looks up the path of ranges that encloses a moment on a thread."""

    def __init__(self, ranges: Iterable[TimedRange], paths: Codes[str]) -> None:
        """Look up among these ranges; the paths found are numbered in ``paths``."""
        self._by_thread = {
            thread: _labelled(members) for thread, members in _grouped(ranges).items()
        }
        self._steps = _steps_by_process(self._by_thread)
        self._paths = paths

    def look_up(self, keys: Integers, times: Integers, threads: Mapping[int, Thread]) -> Codes32:
        """Code of the path of each record.

        Args:
            keys: which thread each record belongs to, a key of ``threads``; others have no path.
            times: in ns, MISSING where unknown.
            threads: the threads by key.
        """
        codes = np.full(len(keys), NO_PATH, dtype=np.int32)
        for key, thread in threads.items():
            ranges = self._of_thread(thread)
            if ranges:
                chosen = keys == key
                codes[chosen] = _timeline(ranges, self._paths).at(times[chosen])
        return codes

    def _of_thread(self, thread: Thread) -> list[tuple[int, int, str]]:
        own = self._by_thread.get(thread, [])
        step_thread, steps = self._steps.get(thread[0], (thread, []))
        return own if step_thread == thread else own + steps


def _grouped(ranges: Iterable[TimedRange]) -> dict[Thread, list[TimedRange]]:
    by_thread: dict[Thread, list[TimedRange]] = defaultdict(list)
    for timed in ranges:
        by_thread[timed.thread].append(timed)
    return by_thread


def _labelled(ranges: list[TimedRange]) -> list[tuple[int, int, str]]:
    """(start, end, component of a path) of the ranges of one thread, in order of start."""
    ordered = sorted(ranges, key=lambda timed: (timed.start, -timed.end))
    total = Counter(timed.name for timed in ordered)
    seen: Counter[str] = Counter()
    labelled = []
    for timed in ordered:
        component = timed.name.replace("/", SLASH_IN_NAME)
        if total[timed.name] > 1 and not _OWN_NUMBER.fullmatch(timed.name):
            component = f"{component}#{seen[timed.name]}"
        seen[timed.name] += 1
        labelled.append((timed.start, timed.end, component))
    return labelled


def _steps_by_process(
    by_thread: Mapping[Thread, list[tuple[int, int, str]]],
) -> dict[Hashable, tuple[Thread, list[tuple[int, int, str]]]]:
    steps: dict[Hashable, tuple[Thread, list[tuple[int, int, str]]]] = {}
    for thread, ranges in by_thread.items():
        own = [timed for timed in ranges if _PROFILER_STEP.fullmatch(timed[2])]
        if own and thread[0] not in steps:
            steps[thread[0]] = thread, own
    return steps


def _timeline(ranges: list[tuple[int, int, str]], codes: Codes[str]) -> Timeline:
    """The path over time of ranges that may end in any order; half-open: [start, end)."""
    starts: list[int] = []
    paths: list[int] = []
    open_ranges: list[tuple[int, str]] = []

    def note(time: int) -> None:
        path = "/".join(component for _, component in open_ranges)
        starts.append(time)
        paths.append(codes.code(path) if path else NO_PATH)

    def close(until: int | None) -> None:
        ends = {end for end, _ in open_ranges if until is None or end <= until}
        for end in sorted(ends):
            open_ranges[:] = [each for each in open_ranges if each[0] > end]
            note(end)

    for start, end, component in sorted(ranges, key=lambda timed: (timed[0], -timed[1])):
        close(start)
        open_ranges.append((end, component))
        note(start)
    close(None)
    return Timeline(starts=np.array(starts, dtype=np.int64), paths=np.array(paths, dtype=np.int32))
