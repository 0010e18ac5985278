"""Running a command with the recorder in it."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.recording.cupti import CuptiLibrary, find_cupti

LIBRARY = Path(__file__).parent / "libgeoaudit_injector.so"
STREAMS = "*.geoaudit"
# What another tool puts into the environment when it takes the slot.
SLOT_VARIABLES = ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What a recorded command left.

    Attributes:
        exit_code: of the command, 128 + signal where a signal ended it.
        folder: where its streams are, one per process that initialised CUDA; the caller
            removes it.
        streams: the streams, in order of process.
    """

    exit_code: int
    folder: Path
    streams: tuple[Path, ...]


def run_recorded(command: Sequence[str], *, beside: Path, yields: bool = False) -> Recorded:
    """Run a command and its children with the recorder loaded; wait for its end.

    Input, output and working folder are the command's own; only its environment is changed.
    Ctrl-C goes to the command, and what was recorded is kept.

    Args:
        command: program and arguments.
        beside: the streams are kept in a folder beside this path while the command runs.
        yields: a profiler in the command wins over the recorder.

    Raises:
        InputError: the program cannot be started.
        NotMeasuredError: the recorder is not installed, CUPTI is not found, or another tool has
            the slot.
    """
    libraries = find_cupti()
    require_recorder(libraries)
    refuse_taken_slot(os.environ)
    try:
        folder = Path(tempfile.mkdtemp(dir=beside.parent, prefix=".geoaudit-recording-"))
    except OSError as error:
        raise InputError(
            f"cannot record beside {beside}: {error.strerror or error}. Give -o a path in a "
            "folder that exists and can be written to."
        ) from error
    try:
        code = _run(command, recorder_environment(os.environ, folder, libraries, yields=yields))
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(f"cannot run {command[0]}: {error.strerror or error}.") from error
    streams = sorted(folder.glob(STREAMS), key=lambda path: int(path.stem))
    return Recorded(exit_code=code, folder=folder, streams=tuple(streams))


def recorder_environment(
    environment: Mapping[str, str],
    folder: Path,
    libraries: Sequence[CuptiLibrary],
    *,
    yields: bool,
) -> dict[str, str]:
    """The environment that loads the recorder.

    Args:
        environment: the one to start from.
        folder: where the streams go.
        libraries: CUPTI candidates, best first.
        yields: a profiler in the command wins.
    """
    candidates = ":".join(str(library.path) for library in libraries)
    changed = {
        **environment,
        "CUDA_INJECTION64_PATH": str(LIBRARY),
        # NVTX hands its ranges to the CUPTI named here; without it there are no markers.
        "NVTX_INJECTION64_PATH": str(libraries[0].path),
        "GEOAUDIT_CUPTI": candidates,
        "GEOAUDIT_RECORDING": str(folder.resolve()),
    }
    if yields:
        changed["GEOAUDIT_YIELD"] = "1"
    return changed


def require_recorder(libraries: Sequence[CuptiLibrary]) -> None:
    """Refuse to start what could not be recorded.

    Raises:
        NotMeasuredError: the library or CUPTI is missing; says how to get it.
    """
    if not LIBRARY.is_file():
        raise NotMeasuredError(
            "this installation has no recorder: no C compiler was found when it was built. "
            "Install gcc and install geoaudit again, or profile with another tool and give "
            "`geoaudit scan` its trace."
        )
    if not libraries:
        raise NotMeasuredError(
            "CUPTI was not found: no nvidia-cuda-cupti wheel, no PyTorch, no CUDA toolkit. "
            "Install geoaudit[cuda13] (or [cuda12]), or set CUDA_HOME."
        )


def refuse_taken_slot(environment: Mapping[str, str]) -> None:
    """Refuse to start where another tool has put itself into the recorder's place.

    Raises:
        NotMeasuredError: names the variable and what is in it.
    """
    other = environment.get("CUDA_INJECTION64_PATH")
    if other:
        raise NotMeasuredError(
            f"CUDA_INJECTION64_PATH is set to {other}: another tool (Nsight Systems, Nsight "
            "Compute, compute-sanitizer, a second geoaudit) has the place of the recorder. Run "
            "without it, or unset the variable."
        )


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Exit code of the command; the terminal's Ctrl-C reaches the command, and we wait for it."""
    process = subprocess.Popen(list(command), env=dict(environment))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code
