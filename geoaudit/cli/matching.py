"""Regular expressions that a user gives, matched within a time: some take longer than any wait."""

import re
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from geoaudit.errors import InputError

LIMIT_S = 2.0
"""A thousand names take a millisecond."""


def pattern_fault(pattern: str) -> str | None:
    """Why a text is no regular expression; None: it is one."""
    try:
        re.compile(pattern)
    except re.error as error:
        return str(error)
    except (RecursionError, OverflowError):
        return "it is nested too deeply, or repeats too often"
    return None


def matching_in_time(pattern: str, names: Sequence[str]) -> list[bool]:
    """Which names match a regular expression, in upper or lower case.

    Raises:
        InputError: it does not come to an end within two seconds, as with one quantifier inside
            another: ``(\\w+)*$``. Off the main thread, and where there is no timer, it is awaited.
    """
    from geoaudit.ranking.declared_bytes import matching_names

    try:
        with _limited(LIMIT_S):
            return matching_names(pattern, names)
    except TimeoutError as error:
        raise InputError(
            f"the regular expression {pattern[:200]!r} is not matched with "
            f"{len(names):,} kernel names within {LIMIT_S:g} s. Write it without a repetition "
            "inside a repetition."
        ) from error


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError after so long; Python's matching looks for signals as it goes."""
    in_main = threading.current_thread() is threading.main_thread()
    if not (in_main and hasattr(signal, "setitimer")):
        yield
        return
    before = signal.signal(signal.SIGALRM, _time_is_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _time_is_up(_: int, __: FrameType | None) -> None:
    raise TimeoutError
