"""Trace events as columns: what the GPU did, which calls asked for it, and the named ranges."""

from array import array
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
    RANGE_CATEGORIES,
    Arguments,
    Event,
    nanoseconds,
)

Integers = npt.NDArray[np.int64]

# Stands for "missing" in the integer columns of this package; becomes null in the launches table.
MISSING = -(2**63)
_AXIS_LIMIT = 2**32

ACTIVITY_FIELDS = (
    *("kind", "name", "start", "duration", "device", "context", "stream", "correlation"),
    *("registers", "shared_bytes", "copy_bytes", "graph_id", "graph_node_id"),
    *("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"),
)
CALL_FIELDS = (
    *("correlation", "thread", "start", "name", "shared_bytes"),
    *("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"),
)
GRID_FIELDS = ("grid_x", "grid_y", "grid_z")
BLOCK_FIELDS = ("block_x", "block_y", "block_z")
_NO_DIMENSIONS = (MISSING, MISSING, MISSING)

Key = TypeVar("Key", bound=Hashable)
Thread = tuple[int | str | None, int | str | None]


class Codes(Generic[Key]):
    """Numbers for values, in the order they are first seen."""

    def __init__(self) -> None:
        self._codes: dict[Key, int] = {}

    def code(self, value: Key) -> int:
        """The number of a value."""
        return self._codes.setdefault(value, len(self._codes))

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
        threads: (pid, tid) of API calls.
        ranges: named ranges of the host.
        gpu_ranges: named ranges as Kineto projects them onto a device's streams.
        bad: counts of impossible values.
        rocm_dispatches: kernels that say ROCm dispatched them.
    """

    names: Codes[tuple[int, str | None]] = field(default_factory=Codes)
    calls: Codes[str] = field(default_factory=Codes)
    threads: Codes[Thread] = field(default_factory=Codes)
    ranges: list[TimedRange] = field(default_factory=list)
    gpu_ranges: list[TimedRange] = field(default_factory=list)
    bad: BadValues = field(default_factory=BadValues)
    rocm_dispatches: int = 0
    _activities: "array[int]" = field(default_factory=lambda: array("q"))
    _calls: "array[int]" = field(default_factory=lambda: array("q"))
    _ratios: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, events: Iterable[Event]) -> None:
        """Add the events of a batch."""
        for event in events:
            if event.cat in ACTIVITY_CATEGORIES:
                self._add_activity(event, event.args or NO_ARGUMENTS)
            elif event.cat in API_CATEGORIES:
                self._add_call(event, event.args or NO_ARGUMENTS)
            else:
                self._add_range(event)

    def activity_columns(self) -> dict[str, Integers]:
        """The GPU's records: ``ACTIVITY_FIELDS``, MISSING where a value is missing."""
        return _columns(self._activities, ACTIVITY_FIELDS)

    def call_columns(self) -> dict[str, Integers]:
        """The API calls: ``CALL_FIELDS``, MISSING where a value is missing."""
        return _columns(self._calls, CALL_FIELDS)

    def sm_ratios(self) -> npt.NDArray[np.float64]:
        """Blocks per SM and warps per SM of each GPU record, NaN where missing; shape (n, 2)."""
        return np.frombuffer(self._ratios, dtype=np.float64).reshape(-1, 2)

    def _add_activity(self, event: Event, given: Arguments) -> None:
        kind = _kind_code(event.cat)
        start, duration = self._times(event)
        self._activities.extend(
            (
                kind,
                self.names.code((kind, event.name)),
                start,
                duration,
                self._device(event, given),
                _present(given.context),
                _present(stream_number(event.tid if given.stream is None else given.stream)),
                _present(given.correlation),
                _present(given.registers),
                _present(given.shared_bytes),
                _present(given.bytes),
                # CUPTI's graph and node identifiers are 0 outside a graph.
                given.graph_id or MISSING,
                given.graph_node_id or MISSING,
                *self._checked_dimensions(given),
            )
        )
        self._ratios.extend((_ratio(given.blocks_per_sm), _ratio(given.warps_per_sm)))
        self.rocm_dispatches += given.kind is not None and given.kind.startswith("Dispatch")

    def _add_call(self, event: Event, given: Arguments) -> None:
        self._calls.extend(
            (
                _present(given.correlation),
                self.threads.code(_thread(event)),
                _present(nanoseconds(event.ts)),
                self.calls.code(event.name or ""),
                _present(given.shared_bytes),
                *(_axes(given.grid) or _NO_DIMENSIONS),
                *(_axes(given.block) or _NO_DIMENSIONS),
            )
        )

    def _add_range(self, event: Event) -> None:
        start, duration = nanoseconds(event.ts), nanoseconds(event.dur)
        if not event.name or start is None or duration is None or duration <= 0:
            return
        ranges = self.ranges if event.cat in RANGE_CATEGORIES else self.gpu_ranges
        thread = _thread(event)
        if event.cat in GPU_RANGE_CATEGORIES:
            thread = (thread[0], stream_number(thread[1]))
        ranges.append(TimedRange(name=event.name, thread=thread, start=start, end=start + duration))

    def _times(self, event: Event) -> tuple[int, int]:
        """Start and duration; both MISSING for a record that was not timed.

        CUPTI leaves both at 0 where it has lost the time stamps.
        """
        start, duration = nanoseconds(event.ts), nanoseconds(event.dur)
        if start is None or duration is None or start == duration == 0:
            return MISSING, MISSING
        if duration < 0:
            self.bad.negative_durations += 1
            return MISSING, MISSING
        return start, duration

    def _device(self, event: Event, given: Arguments) -> int:
        if given.device is not None:
            return given.device
        process = _number(event.pid)
        if isinstance(process, int):
            return process
        self.bad.devices += 1
        return 0

    def _checked_dimensions(self, given: Arguments) -> tuple[int, ...]:
        grid, block = _axes(given.grid), _axes(given.block)
        if grid is None or block is None:
            self.bad.geometries += 1
            return (*_NO_DIMENSIONS, *_NO_DIMENSIONS)
        return (*grid, *block)


def stream_number(stream: int | str | None) -> int | None:
    """A stream's number: ``7``, or as traces of 2021 write it, ``"stream 7"``."""
    if isinstance(stream, str):
        digits = stream.rpartition(" ")[2]
        return int(digits) if digits.isdecimal() and len(digits) < 19 else None
    return stream


def _kind_code(category: str | None) -> int:
    if category in KERNEL_CATEGORIES:
        return s.KINDS.index(s.KIND_KERNEL)
    return s.KINDS.index(s.KIND_COPY if category in COPY_CATEGORIES else s.KIND_SET)


def _axes(values: list[int] | None) -> tuple[int, ...] | None:
    """Three sizes; MISSING three times where none are given; None where they cannot be."""
    if values is None:
        return _NO_DIMENSIONS
    if len(values) != len(_NO_DIMENSIONS) or not all(0 < value < _AXIS_LIMIT for value in values):
        return None
    return tuple(values)


def _present(value: int | None) -> int:
    return MISSING if value is None else value


def _ratio(value: float | None) -> float:
    return float("nan") if value is None else value


def _number(identifier: int | str | None) -> int | str | None:
    if isinstance(identifier, str) and identifier.isdecimal() and len(identifier) < 19:
        return int(identifier)
    return identifier


def _thread(event: Event) -> Thread:
    return _number(event.pid), _number(event.tid)


def _columns(values: "array[int]", fields: tuple[str, ...]) -> dict[str, Integers]:
    table = np.frombuffer(values, dtype=np.int64).reshape(-1, len(fields))
    return {name: table[:, at] for at, name in enumerate(fields)}
