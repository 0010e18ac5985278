"""Timing launches with CUDA events, for where CUPTI cannot be had.

An event before and one after the launch, on its stream: the time between them holds the kernel
and some of the launch, so that short kernels look longer than CUPTI says. Recordings timed this
way carry the instrument ``cuda_events`` and are never joined with others.
"""

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import dataclass

SUCCESS = 0
CAPTURE_NONE = 0
# Two events each; a process has room for many more, but not without an end.
MAX_TIMED_LAUNCHES = 100_000
NS_PER_MS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class EventPair:
    """The events around one launch.

    Attributes:
        device: its index, as the driver numbers it.
        begin, end: the driver's handles; None where the launch could not be timed.
    """

    device: int | None
    begin: int | None = None
    end: int | None = None


@dataclass(frozen=True, kw_only=True)
class Span:
    """Time of one launch; None where it is not known.

    Attributes:
        start_ns: since the first timed launch of its device.
        duration_ns: from event to event.
    """

    start_ns: int | None
    duration_ns: int | None


UNTIMED = Span(start_ns=None, duration_ns=None)


class EventTimer:
    """Puts events around launches; reads them when the recording ends.

    Nothing is synchronised until then, and nothing at all is done on a stream that is captured
    into a graph.
    """

    def __init__(self, driver: ctypes.CDLL, *, limit: int = MAX_TIMED_LAUNCHES) -> None:
        self._driver = driver
        self._limit = limit
        self._timed = 0
        self._counting = threading.Lock()
        self.captured = 0

    def begin(self, stream: int) -> EventPair | None:
        """Record an event before a launch on this stream.

        Returns:
            The open pair, or None where the launch is captured into a graph and does not run.
        """
        if self._is_capturing(stream):
            self.captured += 1
            return None
        device = self._device()
        if device is None or not self._has_room():
            return EventPair(device=device)
        return EventPair(device=device, begin=self._recorded(stream))

    def end(self, pair: EventPair, stream: int) -> EventPair:
        """Record the event after the launch; the pair, closed."""
        if pair.begin is None:
            # The launcher may have made the context that was missing before.
            return pair if pair.device is not None else EventPair(device=self._device())
        return EventPair(device=pair.device, begin=pair.begin, end=self._recorded(stream))

    def spans(self, pairs: Sequence[EventPair]) -> list[Span]:
        """The times of these launches, in the order of the pairs; their events are given back.

        Starts are added up from launch to launch, since a single-precision count of milliseconds
        is too coarse over minutes.
        """
        last: dict[int, tuple[int, int]] = {}
        spans = [self._span(pair, last) for pair in pairs]
        for pair in pairs:
            for event in (pair.begin, pair.end):
                if event is not None:
                    self._driver.cuEventDestroy_v2(ctypes.c_void_p(event))
        return spans

    def _span(self, pair: EventPair, last: dict[int, tuple[int, int]]) -> Span:
        if pair.device is None or pair.begin is None or pair.end is None:
            return UNTIMED
        if self._driver.cuEventSynchronize(ctypes.c_void_p(pair.end)) != SUCCESS:
            return UNTIMED
        duration = self._elapsed_ns(pair.begin, pair.end)
        before, start = last.get(pair.device, (pair.begin, 0))
        passed = 0 if before == pair.begin else self._elapsed_ns(before, pair.begin)
        if duration is None or passed is None:
            return UNTIMED
        last[pair.device] = (pair.begin, start + passed)
        return Span(start_ns=start + passed, duration_ns=duration)

    def _elapsed_ns(self, first: int, second: int) -> int | None:
        elapsed = ctypes.c_float()
        arguments = (ctypes.byref(elapsed), ctypes.c_void_p(first), ctypes.c_void_p(second))
        if self._driver.cuEventElapsedTime(*arguments) != SUCCESS:
            return None
        return round(elapsed.value * NS_PER_MS)

    def _recorded(self, stream: int) -> int | None:
        event = ctypes.c_void_p()
        if self._driver.cuEventCreate(ctypes.byref(event), 0) != SUCCESS:
            return None
        if self._driver.cuEventRecord(event, ctypes.c_void_p(stream)) == SUCCESS:
            return event.value
        self._driver.cuEventDestroy_v2(event)
        return None

    def _is_capturing(self, stream: int) -> bool:
        if self._device() is None:
            return False
        state = ctypes.c_int(CAPTURE_NONE)
        status = self._driver.cuStreamIsCapturing(ctypes.c_void_p(stream), ctypes.byref(state))
        # The legacy stream answers with an error while another stream is captured.
        return status != SUCCESS or state.value != CAPTURE_NONE

    def _device(self) -> int | None:
        device = ctypes.c_int()
        status = self._driver.cuCtxGetDevice(ctypes.byref(device))
        return device.value if status == SUCCESS else None

    def _has_room(self) -> bool:
        with self._counting:
            self._timed += 1
            return self._timed <= self._limit
