"""Which module reads which format, decided by a file's content and never by its name."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from geoaudit.launches.recording import Recording

Progress = Callable[[float], None]


def part_of(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Progress of one part of the work, 0 to 1, that is this share of the whole."""
    if progress is None:
        return None
    return lambda share: progress(begin + share * (end - begin))


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a source is to be read.

    Attributes:
        allow_partial: read what is complete of a cut file and mark the recording PARTIAL.
        progress: called with the share done, 0 to 1, as reading proceeds.
    """

    allow_partial: bool = False
    progress: Progress | None = None


@dataclass(frozen=True, kw_only=True)
class Source:
    """A format geoaudit reads.

    Attributes:
        name: ``kineto``, ``nsys-sqlite``, ``ncu``.
        description: one line for ``--help`` and errors.
        recognises: (path, first 64 KiB of the decompressed content) -> whether it is this format.
        read: (path, options) -> the recording. Raises InputError or NotMeasuredError.
    """

    name: str
    description: str
    recognises: Callable[[Path, bytes], bool]
    read: Callable[[Path, ReadOptions], Recording]
