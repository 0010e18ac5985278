"""Comments that are kept: beside or above integer constants, and suppressions."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from geoaudit.shardcheck.c_family.source_text import SourceText
from geoaudit.shardcheck.program.file_program import Remark

_SUPPRESSION = re.compile(rb"geoaudit:\s*allow")
_CONSTANT = re.compile(
    rb"(?<![=!<>])=(?!=)[^;]*\b(?:0[xX])?[0-9]|#\s*define\s+\w+\s.*[0-9]|\w\s*\{\s*[0-9]+\s*\}"
)
_MARKS = re.compile(r"^\s*(?://[/!]*|/\*+|\*+(?!/))|\*+/\s*$", re.MULTILINE)
LONGEST_REMARK = 500
FURTHEST_LINES = 4


def remarks_of(source: SourceText) -> tuple[Remark, ...]:
    """Remarks in order of their lines; comments on lines one after the other are one."""

    @cache
    def code_of(line: int) -> bytes:
        return source.line_text(line).strip()

    @cache
    def has_constant(line: int) -> bool:
        return _CONSTANT.search(code_of(line)) is not None

    remarks: list[Remark] = []
    for line, text in _blocks(source, code_of):
        lines = range(line, min(line + FURTHEST_LINES, source.last_line + 1))
        target = next((other for other in lines if code_of(other)), None)
        if target is not None and (_SUPPRESSION.search(text) or has_constant(target)):
            plain = _MARKS.sub("", text.decode("utf-8", "replace"))
            remarks.append(Remark(target, " ".join(plain.split())[:LONGEST_REMARK]))
    return tuple(remarks)


def _blocks(source: SourceText, code_of: Callable[[int], bytes]) -> Iterator[tuple[int, bytes]]:
    """Comments with their last line; those alone on lines one after the other are joined."""
    last = 0
    joined: list[bytes] = []
    for start, end in source.comments:
        first = source.line(start)
        stands_alone = not code_of(first)
        if joined and not (stands_alone and first == last + 1):
            yield last, b"\n".join(joined)
            joined = []
        joined.append(source.data[start:end])
        last = source.line(end - 1)
        if not stands_alone:
            yield last, b"\n".join(joined)
            joined = []
    if joined:
        yield last, b"\n".join(joined)
