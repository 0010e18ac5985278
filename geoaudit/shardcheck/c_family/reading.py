"""A C-family file as a `FileProgram`."""

from collections import Counter
from collections.abc import Iterable

from geoaudit.shardcheck.c_family.choice import chosen_items
from geoaudit.shardcheck.c_family.classes import Classes
from geoaudit.shardcheck.c_family.items import Item
from geoaudit.shardcheck.c_family.launch_scan import textual_launches
from geoaudit.shardcheck.c_family.macros import take_defines
from geoaudit.shardcheck.c_family.placeholders import TEMPLATE_ENDS, without_placeholders
from geoaudit.shardcheck.c_family.readings import Readings
from geoaudit.shardcheck.c_family.record import FileRecord
from geoaudit.shardcheck.c_family.remarks import remarks_of
from geoaudit.shardcheck.c_family.source_text import SourceText, without_tables
from geoaudit.shardcheck.program.file_program import FileProgram, Import, NotAnalysed, Using
from geoaudit.shardcheck.program.statements import Function

LARGEST_FILE_BYTES = 2_000_000
MOST_LOST_LAUNCHES = 50


def read_c_file(path: str, text: str, first_line: int = 1) -> FileProgram:
    """What a C, C++, CUDA or HIP source says, or a template of one.

    Args:
        path: relative to the root of the check.
        text: of the file.
        first_line: number of its first line, where it stands inside another file.
    """
    if path.endswith(TEMPLATE_ENDS):
        text = without_placeholders(text)
    source = SourceText(without_tables(text.encode("utf-8", "replace")), first_line)
    record = FileRecord()
    launches = dict(textual_launches(source))
    if _is_too_large(source.data):
        record.not_analysed.append(
            NotAnalysed(first_line, f"larger than {LARGEST_FILE_BYTES // 10**6} MB")
        )
    else:
        _read(source, record, launches)
    top = Function(name="", kind="file", body=tuple(record.top), line=first_line)
    return FileProgram(
        path=path,
        language="c",
        functions=(top, *(one for one in record.functions[1:] if one)),
        classes=tuple(record.classes),
        imports=tuple(Import("", name) for name in source.includes()),
        usings=tuple(Using(*one) for one in source.usings()),
        remarks=remarks_of(source),
        textual=_counted(launches.values()),
        recognised=_counted(
            idiom for offset, idiom in launches.items() if _is_seen(record, offset)
        ),
        not_analysed=(*record.not_analysed, *_lost(source, record, launches)),
    )


def _is_too_large(data: bytes) -> bool:
    """Whether more is written in a file than is read in seconds; blanked tables do not count."""
    return len(data) > LARGEST_FILE_BYTES and sum(map(len, data.split())) > LARGEST_FILE_BYTES


def _counted(idioms: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(idioms).items()))


def _is_seen(record: FileRecord, offset: int) -> bool:
    return offset in record.launches or offset in record.launch_calls


def _read(source: SourceText, record: FileRecord, launches: dict[int, str]) -> None:
    readings = Readings(source)
    converter = Classes(readings.raw, record)
    for item in _chosen(source, readings, record):
        _convert(converter, item)
    take_defines(converter, source)
    lost = [offset for offset in launches if not _is_seen(record, offset)]
    for offset in lost[:MOST_LOST_LAUNCHES]:
        if not _is_seen(record, offset):
            for island in readings.islands_at(offset):
                for one in readings.of_island(island, offset):
                    _convert(converter, one.item)


def _chosen(source: SourceText, readings: Readings, record: FileRecord) -> list[Item]:
    try:
        return chosen_items(source, readings)
    except RecursionError:
        note = NotAnalysed(source.first_line, "the file nests too deeply")
        record.not_analysed.append(note)
        return []


def _convert(converter: Classes, item: Item) -> None:
    with converter.reading(item.parsed):
        try:
            converter.record.top += converter.take(item)
        except RecursionError:
            line = item.parsed.line(item.node)
            note = NotAnalysed(line, "nested too deeply")
            converter.record.not_analysed.append(note)


def _lost(
    source: SourceText, record: FileRecord, launches: dict[int, str]
) -> tuple[NotAnalysed, ...]:
    return tuple(
        NotAnalysed(source.line(offset), f"{idiom}: the code around it was not understood")
        for offset, idiom in sorted(launches.items())
        if not _is_seen(record, offset)
    )
