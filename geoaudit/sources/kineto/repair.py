"""A second try for files that are nearly JSON: foreign number tokens, unescaped backslashes.

Kineto has written ``inf``, ``nan`` and ``N/A`` as bare numbers (a memory bandwidth over a time of
zero), and Windows paths without escaping their backslashes.
"""

import re
from dataclasses import dataclass

_ESCAPE = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_TOKEN = re.compile(
    rb"[\[:,]\s*([-+]?(?:infinity|inf|nan(?:\([a-z0-9_]*\))?|n/a|1\.#(?:inf|ind|qnan)))(?=\s*[,}\]])",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Repaired:
    """A text with what was mended in it.

    Attributes:
        data: the text.
        escapes: backslashes that were doubled.
        numbers: number tokens that became null.
    """

    data: bytes
    escapes: int
    numbers: int

    @property
    def warning(self) -> str:
        """One sentence on what was mended."""
        return (
            f"The file is not strict JSON: {self.numbers} numbers such as inf, nan or N/A were "
            f"read as missing, {self.escapes} unescaped backslashes were kept as written."
        )


def repair(data: bytes | bytearray) -> Repaired:
    """The text with foreign number tokens outside strings as null and invalid escapes doubled."""
    escaped, escapes = _double_backslashes(bytes(data))
    mended, numbers = _null_numbers(escaped)
    return Repaired(data=mended, escapes=escapes, numbers=numbers)


def _double_backslashes(data: bytes) -> tuple[bytes, int]:
    lone = 0

    def mend(match: re.Match[bytes]) -> bytes:
        nonlocal lone
        if len(match[0]) > 1:
            return match[0]
        lone += 1
        return rb"\\"

    mended = _ESCAPE.sub(mend, data)
    return mended, lone


def _null_numbers(data: bytes) -> tuple[bytes, int]:
    pieces: list[bytes] = []
    done = checked = 0
    inside_string = False
    for match in _TOKEN.finditer(data):
        start, end = match.span(1)
        inside_string ^= _quotes(data[checked:start]) % 2 == 1
        checked = start
        if inside_string:
            continue
        pieces += (data[done:start], b"null")
        done = end
    pieces.append(data[done:])
    return b"".join(pieces), len(pieces) // 2


def _quotes(text: bytes) -> int:
    """Quotation marks of a text that starts outside an escape, without the escaped ones."""
    unpaired = text.replace(rb"\\", b"")
    return unpaired.count(b'"') - unpaired.count(rb"\"")
