"""Reads snippets, and finds launches in programs."""

import textwrap
from collections.abc import Iterator

import msgspec

from geoaudit.shardcheck.program.expressions import Launch
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.program.statements import Statement
from geoaudit.shardcheck.python.file_program import read_python_file


def program(text: str, path: str = "engine/ops/attend.py") -> FileProgram:
    return read_python_file(path, textwrap.dedent(text))


def body(text: str) -> tuple[Statement, ...]:
    """The statements at the top of a file."""
    return program(text).functions[0].body


def launches(part: object) -> Iterator[Launch]:
    if isinstance(part, Launch):
        yield part
    if isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            yield from launches(getattr(part, name))
    elif isinstance(part, tuple):
        for item in part:
            yield from launches(item)
