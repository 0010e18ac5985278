"""CUDA text in Python strings → programs of their own."""

from collections.abc import Sequence
from typing import Any

import msgspec

from geoaudit.shardcheck.c_family.launch_scan import launches_as_statement
from geoaudit.shardcheck.c_family.placeholders import without_placeholders
from geoaudit.shardcheck.c_family.reading import read_c_file
from geoaudit.shardcheck.c_family.source_text import SourceText, with_closed_brackets
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.python.file_reading import FileReading
from geoaudit.shardcheck.python.string_lines import lines_of_string

_LINES = ("line", "until")


def read_embedded(reading: FileReading) -> tuple[FileProgram, ...]:
    """Return the programs of strings that hold a CUDA kernel or a launch."""
    found = dict[tuple[int, int], FileProgram]()
    for node, marked in reading.sources:
        text = without_placeholders(marked)
        place = (node.lineno, node.col_offset)
        if place not in found and _is_source(text):
            lines = lines_of_string(reading.source, node, text.count("\n") + 1)
            found[place] = _read(reading.path, text, lines)
    return tuple(found.values())


def _is_source(text: str) -> bool:
    if "__global__" in text and "{" in text:
        return True
    return launches_as_statement(SourceText(text.encode("utf-8", "replace")))


def _read(path: str, text: str, lines: Sequence[int]) -> FileProgram:
    """Return the program of a text whose lines stand on these lines of the file."""
    first = lines[0]
    program = read_c_file(path, with_closed_brackets(text), first_line=first)
    if all(line == first + index for index, line in enumerate(lines)):
        return program
    moved: FileProgram = _moved(program, first, lines)
    return moved


def _moved(part: Any, first: int, lines: Sequence[int]) -> Any:  # noqa: ANN401
    """Return a part of a program with its lines put where they are in the file."""
    if isinstance(part, tuple):
        return tuple(_moved(one, first, lines) for one in part)
    if not isinstance(part, msgspec.Struct):
        return part
    changed = {
        name: _moved(getattr(part, name), first, lines)
        for name in part.__struct_fields__
        if name not in _LINES
    }
    for name in _LINES:
        if line := getattr(part, name, 0):
            changed[name] = lines[min(max(line - first, 0), len(lines) - 1)]
    return msgspec.structs.replace(part, **changed)
