"""What wrapped launches asked for, put beside what was launched."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.plausible import kernel_names
from geoaudit.launches.table import build_launches
from geoaudit.recording.events import UNTIMED, EventPair, EventTimer, Span
from geoaudit.recording.stream import Records

Dimensions = tuple[int, int, int]
NVTX_DOMAIN = "geoaudit"
NO_LAUNCH = -1
# A launcher that takes longer compiles or tunes; its events hold that, and no kernel's time.
MAX_LAUNCH_NS = 1_000_000
REQUESTED = (*s.REQUESTED_GRID, *s.REQUESTED_BLOCK)


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelResources:
    """What a kernel was compiled with, as its launcher tells; None where it does not.

    Attributes:
        registers_per_thread: as compiled.
        static_shared_bytes: of a block.
    """

    registers_per_thread: int | None = None
    static_shared_bytes: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One launch as it was asked for.

    Attributes:
        label: name of its NVTX range.
        kernel: the kernel's name in its source.
        thread: identifier of the thread for the operating system.
        entered_ns, left_ns: when the launcher was called and when it returned, on CUPTI's clock.
        grid, block: as asked for, axes left out are 1; None where it cannot be told.
        launched_grid: what this launcher makes of the grid, None where that is not known.
        dynamic_shared_bytes: as asked for.
        timing: the CUDA events around it, where CUPTI does not time it.
        resources: of the kernel, where CUPTI does not tell.
    """

    label: str
    kernel: str
    thread: int
    entered_ns: int
    left_ns: int
    grid: Dimensions | None
    block: Dimensions | None
    launched_grid: Dimensions | None
    dynamic_shared_bytes: int | None
    timing: EventPair | None = None
    resources: KernelResources = field(default_factory=KernelResources)


class RequestLog:
    """Collects the requests of all threads while a session records.

    Attributes:
        clock: CUPTI's time in ns; any clock where CUPTI is not used.
        timer: times launches with CUDA events; None: CUPTI does.
    """

    def __init__(self, clock: Callable[[], int], timer: EventTimer | None = None) -> None:
        self.clock = clock
        self.timer = timer
        self._noted: list[Callable[[], Request]] = []

    def note(self, request: Callable[[], Request]) -> None:
        """Keep what makes the request of a launch: while kernels are launched, time is dear."""
        self._noted.append(request)

    def __len__(self) -> int:
        return len(self._noted)

    def requests(self) -> list[Request]:
        """All requests, in the order in which the launchers returned."""
        return [request() for request in self._noted]


def with_requests(
    table: pd.DataFrame, launches: Records, requests: Sequence[Request]
) -> tuple[pd.DataFrame, list[str]]:
    """The launches table with what was asked for, and a sentence for each change of it.

    A request belongs to the last launch call that its thread made while the launcher ran: what
    came before, an autotuner's trials for one, is not the launch that was asked for. Replays of
    a graph were asked for by nobody, and launches that a graph captured did not run.

    Args:
        table: launches of one process.
        launches: when and on which thread each launch was called.
        requests: of the same process.
    """
    correlation = _correlations(launches, requests)
    asked = pd.DataFrame(
        [(*(r.grid or (pd.NA,) * 3), *(r.block or (pd.NA,) * 3), r.label) for r in requests],
        index=correlation,
        columns=[*REQUESTED, "label"],
    )
    asked = asked[asked.index != NO_LAUNCH]
    asked = asked[~asked.index.duplicated(keep="last")]
    eager = (table[s.KIND] == s.KIND_KERNEL) & table[s.GRAPH_ID].isna()
    keys = table[s.CORRELATION_ID].where(eager)
    filled = {name: keys.map(asked[name].astype("Int64")).astype("Int64") for name in REQUESTED}
    joined = table.assign(**filled)
    return joined, _changes(joined, keys.map(asked["label"]))


def _correlations(launches: Records, requests: Sequence[Request]) -> npt.NDArray[np.int64]:
    """Correlation identifier of the launch that each request became; NO_LAUNCH: none."""
    threads = np.array([r.thread for r in requests], dtype=np.int64)
    entered = np.array([r.entered_ns for r in requests], dtype=np.int64)
    left = np.array([r.left_ns for r in requests], dtype=np.int64)
    found = np.full(len(requests), NO_LAUNCH, dtype=np.int64)
    for thread in np.unique(threads):
        calls = launches[launches["thread"] == thread]
        calls = calls[np.argsort(calls["timestamp_ns"], kind="stable")]
        times = calls["timestamp_ns"].astype(np.int64)
        own = np.flatnonzero(threads == thread)
        place = np.searchsorted(times, left[own], side="right") - 1
        inside = (place >= 0) & (times[np.maximum(place, 0)] >= entered[own]) if len(times) else []
        own, place = own[inside], place[inside]
        found[own] = calls["correlation_id"][place]
    return found


def _changes(table: pd.DataFrame, labels: pd.Series) -> list[str]:
    """A sentence for each way in which launches differ from what was asked for."""
    sentences: list[str] = []
    for asked, launched, what in (
        (s.REQUESTED_GRID, s.GRID, "grid"),
        (s.REQUESTED_BLOCK, s.BLOCK, "block"),
    ):
        pairs = zip(asked, launched, strict=True)
        differs = pd.concat([(table[a] != table[b]).fillna(value=False) for a, b in pairs], axis=1)
        rows = table[differs.any(axis=1).to_numpy(dtype=bool)]
        counts = Counter(
            (str(labels[index]), _written(row, asked), _written(row, launched))
            for index, row in rows[[*asked, *launched]].iterrows()
        )
        sentences += [
            f"{label}: {what} {before} was asked for and {after} launched ({count:,} times)"
            for (label, before, after), count in sorted(counts.items())
        ]
    return sentences


def _written(row: pd.Series, names: Sequence[str]) -> str:
    return " × ".join("?" if pd.isna(row[name]) else str(row[name]) for name in names)


def timed_by_events(requests: Sequence[Request], timer: EventTimer, process: int) -> pd.DataFrame:
    """The launches table of wrapped launches that CUDA events timed.

    Geometry is what the launcher makes of what was asked for, null where it may change it.

    Args:
        requests: launches that ran, each with its timing: not those captured into graphs.
        timer: that put the events around them.
        process: identifier.
    """
    pairs = [request.timing for request in requests if request.timing is not None]
    spans = iter(timer.spans(pairs))
    times = [_believable(request, next(spans)) for request in requests]
    devices = [pair.device or 0 for pair in pairs]
    kinds = pd.Series([s.KIND_KERNEL] * len(requests), dtype=object)
    names = pd.Series([request.kernel for request in requests], dtype=object)
    shared = [request.dynamic_shared_bytes for request in requests]
    static = [request.resources.static_shared_bytes for request in requests]
    return build_launches(
        {
            s.KIND: pd.Categorical(kinds),
            **kernel_names(names, kinds),
            s.START_NS: _integers([span.start_ns for span in times]),
            s.DURATION_NS: _integers([span.duration_ns for span in times]),
            s.DEVICE: np.array(devices, dtype=np.int64),
            s.PROCESS: np.full(len(requests), process),
            **_axes(s.GRID, [request.launched_grid for request in requests]),
            **_axes(s.BLOCK, [request.block for request in requests]),
            **_axes(s.REQUESTED_GRID, [request.grid for request in requests]),
            **_axes(s.REQUESTED_BLOCK, [request.block for request in requests]),
            s.REGISTERS_PER_THREAD: _integers(
                [request.resources.registers_per_thread for request in requests]
            ),
            s.DYNAMIC_SHARED_BYTES: _integers(shared),
            s.STATIC_SHARED_BYTES: _integers(static),
            s.SHARED_BYTES: _integers(static) + _integers(shared),
            s.RANGES: pd.Categorical([f"{NVTX_DOMAIN}:{request.label}" for request in requests]),
        }
    )


def _believable(request: Request, span: Span) -> Span:
    """The span, unless the launcher compiled or tuned between the events."""
    is_launch = request.left_ns - request.entered_ns <= MAX_LAUNCH_NS
    return span if is_launch else UNTIMED


def _integers(values: Sequence[int | None]) -> pd.Series:
    return pd.Series(pd.array(list(values), dtype="Int64"))


def _axes(names: Sequence[str], values: Sequence[Dimensions | None]) -> dict[str, pd.Series]:
    return {
        name: _integers([None if value is None else value[axis] for value in values])
        for axis, name in enumerate(names)
    }
