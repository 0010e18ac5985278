"""Running a command to its end, whatever signals come meanwhile."""

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

SignalHandler = Callable[[int, FrameType | None], None]
PERIOD_S = 0.5
"""How often a command that is watched is looked at."""
# A terminal that goes away sends SIGHUP; `kill`, `timeout` and CI systems send SIGTERM.
PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, kw_only=True)
class Running:
    """A command while it runs.

    Attributes:
        elapsed_s: seconds since its start.
        interrupts: how often Ctrl-C (SIGINT) came.
    """

    elapsed_s: float
    interrupts: int


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A command that ended.

    Attributes:
        exit_code: its own, 128 + signal where a signal ended it.
        wall_ns: from its start to its end.
        stopped_by: the first signal that geoaudit itself was sent meanwhile, or None.
    """

    exit_code: int
    wall_ns: int
    stopped_by: int | None


def run_to_end(
    command: Sequence[str],
    environment: Mapping[str, str],
    watch: Callable[[Running], None] | None = None,
    afterwards: SignalHandler | None = None,
) -> Ended:
    """Run a command and wait for its end.

    Input, output and working folder are the command's own. SIGTERM and SIGHUP are passed on to
    it. Of Ctrl-C the terminal tells it by itself, and a SIGINT from elsewhere is passed on; a
    second one kills it.

    Args:
        command: program and arguments.
        environment: the whole of the command's environment.
        watch: called every half second while it runs.
        afterwards: who handles the signals from its end on; None: who did before.

    Raises:
        OSError: it cannot be started.
    """
    signals = _Signals(afterwards=afterwards)
    start_ns = time.perf_counter_ns()
    with signals.taken():
        process = subprocess.Popen(list(command), env=dict(environment))
        signals.start(process)
        if watch is not None:
            for _ in _ticks(process):
                elapsed_s = (time.perf_counter_ns() - start_ns) / 1e9
                watch(Running(elapsed_s=elapsed_s, interrupts=signals.interrupts))
        code = process.wait()
        wall_ns = time.perf_counter_ns() - start_ns
    stopped_by = int(signals.received[0]) if signals.received else None
    return Ended(
        exit_code=code if code >= 0 else 128 - code, wall_ns=wall_ns, stopped_by=stopped_by
    )


def is_running(process: int) -> bool:
    """Whether a process is there and has not ended (Linux)."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    # The name before the state may hold anything, brackets too.
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


@dataclass(kw_only=True)
class _Signals:
    """What to do with signals while a command runs."""

    afterwards: SignalHandler | None
    received: list[int] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None

    @property
    def interrupts(self) -> int:
        return self.received.count(signal.SIGINT)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take the signals, but those that whoever started geoaudit had it ignore."""
        before = {}
        if threading.current_thread() is threading.main_thread():
            for number in PASSED_ON:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    before[number] = signal.signal(number, self._take)
        has_ended = False
        try:
            yield
            has_ended = True
        finally:
            for number, handler in before.items():
                # Without a moment between: two signals often come together.
                signal.signal(number, self.afterwards if has_ended and self.afterwards else handler)

    def start(self, process: subprocess.Popen[bytes]) -> None:
        """Pass on what came before the command was there."""
        self.process = process
        for number in tuple(self.received):
            self._pass_on(process, number)

    def _take(self, number: int, frame: FrameType | None) -> None:
        self.received.append(number)
        if self.process is not None:
            self._pass_on(self.process, number)

    def _pass_on(self, process: subprocess.Popen[bytes], number: int) -> None:
        if number != signal.SIGINT:
            process.send_signal(number)
        elif self.interrupts > 1:
            process.kill()
        elif not _terminal_tells_the_command():
            process.send_signal(number)


def _terminal_tells_the_command() -> bool:
    """Whether Ctrl-C goes to geoaudit and the command alike: both are the terminal's foreground."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _ticks(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """One every half second until the process ends, which is noticed at once."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:
        # A kernel before 5.3.
        yield from _slow_ticks(process)
        return
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        while not poll.poll(PERIOD_S * 1e3):
            yield
    finally:
        os.close(descriptor)


def _slow_ticks(process: subprocess.Popen[bytes]) -> Iterator[None]:
    while True:
        try:
            process.wait(PERIOD_S)
        except subprocess.TimeoutExpired:
            yield
        else:
            return
