"""Trace events as columns: what the GPU did, which calls asked for it, and the named ranges."""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from geoaudit.launches import schema as s
from geoaudit.sources.kineto.events import (
    ACTIVITY_CATEGORIES,
    API_CATEGORIES,
    COPY_CATEGORIES,
    GPU_RANGE_CATEGORIES,
    KERNEL_CATEGORIES,
    NO_ARGUMENTS,
    Arguments,
    Event,
    nanoseconds,
)

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

# Stands for "missing" in the integer columns of this package; becomes null in the launches table.
MISSING = -(2**63)
_AXIS_LIMIT = 2**32
# Fewer decimal digits than this always fit 64 bits.
_INT64_DIGITS = 19

GRID_FIELDS = ("grid_x", "grid_y", "grid_z")
BLOCK_FIELDS = ("block_x", "block_y", "block_z")

Key = TypeVar("Key", bound=Hashable)
Thread = tuple[int | str | None, int | str | None]
Columns = dict[str, Integers]


class Codes(Generic[Key]):
    """Numbers for values, in the order they are first seen."""

    def __init__(self) -> None:
        self._codes: dict[Key, int] = {}

    def code(self, value: Key) -> int:
        """The number of a value."""
        return self._codes.setdefault(value, len(self._codes))

    def codes(self, values: list[Key]) -> Integers:
        """The numbers of values."""
        for value in dict.fromkeys(values):
            self.code(value)
        return np.array([self._codes[value] for value in values], dtype=np.int64)

    @property
    def values(self) -> list[Key]:
        """The values by number."""
        return list(self._codes)


@dataclass(frozen=True, kw_only=True)
class TimedRange:
    """A named range on one thread of the host, or one stream of a device; times in ns."""

    name: str
    thread: Thread
    start: int
    end: int


@dataclass(kw_only=True)
class BadValues:
    """Counts of values that cannot be.

    Attributes:
        negative_durations: records whose end lies before their start.
        geometries: grids or blocks that no launch can have: zero, negative, overflowed.
        devices: records that do not say which device they ran on.
    """

    negative_durations: int = 0
    geometries: int = 0
    devices: int = 0


@dataclass(kw_only=True)
class Activities:
    """All that the audit needs of a trace, gathered batch by batch.

    Attributes:
        names: kind (index into ``schema.KINDS``) and name of kernels, copies and sets.
        calls: names of API calls.
        ranges: named ranges of the host.
        gpu_ranges: named ranges as Kineto projects them onto a device's streams.
        bad: counts of impossible values.
        rocm_dispatches: kernels that say ROCm dispatched them.
    """

    names: Codes[tuple[int, str | None]] = field(default_factory=Codes)
    calls: Codes[str] = field(default_factory=Codes)
    ranges: list[TimedRange] = field(default_factory=list)
    gpu_ranges: list[TimedRange] = field(default_factory=list)
    bad: BadValues = field(default_factory=BadValues)
    rocm_dispatches: int = 0
    _processes: Codes[int | str | None] = field(default_factory=Codes)
    _threads: Codes[Thread] = field(default_factory=Codes)
    _activities: list[Columns] = field(default_factory=list)
    _calls: list[Columns] = field(default_factory=list)
    _sm_ratios: list[Reals] = field(default_factory=list)

    def add(self, events: Iterable[Event]) -> None:
        """Add the events of a batch."""
        by_category: dict[str | None, list[Event]] = defaultdict(list)
        for event in events:
            by_category[event.cat].append(event)
        for category, members in by_category.items():
            if category in ACTIVITY_CATEGORIES:
                self._add_activities(members, _kind_code(category))
            elif category in API_CATEGORIES:
                self._add_calls(members)
            else:
                self._add_ranges(members)

    @property
    def threads(self) -> list[Thread]:
        """(pid, tid) of API calls by number."""
        return [_plain_thread(thread) for thread in self._threads.values]

    def activity_columns(self) -> Columns:
        """The GPU's records, MISSING where a value is missing.

        Columns kind, name (codes), start, duration (ns), device, context, stream, correlation,
        registers, shared_bytes, copy_bytes, graph_id, graph_node_id, and those of the geometry.
        """
        return _joined(self._activities or [self._activity_batch([], 0)])

    def call_columns(self) -> Columns:
        """The API calls, MISSING where a value is missing.

        Columns correlation, process, thread, name (codes), start (ns), shared_bytes, and the
        geometry.
        """
        return _joined(self._calls or [self._call_batch([])])

    def sm_ratios(self) -> Reals:
        """Blocks per SM and warps per SM of each GPU record, NaN where missing; shape (n, 2)."""
        return np.concatenate(self._sm_ratios) if self._sm_ratios else np.empty((0, 2))

    def _add_activities(self, events: list[Event], kind: int) -> None:
        self._activities.append(self._activity_batch(events, kind))
        given = [event.args or NO_ARGUMENTS for event in events]
        ratios = [(each.blocks_per_sm, each.warps_per_sm) for each in given]
        self._sm_ratios.append(np.array(ratios, dtype=np.float64))
        self.rocm_dispatches += sum((each.kind or "").startswith("Dispatch") for each in given)

    def _activity_batch(self, events: list[Event], kind: int) -> Columns:
        given = [event.args or NO_ARGUMENTS for event in events]
        start, duration = self._times(events)
        streams = [
            stream_number(event.tid if each.stream is None else each.stream)
            for event, each in zip(events, given, strict=True)
        ]
        columns = {
            "kind": np.full(len(events), kind),
            "name": self.names.codes([(kind, event.name) for event in events]),
            "start": start,
            "duration": duration,
            "device": self._devices(events, given),
            "context": _integers([each.context for each in given]),
            "stream": _integers(streams),
            "correlation": _integers([each.correlation for each in given]),
            "registers": _integers([each.registers for each in given]),
            "shared_bytes": _integers([each.shared_bytes for each in given]),
            "copy_bytes": _integers([each.bytes for each in given]),
            # CUPTI's graph and node identifiers are 0 outside a graph.
            "graph_id": _integers([each.graph_id or None for each in given]),
            "graph_node_id": _integers([each.graph_node_id or None for each in given]),
        }
        dimensions, bad = _dimensions(given)
        self.bad.geometries += bad
        return columns | dimensions

    def _add_calls(self, events: list[Event]) -> None:
        self._calls.append(self._call_batch(events))

    def _call_batch(self, events: list[Event]) -> Columns:
        given = [event.args or NO_ARGUMENTS for event in events]
        columns = {
            "correlation": _integers([each.correlation for each in given]),
            "process": self._processes.codes([event.pid for event in events]),
            "thread": self._threads.codes([(event.pid, event.tid) for event in events]),
            "start": _integers([nanoseconds(event.ts) for event in events]),
            "name": self.calls.codes([event.name or "" for event in events]),
            "shared_bytes": _integers([each.shared_bytes for each in given]),
        }
        return columns | _dimensions(given)[0]

    def _add_ranges(self, events: list[Event]) -> None:
        for event in events:
            start, duration = nanoseconds(event.ts), nanoseconds(event.dur)
            if not event.name or start is None or duration is None or duration <= 0:
                continue
            process, thread = _plain_thread((event.pid, event.tid))
            if event.cat in GPU_RANGE_CATEGORIES:
                thread = stream_number(thread)
            timed = TimedRange(
                name=event.name, thread=(process, thread), start=start, end=start + duration
            )
            (self.gpu_ranges if event.cat in GPU_RANGE_CATEGORIES else self.ranges).append(timed)

    def _times(self, events: list[Event]) -> tuple[Integers, Integers]:
        """Start and duration; both MISSING for a record that was not timed.

        CUPTI leaves both at 0 where it has lost the time stamps.
        """
        start = _integers([nanoseconds(event.ts) for event in events])
        duration = _integers([nanoseconds(event.dur) for event in events])
        untimed = (start == MISSING) | (duration == MISSING) | ((start == 0) & (duration == 0))
        negative = ~untimed & (duration < 0)
        self.bad.negative_durations += int(negative.sum())
        untimed |= negative
        return np.where(untimed, MISSING, start), np.where(untimed, MISSING, duration)

    def _devices(self, events: list[Event], given: list[Arguments]) -> Integers:
        devices = [
            _plain_number(event.pid) if each.device is None else each.device
            for event, each in zip(events, given, strict=True)
        ]
        self.bad.devices += sum(not isinstance(device, int) for device in devices)
        return np.array([device if isinstance(device, int) else 0 for device in devices])


def stream_number(stream: int | str | None) -> int | None:
    """A stream's number: ``7``, or as traces of 2021 write it, ``"stream 7"``."""
    if isinstance(stream, str):
        digits = stream.rpartition(" ")[2]
        return int(digits) if digits.isdecimal() and len(digits) < _INT64_DIGITS else None
    return stream


def _kind_code(category: str | None) -> int:
    if category in KERNEL_CATEGORIES:
        return s.KINDS.index(s.KIND_KERNEL)
    return s.KINDS.index(s.KIND_COPY if category in COPY_CATEGORIES else s.KIND_SET)


def _integers(values: list[int | None]) -> Integers:
    try:
        return np.array(values, dtype=np.int64)
    except TypeError:
        return np.array([MISSING if each is None else each for each in values], dtype=np.int64)


def _dimensions(given: list[Arguments]) -> tuple[Columns, int]:
    """Grid and block, MISSING where unknown, and how many were given that cannot be."""
    grid, block = _axes([each.grid for each in given]), _axes([each.block for each in given])
    unknown = (grid == MISSING).any(axis=1) & (block == MISSING).any(axis=1)
    both = np.concatenate([grid, block], axis=1)
    bad = ((both != MISSING) & ((both <= 0) | (both >= _AXIS_LIMIT))).any(axis=1)
    both[bad | unknown] = MISSING
    fields = (*GRID_FIELDS, *BLOCK_FIELDS)
    return {name: both[:, at] for at, name in enumerate(fields)}, int(bad.sum())


def _axes(values: list[list[int] | None]) -> Integers:
    """Three sizes each; MISSING three times for None, 0 for what is no three sizes."""
    try:
        return np.array(values, dtype=np.int64).reshape(len(values), 3)
    except (TypeError, ValueError, OverflowError):
        return np.array([_axes_of(each) for each in values], dtype=np.int64)


def _axes_of(sizes: list[int] | None) -> tuple[int, ...]:
    if sizes is None:
        return (MISSING, MISSING, MISSING)
    if len(sizes) != 3 or not all(0 < size < _AXIS_LIMIT for size in sizes):
        return (0, 0, 0)
    return tuple(sizes)


def _plain_number(identifier: int | str | None) -> int | str | None:
    if isinstance(identifier, str) and identifier.isdecimal() and len(identifier) < _INT64_DIGITS:
        return int(identifier)
    return identifier


def _plain_thread(thread: Thread) -> Thread:
    return _plain_number(thread[0]), _plain_number(thread[1])


def _joined(batches: list[Columns]) -> Columns:
    return {name: np.concatenate([each[name] for each in batches]) for name in batches[0]}
