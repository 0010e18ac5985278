"""A command run under Nsight Compute (ncu) for a few counters, one launch per signature."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from geoaudit.errors import NotMeasuredError
from geoaudit.launches.owners import mangled_other_than_collectives
from geoaudit.recording.checks.variables import INJECTION, NVTX_INJECTION
from geoaudit.recording.runner import RECORDER_OPTIONS

METRICS = (
    "gpu__time_duration.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "sm__cycles_active.avg",
    "sm__cycles_elapsed.max",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
)
# Context, stream, name and invocation: the first launch of every kernel and launch shape, but of
# collectives. Those wait for other ranks, and hang where each rank's are run again and again.
FIRST_OF_EACH = f"::regex:{mangled_other_than_collectives()}:1"
OPTIONS = (
    *("--kernel-id", FIRST_OF_EACH),
    # Invocations are counted by name and launch shape. The plain name would be that of all
    # instances of a template, of which one alone was counted then.
    *("--kernel-name-base", "mangled"),
    *("--filter-mode", "per-launch-config"),
    *("--graph-profiling", "node"),
    *("--target-processes", "all"),
    *("--replay-mode", "kernel"),
    # Each pass would find in the caches what the pass before it left there. A decode token touches
    # more than the L2 between two launches of a kernel, so cold is what they mostly are.
    *("--cache-control", "all"),
    # Ratios of cycles and counts of bytes need no fixed clock, which a user may not set.
    *("--clock-control", "none"),
    *("--section", "LaunchStats"),
    *("--metrics", ",".join(METRICS)),
    *("--csv", "--page", "raw", "--print-units", "base"),
    # The name as CUPTI gives it, so that both are demangled by the same hand.
    *("--print-kernel-base", "mangled"),
)
PERIOD_S = 0.5
GRACE_S = 5.0
"""How long ncu and the command have to end after SIGTERM, before they are killed."""

_ROW = re.compile(r'^"\d+",', re.MULTILINE)
_PROFILED = re.compile(r"^==PROF== Profiling ", re.MULTILINE)
_ERROR = re.compile(r"^==ERROR== +(.*\S)", re.MULTILINE)
_OWN_VARIABLES = (
    *(INJECTION, NVTX_INJECTION, "GEOAUDIT_CUPTI", "GEOAUDIT_RECORDING"),
    *RECORDER_OPTIONS,
)
_COMMAND_FAILED = "returned an error code"
_NOT_FOUND = (
    "ncu (Nsight Compute), which reads the counters, is neither on PATH nor beside a CUDA toolkit. "
    "Install it (it comes with the CUDA toolkit: cuda-nsight-compute), or name it: --ncu PATH."
)
_REMEDIES = {
    "ERR_NVGPUCTRPERM": "the driver keeps counters for administrators. Run as root, load the "
    "driver with NVreg_RestrictProfilingToAdminUsers=0, or start the container with --cap-add "
    "SYS_ADMIN.",
    "driver resource was unavailable": "another tool has the counters (DCGM, another profiler). "
    "Stop it meanwhile: dcgmi profile --pause.",
    _COMMAND_FAILED: "the command fails under ncu. Try `ncu COMMAND`; it has no input there, and "
    "runs far slower.",
}


@dataclass(frozen=True, kw_only=True)
class Counting:
    """A run under ncu while it goes on.

    Attributes:
        elapsed_s: seconds since its start.
        profiled: launches that ncu says it has counted.
    """

    elapsed_s: float
    profiled: int


def find_ncu() -> Path:
    """Where ncu is: on PATH, in a CUDA toolkit, or in a place of its own.

    Raises:
        NotMeasuredError: nowhere; says how to get it.
    """
    on_path = shutil.which("ncu")
    if on_path is not None:
        return Path(on_path)
    for path in _places():
        if os.access(path, os.X_OK) and path.is_file():
            return path
    raise NotMeasuredError(_NOT_FOUND)


def _places() -> Iterator[Path]:
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield Path(os.environ[name]) / "bin" / "ncu"
    for pattern in ("usr/local/cuda*/bin/ncu", "opt/nvidia/nsight-compute/*/ncu"):
        yield from sorted(Path("/").glob(pattern), reverse=True)


def run_counted(
    command: Sequence[str],
    log: Path,
    *,
    ncu: Path,
    limit_s: float,
    watch: Callable[[Counting], None] | None = None,
) -> tuple[str, ...]:
    """Run a command under ncu to its end; its counters are in the log, a raw page as CSV.

    The command has no input, and its output goes nowhere: it was seen in the run that was timed.
    What it says on standard error is seen.

    Args:
        command: program and arguments.
        log: where all that ncu says goes.
        ncu: the program.
        limit_s: after so long it and the command are ended.
        watch: called every half second.

    Returns:
        Errors that ncu reports of some launches beside the counters of others.

    Raises:
        NotMeasuredError: nothing was counted; says why and what to do.
    """
    started = time.monotonic()
    arguments = [str(ncu), *OPTIONS, "--log-file", str(log), *command]
    with _ended_by_signals():
        process = _started(arguments)
        try:
            code = _wait(process, log, started, limit_s, watch)
        finally:
            _end(process)
    if code is None:
        raise NotMeasuredError(
            f"the run under ncu did not end within {limit_s:g} s. Each kernel is run several times "
            "there: give it more (--counting-limit SECONDS), or a command that does less."
        )
    return _errors_beside_counters(code, _text(log), f"ran {shlex.join(arguments)}")


def _started(arguments: Sequence[str]) -> "subprocess.Popen[bytes]":
    try:
        # A group of its own, so that the command ends too where ncu is ended.
        return subprocess.Popen(
            arguments,
            env=_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            process_group=0,
        )
    except OSError as error:
        raise NotMeasuredError(
            f"cannot run {arguments[0]}: {error.strerror or error}. Name Nsight Compute's ncu: "
            "--ncu PATH."
        ) from error


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """What hangs up or terminates geoaudit leaves no ncu behind."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, _leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Without the recorder, whose place ncu takes, and without any other that has it."""
    return {name: value for name, value in environment.items() if name not in _OWN_VARIABLES}


def _wait(
    process: "subprocess.Popen[bytes]",
    log: Path,
    started: float,
    limit_s: float,
    watch: Callable[[Counting], None] | None,
) -> int | None:
    """The exit code; None where the time was up."""
    while True:
        left_s = limit_s - (time.monotonic() - started)
        if left_s <= 0:
            return None
        try:
            return process.wait(min(PERIOD_S, left_s))
        except subprocess.TimeoutExpired:
            if watch is not None:
                profiled = len(_PROFILED.findall(_text(log)))
                watch(Counting(elapsed_s=time.monotonic() - started, profiled=profiled))


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End what is left of the group: nothing, where ncu came to its own end."""
    if process.poll() is not None:
        return
    os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)
    # The command may outlive ncu.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _text(log: Path) -> str:
    try:
        return log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _errors_beside_counters(code: int, text: str, what_ran: str) -> tuple[str, ...]:
    errors = tuple(dict.fromkeys(_ERROR.findall(text)))
    failed = code != 0 or any(_COMMAND_FAILED in error for error in errors)
    if not failed and _ROW.search(text):
        return tuple(f"ncu: {error}" for error in errors)
    for sign, remedy in _REMEDIES.items():
        if any(sign in error for error in errors):
            raise NotMeasuredError(f"ncu counted nothing: {remedy}", errors)
    if code != 0:
        why = errors[0].rstrip(".") if errors else "it does not say why"
        raise NotMeasuredError(
            f"ncu ended with code {code}: {why}. See whether it can profile the command by itself.",
            (*errors, what_ran),
        )
    raise NotMeasuredError(
        "ncu saw no kernel of the command. It has no input there (it was read by the timed run), "
        "and a server that runs already is not reached: give a command that launches by itself.",
        (*errors, what_ran),
    )
