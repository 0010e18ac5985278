"""What a user sees while a command is recorded, and while its recording is saved."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from geoaudit.recording.ncu import Counting
    from geoaudit.recording.progress import StreamTail
    from geoaudit.recording.supervision import Running


@contextmanager
def progress_line(
    asked: bool | None,
) -> "Iterator[Callable[[Path, Running], None]]":
    """What to do every half second while a command runs: a line of its launches, and a hint.

    The line goes to standard error where that is a terminal. Where the command prints to a
    terminal too, a line of ours would overwrite what stands there, and is shown only if asked.
    """
    shares_terminal = _is_terminal(sys.stdout)
    is_shown = _is_terminal(sys.stderr) and (not shares_terminal if asked is None else asked)
    line = _ProgressLine(is_shown=is_shown)
    try:
        yield line.watch
    finally:
        line.clear()


@contextmanager
def counting_line(asked: bool | None) -> "Iterator[Callable[[Counting], None] | None]":
    """What to do every half second of a run under ncu: a line on standard error, if a terminal.

    Args:
        asked: False: no line.
    """
    if asked is False or not _is_terminal(sys.stderr):
        yield None
        return
    try:
        yield lambda counting: _write(f"\r{counting_text(counting)}\x1b[K\r")
    finally:
        _write("\r\x1b[K")


def counting_text(counting: "Counting") -> str:
    """The line: seconds, and launches counted where ncu says how many."""
    profiled = f", {counting.profiled:,} launches counted" if counting.profiled else ""
    return f"under ncu {_time(counting.elapsed_s)}{profiled}"


def _is_terminal(stream: TextIO | None) -> bool:
    """Python has no stream where the shell closed it."""
    return stream is not None and stream.isatty()


class _ProgressLine:
    def __init__(self, *, is_shown: bool) -> None:
        self.is_shown = is_shown
        self.is_hinted = False
        self.tails: tuple[StreamTail, ...] = ()

    def watch(self, folder: Path, running: "Running") -> None:
        from geoaudit.recording.progress import advance_all

        if running.interrupts and not self.is_hinted:
            self.is_hinted = True
            self.clear()
            click.echo("geoaudit: waiting for the command to end; Ctrl-C kills it", err=True)
        if self.is_shown:
            self.tails = advance_all(folder, self.tails)
            _write(f"\r{progress_text(running.elapsed_s, self.tails)}\x1b[K\r")

    def clear(self) -> None:
        if self.is_shown:
            _write("\r\x1b[K")


def _write(text: str) -> None:
    # A terminal that is gone is no reason to give up a recording.
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def progress_text(elapsed_s: float, tails: "Sequence[StreamTail]") -> str:
    """The line: seconds, launches so far (or kernel records, where launches are not counted)."""
    time = _time(elapsed_s)
    if not tails:
        return f"recording {time}, no process uses CUDA yet"
    launches = sum(tail.launches for tail in tails)
    records = sum(tail.kernel_records for tail in tails)
    counted = f"{launches:,} launches" if launches or not records else f"{records:,} kernel records"
    processes = f" in {len(tails)} processes" if len(tails) > 1 else ""
    return f"recording {time}, {counted}{processes}"


def _time(elapsed_s: float) -> str:
    minutes, seconds = divmod(int(elapsed_s), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


class SavingSignals:
    """Signals while a recording is saved: the first Ctrl-C is answered, the second obeyed.

    Who ends a command with Ctrl-C easily presses it once more than needed, and whoever hangs up or
    terminates a session sends its signals to all in it.
    """

    _HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.ended_by: int | None = None
        self._interrupts = 0

    def answer(self, number: int, frame: FrameType | None) -> None:
        """The handler: of SIGINT, SIGTERM and SIGHUP."""
        if number != signal.SIGINT:
            self.ended_by = number
            return
        self._interrupts += 1
        if self._interrupts > 1:
            raise KeyboardInterrupt
        # Safe where the interrupted code is itself writing to the stream.
        with suppress(OSError):
            os.write(2, b"geoaudit: saving what was recorded; Ctrl-C gives it up\n")

    def take(self) -> None:
        """Handle the signals from here on, but those that geoaudit was started to ignore."""
        for number in self._HANDLED:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.answer)

    @contextmanager
    def handled_until_saved(self) -> Iterator[None]:
        """Afterwards the handlers are Python's own again."""
        try:
            yield
        finally:
            for number in self._HANDLED:
                if signal.getsignal(number) == self.answer:
                    usual = (
                        signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
                    )
                    signal.signal(number, usual)
