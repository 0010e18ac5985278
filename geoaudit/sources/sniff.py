"""Reading a profile: the format is found by what the file holds, never by its name."""

import zlib
from pathlib import Path

from geoaudit.errors import InputError
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import is_recording
from geoaudit.sources import rocprof_csv
from geoaudit.sources.delimited import GZIP_MAGIC, read_text
from geoaudit.sources.ncu import reader as ncu
from geoaudit.sources.nsys import sqlite_export, stats_csv
from geoaudit.sources.nsys.tables import SQLITE_MAGIC, open_database
from geoaudit.sources.refusals import refusal_for
from geoaudit.sources.registry import ReadOptions, Source

_HEAD_BYTES = 64 * 1024
_READABLE = (
    "a PyTorch/Kineto trace (.json, .json.gz), an Nsight Systems SQLite export, an Nsight Compute "
    "CSV, an Nsight Systems cuda_gpu_trace CSV or a rocprofv3 kernel_trace.csv"
)
_TEXT_SOURCES = (ncu.SOURCE, stats_csv.SOURCE, rocprof_csv.SOURCE)


def sources() -> tuple[Source, ...]:
    """The formats that are read, in the order they are tried."""
    from geoaudit.sources.kineto import SOURCE as KINETO

    return (sqlite_export.SOURCE, *_TEXT_SOURCES, KINETO)


def read_profile(path: Path, options: ReadOptions) -> Recording:
    """The recording a profile holds.

    Args:
        path: a file; recordings and folders of geoaudit's own belong to the launches store.
        options: how to read it.

    Raises:
        InputError: the file is missing, unreadable, damaged or of a kind that is not read; the
            message says what it is and what to do.
        NotMeasuredError: a profile without anything to audit.
    """
    head = _head(path)
    if not head:
        raise InputError(f"{path}: the file is empty. Record again, or check the copy.")
    if is_recording(path):
        raise InputError(
            f"{path}: already a recording of geoaudit. Give it to `geoaudit rank` as it is."
        )
    return _source_of(path, head).read(path, options)


def _source_of(path: Path, head: bytes) -> Source:
    if head.startswith(SQLITE_MAGIC):
        return _sqlite_source(path, head)
    found = next((one for one in _TEXT_SOURCES if one.recognises(path, head)), None)
    if found is not None:
        return found
    reason = refusal_for(path, head)
    if reason is not None:
        raise InputError(f"{path}: {reason}.")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _json_source(path, head)
    late = _source_with_late_header(path, head)
    if late is not None:
        return late
    raise InputError(
        f"{path}: not a profile geoaudit reads. It reads {_READABLE}; the name of a manifest ends "
        "in .toml."
    )


def _json_source(path: Path, head: bytes) -> Source:
    from geoaudit.sources.kineto import SOURCE as KINETO

    if KINETO.recognises(path, head):
        return KINETO
    raise InputError(
        f"{path}: JSON, but not a trace: no traceEvents in it. Give the file that the PyTorch "
        "profiler wrote (export_chrome_trace)."
    )


def _sqlite_source(path: Path, head: bytes) -> Source:
    with path.open("rb") as handle:
        is_packed = handle.read(2) == GZIP_MAGIC
    if is_packed:
        raise InputError(f"{path}: a packed SQLite database. Unpack it with gunzip and give that.")
    with open_database(path) as database:
        tables = database.tables
    if any(name.startswith("rocpd_") for name in tables):
        raise InputError(
            f"{path}: a rocpd database of rocprofv3, which is not read. Convert it with "
            "`rocpd convert -i FILE --output-format csv` and give its kernel_trace.csv."
        )
    if "StringTable" in tables:
        raise InputError(
            f"{path}: an nvprof database, which is not read. Record with Nsight Systems and give "
            "`nsys export --type sqlite`."
        )
    if sqlite_export.SOURCE.recognises(path, head):
        return sqlite_export.SOURCE
    shown = ", ".join(sorted(tables)[:8]) or "none"
    raise InputError(
        f"{path}: an SQLite database, but not an export of Nsight Systems (tables: {shown}). "
        "Make one with `nsys export --type sqlite FILE.nsys-rep`."
    )


def _source_with_late_header(path: Path, head: bytes) -> Source | None:
    """A CSV whose header comes after more than a head of the profiled program's own output."""
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    text, _ = read_text(path, allow_partial=True)
    # Every header has one of these words, so that most files are told by one search.
    if not any(word in text for word in ("Kernel Name", "GrdX", "orkgroup")):
        return None
    content = text.encode("utf-8", errors="replace")
    return next((one for one in _TEXT_SOURCES if one.recognises(path, content)), None)


def _head(path: Path) -> bytes:
    """The first 64 KiB of the content, unpacked where it is gzip."""
    if path.is_dir():
        raise InputError(f"{path}: a folder. Give a profile in it, one file each.")
    try:
        if not path.exists():
            raise InputError(f"{path}: no such file. Check the path.")
        if not path.is_file():
            raise InputError(f"{path}: not a regular file. Save the profile to a file first.")
        with path.open("rb") as handle:
            head = handle.read(_HEAD_BYTES)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if not head.startswith(GZIP_MAGIC):
        return head
    try:
        return zlib.decompressobj(wbits=31).decompress(head, _HEAD_BYTES)
    except zlib.error as error:
        raise InputError(
            f"{path}: the gzip stream is damaged ({error}). Copy the file again."
        ) from error
