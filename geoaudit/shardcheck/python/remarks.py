"""Comments that are kept: beside and above integer constants, and suppressions."""

import re
from collections.abc import Iterator, Sequence

from geoaudit.shardcheck.program.file_program import Remark

_ALLOW = re.compile(r"#\s*(geoaudit:\s*allow\b.*)")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_LONGEST = 300  # characters of a comment that are kept
_HIGHEST = 12  # lines of a comment above that are kept


def read_remarks(
    lines: Sequence[str], integer_lines: set[int], constant_lines: set[int]
) -> tuple[Remark, ...]:
    """Return the comments beside integers, above integer constants, and all suppressions.

    Args:
        lines: of the file.
        integer_lines: lines, from 1, with an integer.
        constant_lines: those of them, and others, that bind a constant.
    """
    remarks = set[tuple[int, str]]()
    for number in integer_lines:
        beside = _comment(lines[number - 1])
        if beside:
            remarks.add((number, beside))
        if number in constant_lines:
            above = _above(lines, number)
            if above:
                remarks.add((number, above))
    remarks.update(_suppressions(lines))
    return tuple(Remark(line, text[:_LONGEST]) for line, text in sorted(remarks))


def _comment(line: str) -> str:
    if "#" not in line:
        return ""
    code, hash_sign, comment = _STRING.sub("", line).partition("#")
    return comment.strip() if hash_sign and code.strip() else ""


def _above(lines: Sequence[str], number: int) -> str:
    first = number - 1
    while first > 0 and number - first <= _HIGHEST and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return " ".join(line.strip().lstrip("#").strip() for line in lines[first : number - 1])


def _suppressions(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for index, line in enumerate(lines):
        if "geoaudit" not in line:
            continue
        found = _ALLOW.search(_STRING.sub("", line))
        if found is None:
            continue
        subject = index
        if line.lstrip().startswith("#"):
            while subject < len(lines) and _is_bare(lines[subject]):
                subject += 1
        yield min(subject, len(lines) - 1) + 1, found[1].strip()


def _is_bare(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped.startswith("#")
