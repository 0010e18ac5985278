"""Wrapping a kernel: an NVTX range and a note of what was asked for, around an unchanged launch.

`wrap` knows the launchers of CuPy, Triton and Numba by the shape of their calls and imports none
of them. Outside a recording, and without another NVTX tool, a wrapped kernel calls the kernel and
does nothing else.
"""

# ruff: noqa: ANN401 - kernels, arguments and results are the launchers' own

import importlib
import os
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from geoaudit.errors import InputError
from geoaudit.recording.asked import (
    AskedLaunch,
    CupyLaunch,
    NumbaLaunch,
    TritonLaunch,
    dimensions,
)
from geoaudit.recording.checks.variables import NVTX_INJECTION
from geoaudit.recording.events import EventPair
from geoaudit.recording.requests import NVTX_DOMAIN, KernelResources, Request, RequestLog

# Set before this process began by a tool that listens to ranges: nsys, or `geoaudit scan --`.
_has_listener = bool(os.environ.get(NVTX_INJECTION))
_log: RequestLog | None = None
_domain: Any = None


def start_log(log: RequestLog) -> None:
    """Note all wrapped launches in this log from now on."""
    global _log
    _log = log


def stop_log() -> None:
    """Note no more launches."""
    global _log
    _log = None


def is_noting() -> bool:
    """Whether a session notes launches now."""
    return _log is not None


def wrap(kernel: Any, *, label: str | None = None) -> Any:
    """A kernel that is launched as before, and noted while a session records.

    Args:
        kernel: a cupy.RawKernel (also a function of a cupy.RawModule), a Triton JIT function
            (autotuned and with heuristics too), or a Numba CUDA dispatcher.
        label: name of the NVTX range; by default the kernel's name.

    Returns:
        An object with the kernel's own call syntax and attributes. The launch has the same grid,
        stream and result, and may be captured into a CUDA graph.

    Raises:
        InputError: it is none of these.
    """
    if isinstance(kernel, _Wrapped):
        raise InputError(f"{kernel._label} is wrapped already: wrap a kernel once.")
    # Asked of the type: a property of the kernel itself may compile it.
    kind = type(kernel)
    for attribute, wrapped in _LAUNCHERS.items():
        if hasattr(kind, attribute):
            return wrapped(kernel, label)
    raise InputError(
        f"cannot wrap a {kind.__module__}.{kind.__qualname__}: give a cupy.RawKernel, a function "
        "of a cupy.RawModule, a Triton JIT function or a Numba CUDA kernel."
    )


class _Wrapped:
    """What all wrapped kernels do; attributes are those of the kernel."""

    __slots__ = ("__weakref__", "_kernel", "_label", "_name", "_range")

    def __init__(self, kernel: Any, label: str | None) -> None:
        name = str(self._name_of(kernel))
        for own, value in (
            ("_kernel", kernel),
            ("_name", name),
            ("_label", label or name),
            ("_range", None),
        ):
            object.__setattr__(self, own, value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._kernel, name, value)

    def __repr__(self) -> str:
        return f"<{self._label}, wrapped by geoaudit: {self._kernel!r}>"

    @staticmethod
    def _name_of(kernel: Any) -> str:
        return str(getattr(kernel, "__name__", None) or type(kernel).__name__)

    def _observed(self, launch: Callable[[], Any], asked: AskedLaunch) -> Any:
        """Launch inside a range, and note the request where a session records."""
        log, domain = _log, _nvtx_domain()
        if self._range is None:
            category = domain.get_category_id("launch")
            attributes = domain.get_event_attributes(message=self._label, category=category)
            object.__setattr__(self, "_range", (attributes,))
        domain.push_range(*self._range)
        try:
            return launch() if log is None else self._noted(log, launch, asked)
        finally:
            domain.pop_range()

    def _noted(self, log: RequestLog, launch: Callable[[], Any], asked: AskedLaunch) -> Any:
        stream = asked.stream() if log.timer else 0
        pair = log.timer.begin(stream) if log.timer else None
        entered = log.clock()
        result = launch()
        left = log.clock()
        if log.timer and pair:
            pair = log.timer.end(pair, stream)
        if pair or not log.timer:
            thread = threading.get_native_id()
            log.note(partial(self._request, asked, result, (entered, left, thread), pair))
        return result

    def _request(
        self, asked: AskedLaunch, result: Any, call: tuple[int, int, int], pair: EventPair | None
    ) -> Request:
        return Request(
            label=self._label,
            kernel=self._name,
            entered_ns=call[0],
            left_ns=call[1],
            thread=call[2],
            grid=dimensions(asked.grid()),
            block=dimensions(asked.block(result)),
            launched_grid=asked.launched_grid(),
            dynamic_shared_bytes=asked.dynamic_shared_bytes(result),
            timing=pair,
            resources=asked.resources(result) if pair else KernelResources(),
        )


class CupyKernel(_Wrapped):
    """A cupy.RawKernel: ``kernel(grid, block, arguments, shared_mem=0)``."""

    __slots__ = ()

    @staticmethod
    def _name_of(kernel: Any) -> str:
        return str(kernel.name)

    def __call__(self, grid: Any, block: Any, args: Any, **options: Any) -> Any:
        """Launch, as the kernel itself does."""
        if not _is_observed():
            return self._kernel(grid, block, args, **options)
        launch = partial(self._kernel, grid, block, args, **options)
        return self._observed(launch, CupyLaunch(self._kernel, grid, block, options))


class TritonKernel(_Wrapped):
    """A Triton JIT function: ``kernel[grid](arguments, META=...)``."""

    __slots__ = ()

    @staticmethod
    def _name_of(kernel: Any) -> str:
        # Autotuners and heuristics hold the function that they tune.
        while not hasattr(kernel, "__name__") and hasattr(kernel, "fn"):
            kernel = kernel.fn
        return _Wrapped._name_of(kernel)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        """The launcher of this grid, as the kernel's own."""
        return partial(self._launch, grid)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """What the kernel itself does when it is called without a grid."""
        return self._kernel(*args, **options)

    def _launch(self, grid: Any, /, *args: Any, **options: Any) -> Any:
        if not _is_observed():
            return self._kernel[grid](*args, **options)
        asked = TritonLaunch(grid)
        return self._observed(partial(self._kernel[asked.passed(grid)], *args, **options), asked)


class NumbaKernel(_Wrapped):
    """A Numba CUDA dispatcher: ``kernel[grid, block, stream, shared](arguments)``."""

    __slots__ = ()

    def __getitem__(self, configuration: Any) -> Callable[..., Any]:
        """The launcher of this configuration, as the kernel's own."""
        return partial(self._launch, self._kernel[configuration])

    def configure(self, *args: Any, **options: Any) -> Callable[..., Any]:
        """The launcher of this configuration, as the kernel's own."""
        return partial(self._launch, self._kernel.configure(*args, **options))

    def __call__(self, *args: Any, **options: Any) -> Any:
        """What the kernel itself does when it is called without a configuration."""
        return self._kernel(*args, **options)

    def _launch(self, configured: Any, /, *args: Any) -> Any:
        if not _is_observed():
            return configured(*args)
        return self._observed(partial(configured, *args), NumbaLaunch(configured))


# An attribute of the launcher's type -> its wrapper.
_LAUNCHERS: dict[str, type[_Wrapped]] = {
    "max_dynamic_shared_size_bytes": CupyKernel,
    "configure": NumbaKernel,
    "run": TritonKernel,
}


def _is_observed() -> bool:
    """Whether anyone wants to know of launches."""
    return _log is not None or _has_listener


def _nvtx_domain() -> Any:
    """The domain of our ranges.

    The first NVTX call of a process binds it to the listener of that moment, or to none for good:
    so this is called only where there is one.
    """
    global _domain
    if _domain is None:
        _domain = importlib.import_module("nvtx").get_domain(NVTX_DOMAIN)
    return _domain
