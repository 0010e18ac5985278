"""Comments that are kept: beside or above integer constants, and suppressions."""

import re
from collections.abc import Iterator

from geoaudit.shardcheck.c_family.source_text import SourceText
from geoaudit.shardcheck.program.file_program import Remark

_SUPPRESSION = re.compile(rb"geoaudit:\s*allow")
_CONSTANT = re.compile(
    rb"(?<![=!<>])=(?!=)[^;]*\b(?:0[xX])?[0-9]|#\s*define\s+\w+\s.*[0-9]|\w\s*\{\s*[0-9]+\s*\}"
)
_MARKS = re.compile(r"^\s*(?://[/!]*|/\*+|\*+(?!/))|\*+/\s*$", re.MULTILINE)
LONGEST_REMARK = 500


def remarks_of(source: SourceText) -> tuple[Remark, ...]:
    """Remarks in order of their lines; comments on lines one after the other are one."""
    remarks: list[Remark] = []
    for line, text in _blocks(source):
        target = _line_spoken_of(source, line)
        if target is None:
            continue
        if _SUPPRESSION.search(text) or _CONSTANT.search(source.line_text(target)):
            plain = _MARKS.sub("", text.decode("utf-8", "replace"))
            remarks.append(Remark(target, " ".join(plain.split())[:LONGEST_REMARK]))
    return tuple(remarks)


def _blocks(source: SourceText) -> Iterator[tuple[int, bytes]]:
    """Comments with their last line; those that stand alone on lines one after the other joined."""
    last = None
    joined: list[bytes] = []
    for start, end in source.comments:
        first = source.line(start)
        stands_alone = not source.line_text(first).strip()
        if joined and not (stands_alone and last is not None and first == last + 1):
            yield last or first, b"\n".join(joined)
            joined = []
        joined.append(source.data[start:end])
        last = source.line(end - 1)
        if not stands_alone:
            yield last, b"\n".join(joined)
            joined = []
    if joined and last is not None:
        yield last, b"\n".join(joined)


def _line_spoken_of(source: SourceText, line: int) -> int | None:
    """The line itself where it has code, else the next with code; None: there is none."""
    for candidate in range(line, min(line + 4, source.last_line + 1)):
        if source.line_text(candidate).strip():
            return candidate
    return None
