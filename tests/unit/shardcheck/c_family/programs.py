"""Reads small sources, for the tests beside it."""

from geoaudit.shardcheck.c_family.reading import read_c_file
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.program.statements import Function, Statement


def read(text: str) -> FileProgram:
    """A source that is read without loss."""
    program = read_c_file("a.cu", text)
    assert program.not_analysed == ()
    assert program.recognised == program.textual
    return program


def named(program: FileProgram, name: str) -> Function:
    """The one function of that name."""
    (function,) = (one for one in program.functions if one.name == name)
    return function


def body(text: str) -> tuple[Statement, ...]:
    """Statements as the body of a function."""
    return named(read("void f(int n) {\n" + text + "\n}"), "f").body
