"""The bytes of a trace file: plain or gzip, whole or cut."""

import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from geoaudit.errors import InputError

GZIP_MAGIC = b"\x1f\x8b"
UTF8_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_CHUNK_BYTES = 1 << 20
# zlib's window argument: the largest window, with a gzip header.
_GZIP_WINDOW = zlib.MAX_WBITS | 16
_TRACE_KEYS = (
    b'"traceEvents"',
    b'"deviceProperties"',
    b'"computeProperties"',
    b'"distributedInfo"',
    b'"baseTimeNanoseconds"',
)


@dataclass(frozen=True, kw_only=True)
class Content:
    """What a file holds, decompressed.

    Attributes:
        data: the JSON text, without a byte order mark.
        cut: the gzip stream ends before its end, or is damaged; data is what came before.
        warnings: sentences for the audit.
    """

    data: bytes | bytearray
    cut: bool = False
    warnings: tuple[str, ...] = ()


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file looks like a Chrome trace.

    Args:
        path: the file; its name is not looked at.
        head: first 64 KiB of its decompressed content.

    Returns:
        True for an object with one of the keys Kineto writes at its top, and for a bare list of
        events (objects with a ``ph`` key).
    """
    text = head.removeprefix(UTF8_MARK).lstrip()
    if text.startswith(b"{"):
        return any(key in text for key in _TRACE_KEYS)
    return text.startswith(b"[") and text[1:].lstrip().startswith(b"{") and b'"ph"' in text


def read_content(path: Path, *, allow_partial: bool) -> Content:
    """The decompressed content of a trace file.

    Args:
        path: the file; whether it is gzip is decided by its first two bytes.
        allow_partial: keep what could be decompressed of a cut or damaged gzip file.

    Raises:
        InputError: the file cannot be read, is empty, is not text in UTF-8, or is a cut gzip file
            and allow_partial is not set.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read: {error.strerror or error}. Give the trace file itself."
        ) from error
    content = _inflate(raw) if raw.startswith(GZIP_MAGIC) else Content(data=raw)
    if content.cut and not allow_partial:
        raise InputError(
            f"{path.name}: the gzip data is cut or damaged after {len(content.data)} decompressed "
            "bytes. Copy the file again, or read its complete part with --allow-partial."
        )
    if content.data.startswith(_WIDE_MARKS):
        raise InputError(f"{path.name}: is UTF-16 text. Convert it to UTF-8.")
    if not first_character(content.data):
        raise InputError(f"{path.name}: is empty. Record the trace again.")
    if content.data.startswith(UTF8_MARK):
        return Content(data=content.data[3:], cut=content.cut, warnings=content.warnings)
    return content


def first_character(data: bytes | bytearray) -> bytes:
    """The first character that is not white space; empty where there is none."""
    found = re.search(rb"\S", data)
    return found[0] if found else b""


def _inflate(raw: bytes) -> Content:
    """All gzip members of raw, one after the other, as far as they are whole.

    The text grows in one buffer, because gzip.decompress holds it twice for a moment.
    """
    data = bytearray()
    rest = memoryview(raw)
    while rest[:2] == GZIP_MAGIC:
        stream = zlib.decompressobj(_GZIP_WINDOW)
        try:
            while rest and not stream.eof:
                chunk, rest = rest[:_CHUNK_BYTES], rest[_CHUNK_BYTES:]
                data += stream.decompress(chunk)
        except zlib.error:
            return Content(data=data, cut=True)
        if not stream.eof:
            return Content(data=data, cut=True)
        rest = memoryview(raw)[len(raw) - len(rest) - len(stream.unused_data) :]
    ignored = bytes(rest).strip(b"\0")
    if ignored:
        warning = f"{len(ignored)} bytes after the end of the gzip data were ignored."
        return Content(data=data, warnings=(warning,))
    return Content(data=data)
