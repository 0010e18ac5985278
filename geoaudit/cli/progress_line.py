"""What a user sees while a command is recorded, and while its recording is saved."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
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
    is_shown = sys.stderr.isatty() and (not sys.stdout.isatty() if asked is None else asked)
    line = _ProgressLine(is_shown=is_shown)
    try:
        yield line.watch
    finally:
        line.clear()


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
    minutes, seconds = divmod(int(elapsed_s), 60)
    time = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    if not tails:
        return f"recording {time}, no process uses CUDA yet"
    launches = sum(tail.launches for tail in tails)
    records = sum(tail.kernel_records for tail in tails)
    counted = f"{launches:,} launches" if launches or not records else f"{records:,} kernel records"
    processes = f" in {len(tails)} processes" if len(tails) > 1 else ""
    return f"recording {time}, {counted}{processes}"


@contextmanager
def saving_goes_on() -> Iterator[None]:
    """Answer the first Ctrl-C while a recording is saved, and obey the second.

    Who ends a command with Ctrl-C easily presses it once more than needed.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def answer(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # Safe where the interrupted code is itself writing to the stream.
        with suppress(OSError):
            os.write(2, b"geoaudit: saving what was recorded; Ctrl-C gives it up\n")

    signal.signal(signal.SIGINT, answer)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
