"""A Python file's text → its program."""

import ast
import warnings
from collections import Counter

from geoaudit.shardcheck.program.file_program import FileProgram, NotAnalysed
from geoaudit.shardcheck.program.statements import Function
from geoaudit.shardcheck.python.embedded import read_embedded
from geoaudit.shardcheck.python.file_reading import FileReading
from geoaudit.shardcheck.python.kernel_names import known_names
from geoaudit.shardcheck.python.remarks import read_remarks
from geoaudit.shardcheck.python.source_text import SourceText
from geoaudit.shardcheck.python.statements import read_block
from geoaudit.shardcheck.python.text_search import mentions_launches, textual_launches


def read_python_file(path: str, text: str) -> FileProgram:
    """Return what a Python file says.

    Args:
        path: relative to the root of the check, ``/`` between parts.
        text: of the file.

    Returns:
        The program. A file that Python cannot parse has no functions but an empty one for
        itself, and says why in `not_analysed`. Offsets of launches are counted in bytes of UTF-8
        with one byte for a line's end.
    """
    source = SourceText(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of doubtful escapes in other people's code
            tree = ast.parse(source.text)
    except SyntaxError as error:
        return _unreadable(path, source, error.lineno or 1, f"Python cannot parse it: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return _unreadable(path, source, 1, f"Python cannot parse it: {error}")
    try:
        return _program(_read(path, source, tree))
    except RecursionError:
        return _unreadable(path, source, 1, "nested too deeply")


def _read(path: str, source: SourceText, tree: ast.Module) -> FileReading:
    names = known_names(tree) if mentions_launches(source.text) else None
    reading = FileReading(path, source, names)
    scope = reading.open("")
    body = read_block(reading, tree.body)
    reading.close(
        Function(name="", kind="file", body=body, line=1, calls=tuple(sorted(scope.calls)))
    )
    return reading


def _unreadable(path: str, source: SourceText, line: int, reason: str) -> FileProgram:
    textual = Counter[str]()
    if mentions_launches(source.text):
        textual.update(idiom for idiom, _ in textual_launches(source.text, frozenset()))
    return FileProgram(
        path=path,
        language="python",
        functions=(Function(name="", kind="file", line=1),),
        textual=tuple(sorted(textual.items())),
        not_analysed=(NotAnalysed(line, reason),),
    )


def _program(reading: FileReading) -> FileProgram:
    textual, recognised = _self_check(reading)
    return FileProgram(
        path=reading.path,
        language="python",
        functions=tuple(reading.functions),
        classes=tuple(reading.classes),
        imports=tuple(reading.imports),
        remarks=read_remarks(reading.source.lines, reading.integer_lines, reading.constant_lines),
        textual=tuple(sorted(textual.items())),
        recognised=tuple(sorted(recognised.items())),
        not_analysed=tuple(reading.not_analysed),
        embedded=read_embedded(reading),
    )


def _self_check(reading: FileReading) -> tuple[Counter[str], Counter[str]]:
    """Count launches in the text and those recognised; the difference is left out by reason."""
    textual, recognised = Counter[str](), Counter[str]()
    if reading.names is None:
        return textual, recognised
    source = reading.source
    kernels = frozenset(
        name for name, idiom in reading.names.kernels.items() if idiom in {"triton", "numba"}
    )
    for found, index in textual_launches(source.text, kernels, reading.names.tables):
        offset = source.offset_of_character(index)
        idiom = reading.launches.pop(offset, "")
        textual[idiom or found] += 1
        if idiom:
            recognised[idiom] += 1
            continue
        reason = reading.doubtful.pop(offset, "looks like a launch of this kind, but is not read")
        reading.leave_out(source.line_of_character(index), f"{found}: {reason}")
    for offset, reason in reading.doubtful.items():
        reading.leave_out(source.text.encode().count(b"\n", 0, offset) + 1, reason)
    textual.update(reading.launches.values())
    recognised.update(reading.launches.values())
    return textual, recognised
