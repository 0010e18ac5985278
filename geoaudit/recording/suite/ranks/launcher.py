"""Starts the ranks of a group, and ends the others where one fails.

``python -m geoaudit.recording.suite.ranks.launcher RUN``, where RUN is the JSON of a `GroupRun`.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from geoaudit.recording.suite.ranks.group_run import group_run

# The recorder writes what it has every half second: a rank that waits for a dead one leaves all.
GRACE_S = 1.5
_LAST_S = 5.0
_POLL_S = 0.05


class Group:
    """The processes of a group, rank by rank."""

    def __init__(self, processes: Sequence[subprocess.Popen[bytes]]) -> None:
        self.processes = tuple(processes)

    def wait(self) -> tuple[int, ...]:
        """Wait until all have ended; where one fails, the others are ended after a grace.

        A rank whose peer is gone waits for it on the device, for ever.

        Returns:
            Exit code of each, rank by rank; negative: ended by that signal, perhaps ours.
        """
        while not self._has_ended():
            if any(process.poll() for process in self.processes):
                self._within(GRACE_S)
                break
            time.sleep(_POLL_S)
        self.end()
        return tuple(process.wait() for process in self.processes)

    def end(self) -> None:
        """End those that still run: asked first, killed where that does not help."""
        self.send(signal.SIGTERM)
        self._within(_LAST_S)
        self.send(signal.SIGKILL)

    def send(self, number: int) -> None:
        """Send a signal to those that still run."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(number)

    def _has_ended(self) -> bool:
        return all(process.poll() is not None for process in self.processes)

    def _within(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._has_ended() and time.monotonic() < deadline:
            time.sleep(_POLL_S)


def start(command: Sequence[str], ranks: int) -> Group:
    """Start a process for each rank, numbered in the environment as torchrun does.

    Each is in a session of its own: signals reach it through the launcher alone.

    Args:
        command: of each.
        ranks: how many, all on this machine.

    Raises:
        OSError: one cannot be started; those before it are ended.
    """
    told = {"WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks)}
    started: list[subprocess.Popen[bytes]] = []
    try:
        for rank in range(ranks):
            numbered = {**os.environ, **told, "RANK": str(rank), "LOCAL_RANK": str(rank)}
            started.append(subprocess.Popen(list(command), env=numbered, start_new_session=True))
    except OSError:
        Group(started).end()
        raise
    return Group(started)


def first_failure(codes: Sequence[int]) -> tuple[int, int] | None:
    """Rank and exit code of the failure that explains the others; None where all went well.

    A rank that failed by itself comes before those that were ended for it.
    """
    failed = [(rank, code) for rank, code in enumerate(codes) if code]
    ended = (-signal.SIGTERM, 128 + signal.SIGTERM)
    own = [(rank, code) for rank, code in failed if code not in ended]
    return next(iter(own or failed), None)


def main(arguments: Sequence[str]) -> int:
    """Run a group; 0, or the code of the rank that failed, 128 + signal where one ended it."""
    run = group_run(arguments[0])
    with tempfile.TemporaryDirectory(prefix="geoaudit-ranks-") as folder, _kept() as signals:
        group = start(run.rank_command(str(Path(folder) / "meeting")), run.ranks)
        signals.pass_on(group.send)
        codes = group.wait()
    failure = first_failure(codes)
    if failure is None:
        return 0
    rank, code = failure
    how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    sys.stderr.write(f"geoaudit: rank {rank} of {run.ranks} {how}\n")
    return code if code > 0 else 128 - code


class _Signals:
    """The signals of a launcher: kept until there are ranks, and passed on to them."""

    def __init__(self) -> None:
        self.waiting: list[int] = []
        self.send: Callable[[int], None] = self.waiting.append

    def pass_on(self, send: Callable[[int], None]) -> None:
        """From here on, and those that came before."""
        self.send = send
        for number in self.waiting:
            send(number)

    def take(self, number: int, _: FrameType | None) -> None:
        """The handler."""
        self.send(number)


@contextmanager
def _kept() -> Iterator[_Signals]:
    signals = _Signals()
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signals.take) for number in numbers]
    try:
        yield signals
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
