"""Wrapped launchers of the three kinds: nothing of a launch changes, and all is noted.

The launchers here are stand-ins with the call syntax of CuPy's, Triton's and Numba's own; that
the real ones do the same is proven on a GPU by tests/gpu/record_in_process.py.
"""

# ruff: noqa: ANN401 - calls come as they are given

import ctypes
import importlib
import itertools
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import geoaudit.recording
from geoaudit.errors import InputError
from geoaudit.recording import wrappers
from geoaudit.recording.events import EventTimer
from geoaudit.recording.requests import Request, RequestLog
from geoaudit.recording.wrappers import wrap


class RawKernel:
    """cupy.RawKernel's protocol."""

    def __init__(self, *, cooperative: bool = False) -> None:
        self.name = "scale"
        self.enable_cooperative_groups = cooperative
        self.num_regs, self.shared_size_bytes = 24, 128
        self.calls: list[tuple[Any, ...]] = []
        self.carveout = 0

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        raise AssertionError("reading this compiles the kernel")

    def __call__(self, grid: Any, block: Any, args: Any, **options: Any) -> None:
        if args == "bad":
            raise ValueError("no such argument")
        self.calls.append((grid, block, args, options))


class JITFunction:
    """Triton's: a subscript gives a launcher, which calls `run`; it returns what was compiled."""

    def __init__(self) -> None:
        self.__name__ = "add_kernel"
        self.calls: list[tuple[Any, ...]] = []

    def run(self, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
        evaluated = grid({"BLOCK": options["BLOCK"]}) if callable(grid) else grid
        self.calls.append((evaluated, args, options))
        target = SimpleNamespace(warp_size=32)
        metadata = SimpleNamespace(num_warps=4, shared=2048, target=target)
        return SimpleNamespace(metadata=metadata, n_regs=40)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return lambda *args, **options: self.run(*args, grid=grid, warmup=False, **options)


class Autotuner:
    """Triton's: tries configurations before it launches; has no name of its own."""

    def __init__(self, function: JITFunction) -> None:
        self.fn = function

    def run(self, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
        for size in (64, 256, 128):
            result = self.fn.run(*args, grid=grid, warmup=warmup, BLOCK=size, **options)
        return result

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return lambda *args, **options: self.run(*args, grid=grid, warmup=False, **options)


class Dispatcher:
    """Numba's: a subscript gives a launch configuration."""

    def __init__(self) -> None:
        self.__name__ = "saxpy"
        self.calls: list[tuple[Any, ...]] = []

    def configure(self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0) -> Any:
        return Configured(self, griddim, blockdim, stream, sharedmem)

    def __getitem__(self, arguments: Any) -> Any:
        return self.configure(*arguments)


class Configured:
    """A launch configuration: normalised to three dimensions, as Numba's."""

    def __init__(
        self, dispatcher: Dispatcher, griddim: Any, blockdim: Any, stream: Any, sharedmem: int
    ) -> None:
        self.dispatcher = dispatcher
        self.griddim, self.blockdim = _three(griddim), _three(blockdim)
        self.stream, self.sharedmem = stream, sharedmem

    def __call__(self, *args: Any) -> None:
        if args == ("bad",):
            raise ValueError("no such argument")
        self.dispatcher.calls.append((self.griddim, self.blockdim, args))


def _three(given: Any) -> tuple[int, ...]:
    values = tuple(given) if isinstance(given, tuple) else (given,)
    return (*values, 1, 1)[:3]


class Domain:
    """An NVTX domain that keeps what is opened and closed."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def get_category_id(self, name: str) -> int:
        return len(name)

    def get_event_attributes(self, *, message: str, category: int) -> str:
        return message

    def push_range(self, attributes: str) -> None:
        self.events.append(f"+{attributes}")

    def pop_range(self) -> None:
        self.events.append("-")


class Driver:
    """The driver's event functions, with a clock that goes on by a millisecond per event."""

    def __init__(self, *, capturing: bool = False) -> None:
        self.capturing = capturing
        self.events: dict[int, int] = {}
        self.streams: list[int | None] = []
        self.destroyed: list[int] = []

    def cuCtxGetDevice(self, device: Any) -> int:  # noqa: N802 - the driver's name
        device._obj.value = 1
        return 0

    def cuStreamIsCapturing(self, stream: Any, state: Any) -> int:  # noqa: N802
        state._obj.value = int(self.capturing)
        return 0

    def cuEventCreate(self, event: Any, flags: int) -> int:  # noqa: N802
        event._obj.value = len(self.events) + 100
        self.events[event._obj.value] = 0
        return 0

    def cuEventRecord(self, event: Any, stream: Any) -> int:  # noqa: N802
        self.events[event.value] = len(self.streams) + 1
        self.streams.append(stream.value)
        return 0

    def cuEventSynchronize(self, event: Any) -> int:  # noqa: N802
        return 0

    def cuEventElapsedTime(self, elapsed: Any, first: Any, second: Any) -> int:  # noqa: N802
        elapsed._obj.value = self.events[second.value] - self.events[first.value]
        return 0

    def cuEventDestroy_v2(self, event: Any) -> int:  # noqa: N802
        self.destroyed.append(event.value)
        return 0


@pytest.fixture
def log() -> Iterator[RequestLog]:
    ticks = itertools.count(1)
    log = RequestLog(lambda: next(ticks))
    wrappers.start_log(log)
    yield log
    wrappers.stop_log()


@pytest.fixture
def domain(monkeypatch: pytest.MonkeyPatch) -> Domain:
    domain = Domain()
    monkeypatch.setattr(wrappers, "_domain", domain)
    return domain


def test_wrap_is_exported_without_being_loaded() -> None:
    assert geoaudit.recording.wrap is wrap


def test_cupy_arguments_pass_unchanged(log: RequestLog, domain: Domain) -> None:
    kernel = RawKernel()
    arguments = (object(), 3)
    wrap(kernel, label="matvec")((0, 2), (128,), arguments, shared_mem=512)
    assert kernel.calls == [((0, 2), (128,), arguments, {"shared_mem": 512})]
    assert kernel.calls[0][2] is arguments
    (request,) = log.requests()
    assert request.grid == (0, 2, 1)
    assert request.launched_grid == (1, 2, 1)
    assert request.block == (128, 1, 1)
    assert request.dynamic_shared_bytes == 512
    assert (request.label, request.kernel) == ("matvec", "scale")
    assert request.entered_ns < request.left_ns
    assert domain.events == ["+matvec", "-"]


def test_a_cooperative_grid_may_shrink_and_is_not_foretold(log: RequestLog, domain: Domain) -> None:
    wrap(RawKernel(cooperative=True))((4,), (32,), ())
    assert log.requests()[0].grid == (4, 1, 1)
    assert log.requests()[0].launched_grid is None


def test_triton_grids_pass_unchanged(log: RequestLog, domain: Domain) -> None:
    kernel = JITFunction()
    result = wrap(kernel)[(7, 2)]("x", BLOCK=64)
    assert kernel.calls == [((7, 2), ("x",), {"BLOCK": 64})]
    assert result.n_regs == 40
    (request,) = log.requests()
    assert (request.grid, request.block) == ((7, 2, 1), (128, 1, 1))
    assert request.dynamic_shared_bytes == 2048
    assert request.label == "add_kernel"


def test_a_triton_grid_function_is_called_as_often_as_without(
    log: RequestLog, domain: Domain
) -> None:
    seen: list[int] = []

    def grid(meta: dict[str, int]) -> tuple[int]:
        seen.append(meta["BLOCK"])
        return (1024 // meta["BLOCK"],)

    kernel = JITFunction()
    wrap(Autotuner(kernel))[grid]("x")
    assert seen == [64, 256, 128]
    assert [call[0] for call in kernel.calls] == [(16,), (4,), (8,)]
    (request,) = log.requests()
    assert request.grid == (8, 1, 1)
    assert request.kernel == "add_kernel"


@pytest.mark.parametrize("form", ["subscript", "configure"])
def test_numba_configurations_pass_unchanged(log: RequestLog, domain: Domain, form: str) -> None:
    kernel = Dispatcher()
    wrapped = wrap(kernel)
    launcher = (
        wrapped[(5, 2), 96, 0, 1024]
        if form == "subscript"
        else wrapped.configure((5, 2), 96, 0, 1024)
    )
    launcher("x", 2.0)
    assert kernel.calls == [((5, 2, 1), (96, 1, 1), ("x", 2.0))]
    (request,) = log.requests()
    assert (request.grid, request.block) == ((5, 2, 1), (96, 1, 1))
    assert request.dynamic_shared_bytes == 1024


@pytest.mark.parametrize(
    "launch",
    [
        lambda: wrap(RawKernel())((1,), (1,), "bad"),
        lambda: wrap(JITFunction())[lambda meta: (1,)]("x"),
        lambda: wrap(Dispatcher())[1, 1]("bad"),
    ],
    ids=["cupy", "triton", "numba"],
)
def test_exceptions_propagate_and_ranges_close(
    log: RequestLog, domain: Domain, launch: Callable[[], None]
) -> None:
    with pytest.raises((ValueError, KeyError)):
        launch()
    assert [event[0] for event in domain.events] == ["+", "-"]
    assert log.requests() == []


def test_a_failing_grid_function_is_the_callers_own_error(log: RequestLog, domain: Domain) -> None:
    def grid(meta: dict[str, int]) -> tuple[int]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        wrap(Autotuner(JITFunction()))[grid]("x")
    assert domain.events[-1] == "-"


def test_without_a_session_nvtx_is_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrappers, "_has_listener", False)
    monkeypatch.setattr(wrappers, "_domain", None)
    monkeypatch.setattr(importlib, "import_module", _forbidden)
    kernel = RawKernel()
    wrap(kernel)((1,), (32,), ())
    assert len(kernel.calls) == 1


def _forbidden(name: str) -> None:
    raise AssertionError(name)


def test_attributes_are_the_kernels_own(log: RequestLog) -> None:
    kernel = RawKernel()
    wrapped = wrap(kernel)
    wrapped.carveout = 50
    assert kernel.carveout == 50
    assert wrapped.num_regs == 24
    assert not hasattr(wrapped, "no_such_attribute")


@pytest.mark.parametrize("other", [print, 3, SimpleNamespace(get_function=None)])
def test_what_is_no_kernel_is_refused(other: object) -> None:
    with pytest.raises(InputError, match=r"cupy\.RawKernel"):
        wrap(other)


def test_a_kernel_is_wrapped_once() -> None:
    with pytest.raises(InputError, match="wrapped already"):
        wrap(wrap(RawKernel()))


def test_one_range_after_another_of_a_label(log: RequestLog, domain: Domain) -> None:
    wrapped = wrap(RawKernel(), label="a")
    for _ in range(3):
        wrapped((1,), (32,), ())
    assert domain.events == ["+a", "-"] * 3
    assert len(log.requests()) == 3


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch, domain: Domain) -> Iterator[tuple[Driver, RequestLog]]:
    driver = Driver()
    log = RequestLog(lambda: 0, EventTimer(driver))  # type: ignore[arg-type]
    stream = SimpleNamespace(ptr=77)
    cuda = SimpleNamespace(get_current_stream=lambda: stream)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    wrappers.start_log(log)
    yield driver, log
    wrappers.stop_log()


def test_events_go_to_the_stream_of_the_launch(timed: tuple[Driver, RequestLog]) -> None:
    driver, log = timed
    wrap(RawKernel())((1,), (32,), ())
    wrap(RawKernel())((1,), (32,), (), stream=SimpleNamespace(ptr=88))
    wrap(Dispatcher())[1, 32, SimpleNamespace(handle=ctypes.c_void_p(99))]("x")
    assert driver.streams == [77, 77, 88, 88, 99, 99]
    assert [request.resources.registers_per_thread for request in log.requests()] == [24, 24, None]


def test_nothing_is_recorded_into_a_graph(timed: tuple[Driver, RequestLog]) -> None:
    driver, log = timed
    driver.capturing = True
    kernel = RawKernel()
    wrap(kernel)((1,), (32,), ())
    assert len(kernel.calls) == 1
    assert driver.events == {}
    assert log.requests() == []
    assert log.timer is not None
    assert log.timer.captured == 1


def _timings(log: RequestLog) -> list[Any]:
    return [_of(request) for request in log.requests()]


def _of(request: Request) -> Any:
    assert request.timing is not None
    return request.timing


def test_spans_of_events(timed: tuple[Driver, RequestLog]) -> None:
    driver, log = timed
    wrapped = wrap(RawKernel())
    for _ in range(3):
        wrapped((1,), (32,), ())
    assert log.timer is not None
    spans = log.timer.spans(_timings(log))
    assert [span.start_ns for span in spans] == [0, 2_000_000, 4_000_000]
    assert [span.duration_ns for span in spans] == [1_000_000] * 3
    assert sorted(driver.destroyed) == sorted(driver.events)


def test_launches_beyond_the_limit_are_untimed() -> None:
    timer = EventTimer(Driver(), limit=1)  # type: ignore[arg-type]
    pairs = []
    for _ in range(2):
        pair = timer.begin(0)
        assert pair is not None
        pairs.append(timer.end(pair, 0))
    assert [span.duration_ns for span in timer.spans(pairs)] == [1_000_000, None]
