"""A progress bar on standard error for work of over a second; silent off a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[float], None] | None]:
    """A function that takes the share done, 0 to 1; None where nobody would see the bar."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(description, total=1.0)
        yield lambda share: progress.update(task, completed=share)
