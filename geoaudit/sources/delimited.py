"""Comma-separated profiler output: finding the header among other lines, and the rows below it.

Profilers print their CSV on standard output, between their own messages and whatever the
profiled program prints. Records are therefore told from other lines one by one, so that a stray
quotation mark never swallows the rows after it.
"""

import codecs
import csv
import gzip
import re
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from geoaudit.errors import InputError
from geoaudit.sources.registry import Progress, part_of

GZIP_MAGIC = b"\x1f\x8b"
_LONGEST_FIELD = 2**27
_RECORDS_PER_CALL = 65_536

csv.field_size_limit(_LONGEST_FIELD)


@dataclass(frozen=True, kw_only=True)
class Table:
    """One header with the records below it.

    Attributes:
        header: column names, in order.
        records: fields of each record as printed; may be shorter or longer than the header.
        skipped: lines below the header that were neither records nor the profiler's messages.
        cut: the text ends within a record, which is left out.
    """

    header: tuple[str, ...]
    records: tuple[tuple[str, ...], ...]
    skipped: int
    cut: bool

    def at(self, record: tuple[str, ...], column: str) -> str:
        """The field of a record in this column; empty where either is missing."""
        try:
            return record[self.header.index(column)]
        except (ValueError, IndexError):
            return ""


def read_text(path: Path, *, allow_partial: bool) -> tuple[str, bool]:
    """The text of a file, unpacked where it is gzip, and whether it was cut.

    Raises:
        InputError: unreadable, or a cut gzip stream that partial reading was not asked for.
    """
    try:
        if stat.S_ISCHR(path.stat().st_mode):
            raise InputError(f"{path}: a device and not a file: it may have no end.")
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    whole = True
    if raw.startswith(GZIP_MAGIC):
        raw, whole = _unpacked(raw, path)
    if not whole and not allow_partial:
        raise InputError(
            f"{path}: the gzip stream ends early. Copy the file again, or read what is complete "
            "with --allow-partial."
        )
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if raw.startswith(mark):
            return raw.decode(encoding, errors="replace"), not whole
    return raw.decode("utf-8", errors="replace"), not whole


def tables_in(
    text: str,
    *,
    is_header: Callable[[str], bool],
    is_record: re.Pattern[str],
    progress: Progress | None = None,
) -> Iterator[Table]:
    """Every table of a text, in order; a file may be several runs one after another.

    Args:
        text: the whole text.
        is_header: whether a line is the header of such a table.
        is_record: matches the start of a line that begins a record.
        progress: called with the share of the records that are parsed, 0 to 1.
    """
    # Not splitlines(): a form feed or a Unicode line separator may be part of a name.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = [number for number, line in enumerate(lines) if is_header(line)]
    for start, stop in pairwise([*starts, len(lines)]):
        is_last = stop == len(lines)
        ended = not is_last or text.endswith(("\n", "\r"))
        part = part_of(progress, start / len(lines), stop / len(lines))
        records = _Lines(lines=lines[start + 1 : stop], ended=ended)
        yield _table(lines[start], records, is_record, part)


def fields(line: str) -> tuple[str, ...]:
    """The fields of one record; none where its quotation marks make no sense."""
    try:
        return tuple(next(csv.reader([line], skipinitialspace=True), ()))
    except csv.Error:
        return ()


def skipped_warnings(tables: Sequence[Table]) -> list[str]:
    """A warning where lines between the rows were none."""
    skipped = sum(table.skipped for table in tables)
    return [f"{skipped:,} lines between the rows are no rows and were left out"] if skipped else []


def number(cell: str, *, decimal_comma: bool = False) -> Fraction | None:
    """The number a cell shows, exact, or None where it shows none (empty, ``n/a``, ``nan``)."""
    text = re.sub(r"[\s\u00a0\u202f']", "", cell)
    grouping, point = (".", ",") if decimal_comma else (",", ".")
    text = text.replace(grouping, "").replace(point, ".")
    if len(text) > 40 or not re.fullmatch(r"[-+]?\d+(\.\d*)?([eE][-+]?\d{1,2})?", text):
        return None
    return Fraction(text)


def whole_number(cell: str, factor: int = 1) -> int | None:
    """The number a cell shows times a factor, rounded, or None where it shows none."""
    if cell.isascii() and cell.isdigit() and len(cell) < 19:
        return int(cell) * factor
    value = number(cell)
    return None if value is None else round(value * factor)


@dataclass(frozen=True, kw_only=True)
class _Lines:
    """The lines below a header, and whether the last of them is whole."""

    lines: list[str]
    ended: bool


def _table(
    header: str, below: _Lines, is_record: re.Pattern[str], progress: Progress | None
) -> Table:
    records: list[str] = []
    skipped = 0
    is_open = False
    for line in below.lines:
        if is_record.match(line):
            records.append(line)
            is_open = line.count('"') % 2 == 1
        elif is_open:
            records[-1] += "\n" + line
            is_open = records[-1].count('"') % 2 == 1
        else:
            # The profiler's own messages start with ==.
            skipped += bool(line.strip()) and not line.startswith("==")
    names = fields(header)
    parsed = _parsed(records, progress)
    skipped += parsed.count(())
    parsed = [record for record in parsed if record]
    shortest = min((len(record) for record in parsed[:-1]), default=0)
    cut = bool(parsed) and not below.ended and (is_open or len(parsed[-1]) < shortest)
    if cut:
        parsed.pop()
    return Table(header=names, records=tuple(parsed), skipped=skipped, cut=cut)


def _parsed(records: list[str], progress: Progress | None) -> list[tuple[str, ...]]:
    parsed: list[tuple[str, ...]] = []
    for first in range(0, len(records), _RECORDS_PER_CALL):
        parsed += map(fields, records[first : first + _RECORDS_PER_CALL])
        if progress is not None:
            progress(len(parsed) / len(records))
    return parsed


def _unpacked(raw: bytes, path: Path) -> tuple[bytes, bool]:
    try:
        return gzip.decompress(raw), True
    except EOFError:
        return zlib.decompressobj(wbits=31).decompress(raw), False
    except (OSError, zlib.error) as error:
        raise InputError(
            f"{path}: the gzip stream is damaged ({error}). Copy the file again."
        ) from error
