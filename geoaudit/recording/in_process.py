"""The recorder in this process: loading it, starting it, and what CUDA was doing meanwhile."""

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from geoaudit.errors import NotMeasuredError
from geoaudit.recording import runner
from geoaudit.recording.checks import sentences
from geoaudit.recording.checks.variables import NVTX_INJECTION
from geoaudit.recording.cupti import CuptiLibrary, find_cupti
from geoaudit.recording.stream import read_stream

SUCCESS = 0


@dataclass(frozen=True, kw_only=True)
class StartedRecorder:
    """The recorder, running in this process.

    Attributes:
        library: the recorder.
        stream: the file it writes.
        clock: CUPTI's time, ns.
    """

    library: ctypes.CDLL
    stream: Path
    clock: Callable[[], int]

    def stop(self) -> None:
        """Wait for the devices and end the recording; the process may be recorded again."""
        synchronize_devices()
        self.library.StopInjection()


def start_recorder(folder: Path) -> StartedRecorder:
    """Start the recorder in this process.

    Args:
        folder: an empty folder for its stream.

    Raises:
        NotMeasuredError: why CUPTI cannot be had.
    """
    libraries = find_cupti()
    runner.require_recorder(libraries)
    runner.refuse_taken_slot(os.environ)
    # A process that holds a CUPTI already gets no second one: the recorder sees to that.
    library = ctypes.CDLL(str(runner.LIBRARY))
    library.RecordingTime.restype = ctypes.c_uint64
    with _recorder_variables(folder, libraries):
        library.InitializeInjection()
    stream = folder / f"{os.getpid()}.geoaudit"
    _require_started(stream)
    return StartedRecorder(library=library, stream=stream, clock=library.RecordingTime)


@contextmanager
def _recorder_variables(folder: Path, libraries: Sequence[CuptiLibrary]) -> Iterator[None]:
    """The environment that the recorder reads while it starts, and only then."""
    told = {
        "GEOAUDIT_RECORDING": str(folder.resolve()),
        "GEOAUDIT_CUPTI": ":".join(str(library.path) for library in libraries),
    }
    before = {name: os.environ.pop(name, None) for name in (*told, *runner.RECORDER_OPTIONS)}
    os.environ.update(told)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _require_started(path: Path) -> None:
    if not path.is_file():
        raise NotMeasuredError(
            "the recorder did not start: it runs in this process already (`geoaudit scan -- "
            f"COMMAND`, another session), or {path.parent} cannot be written to."
        )
    status = read_stream(path).status
    error = 0 if status is None else int(status["error"])
    if error:
        raise NotMeasuredError(sentences.refused(error))


def listen_to_nvtx() -> None:
    """Make the recorder the listener of NVTX ranges, where no other tool is.

    NVTX looks for its listener at its first call in a process, and never again: the variable
    stays set.
    """
    if runner.LIBRARY.is_file():
        os.environ.setdefault(NVTX_INJECTION, str(runner.LIBRARY))


def cuda_driver() -> ctypes.CDLL | None:
    """The CUDA driver, or None where there is none."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def is_cuda_used() -> bool:
    """Whether this process has a CUDA context on any device: kernels may have run in it."""
    driver = cuda_driver()
    return driver is not None and any(_active_devices(driver))


def synchronize_devices() -> None:
    """Wait for all that runs in the current context and in the primary context of each device."""
    driver = cuda_driver()
    if driver is None:
        return
    driver.cuCtxSynchronize()
    for device in _active_devices(driver):
        context = ctypes.c_void_p()
        if driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) != SUCCESS:
            continue
        if driver.cuCtxPushCurrent_v2(context) == SUCCESS:
            driver.cuCtxSynchronize()
            driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
        driver.cuDevicePrimaryCtxRelease_v2(device)


def _active_devices(driver: ctypes.CDLL) -> Iterator[ctypes.c_int]:
    """Devices whose primary context is active; none where CUDA is not initialised."""
    count = ctypes.c_int()
    if driver.cuDeviceGetCount(ctypes.byref(count)) != SUCCESS:
        return
    for index in range(count.value):
        device, flags, active = ctypes.c_int(), ctypes.c_uint(), ctypes.c_int()
        if driver.cuDeviceGet(ctypes.byref(device), index) != SUCCESS:
            continue
        state = (ctypes.byref(flags), ctypes.byref(active))
        if driver.cuDevicePrimaryCtxGetState(device, *state) == SUCCESS and active.value:
            yield device
