"""What a file holds, as far as it decides whether it is read: size, text, who wrote it."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 8 << 20
_HEAD_BYTES = 2048
_HEAD_LINES = 12
_SAMPLE_BYTES = 8192
_SMALLEST_DATA_BYTES = 1 << 16
_DATA_SHARE = 0.97

_COMMENT = re.compile(rb"\s*(?://|/\*|\*|#(?!\s*(?:include|if|define|pragma))|\"\"\"|''')")
_GENERATED = re.compile(
    rb"@generated|do not (?:edit|modify)|"
    rb"\b(?:auto[- ]?|automatically )generated\b|"
    rb"^\W*(?:code |file )?generated (?:by|from|with|automatically)\b|"
    rb"\b(?:file|code|source) (?:is|was|has been) (?:auto[- ]?|automatically )?generated",
    re.IGNORECASE,
)
_GENERATED_NAME = re.compile(r"_generated\.\w+$|\.pb\.(?:h|cc)$|_pb2(?:_grpc)?\.py$")
_DATA_BYTES = frozenset(b"0123456789abcdefxABCDEFXuUlL, \t\r\n{}")

GENERATED = "generated"
EMBEDDED_DATA = "embedded data"


@dataclass(frozen=True, kw_only=True)
class Content:
    """A file that was read.

    Attributes:
        content: its bytes.
        skipped: why it is left out: ``generated``, ``embedded data``; None: it is not.
        refused: why it cannot be analysed; None: it can.
    """

    content: bytes = b""
    skipped: str | None = None
    refused: str | None = None

    @property
    def digest(self) -> bytes:
        """16 bytes that stand for the content."""
        return hashlib.blake2b(self.content, digest_size=16).digest()


def read_content(location: str, *, include_generated: bool = False) -> Content:
    """A file's content, and whether it is to be analysed.

    Args:
        location: of the file.
        include_generated: generated files are not left out.
    """
    try:
        if Path(location).exists() and not Path(location).is_file():
            return Content(refused="not a regular file")
        with Path(location).open("rb") as handle:
            content = handle.read(MOST_BYTES + 1)
    except OSError as error:
        return Content(refused=f"cannot be read: {error.strerror or error}")
    if len(content) > MOST_BYTES:
        return Content(refused=f"larger than {MOST_BYTES >> 20} MiB")
    if _is_binary(content):
        return Content(content=content, refused="not text: it has zero bytes")
    if include_generated:
        return Content(content=content)
    if _GENERATED_NAME.search(location) or _says_generated(content):
        return Content(content=content, skipped=GENERATED)
    if _is_data(content):
        return Content(content=content, skipped=EMBEDDED_DATA)
    return Content(content=content)


def decoded(content: bytes) -> tuple[str, int | None]:
    """The text, and the line of the first byte that is no UTF-8; those bytes are replaced.

    >>> decoded(b"int a;"), decoded(bytes([0xE9]))[1]
    (('int a;', None), 1)
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace"), None
    try:
        return content.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        return content.decode("utf-8-sig", "replace"), content.count(b"\n", 0, error.start) + 1


def _is_binary(content: bytes) -> bool:
    return not content.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\0" in content[:_SAMPLE_BYTES]


def _says_generated(content: bytes) -> bool:
    """Whether a comment at the head says that a program wrote the file."""
    lines = content[:_HEAD_BYTES].splitlines()[:_HEAD_LINES]
    is_documentation = False
    for line in lines:
        quotes = line.count(b'"""') + line.count(b"'''")
        starts = _COMMENT.match(line)
        if (starts or is_documentation) and _GENERATED.search(line):
            return True
        is_documentation ^= quotes % 2 == 1
    return False


def _is_data(content: bytes) -> bool:
    """Whether a large file is an array of numbers from its head on: a binary as source."""
    if len(content) < _SMALLEST_DATA_BYTES:
        return False
    starts = (_HEAD_BYTES, *(len(content) * quarter // 4 for quarter in (1, 2, 3)))
    samples = (content[start : start + _HEAD_BYTES] for start in starts)
    return all(
        sum(byte in _DATA_BYTES for byte in sample) >= _DATA_SHARE * len(sample)
        for sample in samples
    )
