"""Running a command with the recorder in it."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.recording.checks import sentences, variables
from geoaudit.recording.checks.slot import taken_slots
from geoaudit.recording.cupti import CuptiLibrary, find_cupti
from geoaudit.recording.supervision import (
    Ended,
    Running,
    SignalHandler,
    is_running,
    run_to_end,
)

LIBRARY = Path(__file__).parent / "libgeoaudit_injector.so"
Watch = Callable[[Path, Running], None]
STREAM = re.compile(r"\d+(-\d+)?\.geoaudit")
RECORDER_OPTIONS = ("GEOAUDIT_YIELD", "GEOAUDIT_DURATION_MS")
"""Variables by which the recorder is told its options; a user's own would work in silence."""
# Tools that inject a library of their own into what they run.
SLOT_TAKERS = frozenset({"ncu", "nsys", "nvprof", "compute-sanitizer", "cuda-memcheck"})


@dataclass(frozen=True, kw_only=True)
class RecorderOptions:
    """How a command is recorded.

    Attributes:
        yields: a profiler in the command wins over the recorder.
        duration_ms: records are taken for so long after each process initialised CUDA, in steps
            of the recorder's half second; None: to its end.
    """

    yields: bool = False
    duration_ms: int | None = None


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What a recorded command left.

    Attributes:
        ended: how it ended, and when.
        folder: where its streams are, one per process that initialised CUDA; the caller
            removes it.
        streams: the streams, in order of process and time.
        running: processes of the streams that were still there when the command ended.
    """

    ended: Ended
    folder: Path
    streams: tuple[Path, ...]
    running: frozenset[int] = frozenset()

    @property
    def exit_code(self) -> int:
        """Of the command, 128 + signal where a signal ended it."""
        return self.ended.exit_code


def run_recorded(
    command: Sequence[str],
    *,
    beside: Path,
    options: RecorderOptions = RecorderOptions(),
    watch: Watch | None = None,
    afterwards: SignalHandler | None = None,
) -> Recorded:
    """Run a command and its children with the recorder loaded; wait for its end.

    Input, output and working folder are the command's own; only its environment is changed.
    Signals are handled as `run_to_end` says, and what was recorded is kept.

    Args:
        command: program and arguments.
        beside: the streams are kept in a folder beside this path while the command runs.
        options: how it is recorded.
        watch: called every half second with the folder of the streams.
        afterwards: who handles signals from the command's end on; None: who did before.

    Raises:
        InputError: the program cannot be started.
        NotMeasuredError: the recorder is not installed, CUPTI is not found, or another tool has
            the slot.
    """
    libraries = find_cupti()
    require_recorder(libraries)
    refuse_taken_slot(os.environ)
    refuse_slot_taker(command[0])
    folder = _stream_folder(beside)
    environment = recorder_environment(os.environ, folder, libraries, options)
    with ExitStack() as on_error:
        on_error.callback(shutil.rmtree, folder, ignore_errors=True)
        ended = _run(command, environment, watch and partial(watch, folder), afterwards)
        on_error.pop_all()
    own = (path for path in folder.iterdir() if STREAM.fullmatch(path.name) and path.is_file())
    streams = tuple(sorted(own, key=_process_and_turn))
    running = {process for process, _ in map(_process_and_turn, streams) if is_running(process)}
    return Recorded(ended=ended, folder=folder, streams=streams, running=frozenset(running))


def _process_and_turn(stream: Path) -> tuple[int, int]:
    """Of PROCESS.geoaudit and, where one process left several, PROCESS-TURN.geoaudit."""
    process, _, turn = stream.stem.partition("-")
    return int(process), int(turn or 0)


def run_bare(command: Sequence[str]) -> Ended:
    """Run a command as it is, without the recorder; wait for its end.

    Raises:
        InputError: the program cannot be started.
    """
    return _run(command, os.environ)


def _run(
    command: Sequence[str],
    environment: Mapping[str, str],
    watch: Callable[[Running], None] | None = None,
    afterwards: SignalHandler | None = None,
) -> Ended:
    try:
        return run_to_end(command, environment, watch, afterwards)
    except OSError as error:
        raise InputError(
            f"cannot run {command[0]}: {error.strerror or error}. Name a program that can be "
            "started from this folder."
        ) from error


def require_folder(beside: Path) -> None:
    """Refuse a path beside which nothing can be written, before anything runs.

    Raises:
        InputError: its folder is not there or cannot be written to.
    """
    _stream_folder(beside).rmdir()


def _stream_folder(beside: Path) -> Path:
    try:
        return Path(tempfile.mkdtemp(dir=beside.parent, prefix=".geoaudit-recording-"))
    except OSError as error:
        raise InputError(
            f"cannot record beside {beside}: {error.strerror or error}. Give -o a path in a "
            "folder that exists and can be written to."
        ) from error


def recorder_environment(
    environment: Mapping[str, str],
    folder: Path,
    libraries: Sequence[CuptiLibrary],
    options: RecorderOptions,
) -> dict[str, str]:
    """The environment that loads the recorder.

    Args:
        environment: the one to start from.
        folder: where the streams go.
        libraries: CUPTI candidates, best first.
        options: how the command is recorded.
    """
    candidates = ":".join(str(library.path) for library in libraries)
    kept = {name: value for name, value in environment.items() if name not in RECORDER_OPTIONS}
    changed = {
        **kept,
        variables.INJECTION: str(LIBRARY),
        variables.NVTX_INJECTION: str(LIBRARY),
        "GEOAUDIT_CUPTI": candidates,
        "GEOAUDIT_RECORDING": str(folder.resolve()),
    }
    if options.yields:
        changed["GEOAUDIT_YIELD"] = "1"
    if options.duration_ms is not None:
        changed["GEOAUDIT_DURATION_MS"] = str(options.duration_ms)
    return changed


def require_recorder(libraries: Sequence[CuptiLibrary]) -> None:
    """Refuse to start what could not be recorded.

    Raises:
        NotMeasuredError: the library or CUPTI is missing; says how to get it.
    """
    if not LIBRARY.is_file():
        raise NotMeasuredError(f"{sentences.NO_RECORDER} {sentences.NO_RECORDER_REMEDY}")
    if not libraries:
        raise NotMeasuredError(f"{sentences.NO_CUPTI} {sentences.NO_CUPTI_REMEDY}")


def refuse_taken_slot(environment: Mapping[str, str]) -> None:
    """Refuse to start where another tool has put itself into the recorder's place.

    Raises:
        NotMeasuredError: names the variable and what is in it.
    """
    for found, remedy in taken_slots(environment):
        raise NotMeasuredError(f"{found} {remedy}")


def refuse_slot_taker(program: str) -> None:
    """Refuse to record a tool that takes the recorder's place in what it runs.

    Raises:
        NotMeasuredError: names the tool and what to do.
    """
    name = Path(program).name
    if name in SLOT_TAKERS:
        raise NotMeasuredError(
            f"{name} takes CUPTI's one place in the program it runs, and nothing would be "
            "recorded. Record the program itself (geoaudit scan -- PROGRAM), or give the report "
            f"of {name} to geoaudit scan."
        )
