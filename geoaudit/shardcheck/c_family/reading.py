"""A C-family file as a `FileProgram`."""

from geoaudit.shardcheck.c_family.classes import Classes
from geoaudit.shardcheck.c_family.items import Context, items_below
from geoaudit.shardcheck.c_family.macros import take_defines
from geoaudit.shardcheck.c_family.record import FileRecord
from geoaudit.shardcheck.c_family.source_text import SourceText
from geoaudit.shardcheck.c_family.syntax import parse
from geoaudit.shardcheck.program.file_program import FileProgram, Import
from geoaudit.shardcheck.program.statements import Function


def read_c_file(path: str, text: str, first_line: int = 1) -> FileProgram:
    """What a C, C++, CUDA or HIP source says.

    Args:
        path: relative to the root of the check.
        text: of the file.
        first_line: number of its first line, where it stands inside another file.
    """
    source = SourceText(text.encode("utf-8", "replace"), first_line)
    record = FileRecord()
    parsed = parse(source.data, first_line=first_line)
    converter = Classes(parsed, record)
    for item in items_below(parsed, parsed.root, Context()):
        record.top += converter.take(item)
    take_defines(converter, source)
    record.functions[0] = Function(name="", kind="file", body=tuple(record.top), line=first_line)
    return FileProgram(
        path=path,
        language="c",
        functions=tuple(function for function in record.functions if function),
        classes=tuple(record.classes),
        imports=tuple(Import("", name) for name in source.includes()),
        recognised=(("chevron", len(record.launches)),),
        not_analysed=tuple(record.not_analysed),
    )
