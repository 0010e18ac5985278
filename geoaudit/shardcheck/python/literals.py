"""Numbers, strings and the keys of dictionaries; CUDA text in strings is set aside."""

import ast

from geoaudit.shardcheck.c_family.placeholders import CLOSES, OPENS, named
from geoaudit.shardcheck.program.expressions import Expression, Number, Opaque, Real, Text
from geoaudit.shardcheck.python.file_reading import FileReading, may_be_cuda

_LONGEST = 200  # characters of a string that are kept
_LARGEST = 2**63 - 1  # what MessagePack holds


def read_constant(reading: FileReading, node: ast.Constant) -> Expression:
    """Return a literal; ``True``, ``False`` and ``None`` are names."""
    value = node.value
    if isinstance(value, str):
        if reading.holds_cuda and may_be_cuda(value):
            reading.sources.append((node, value))
        return Text(_printable(value))
    if isinstance(value, bool) or value is None or value is ...:
        return reading.name(str(value))
    if isinstance(value, int) and abs(value) <= _LARGEST:
        if value > 1:
            reading.integer_lines.add(node.lineno)
        return Number(value)
    return Real(value) if isinstance(value, float) else Opaque(reading.source.excerpt(node))


def read_formatted(reading: FileReading, node: ast.JoinedStr) -> Expression:
    """Return a formatted string, which is not modelled."""
    if reading.holds_cuda:
        text = "".join(map(_piece, node.values))
        if may_be_cuda(text):
            reading.sources.append((node, text))
    return Opaque(reading.source.excerpt(node))


def _piece(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    return (
        f"{OPENS}{named(ast.unparse(part.value))}{CLOSES}"
        if isinstance(part, ast.FormattedValue)
        else ""
    )


def key_text(reading: FileReading, node: ast.expr) -> str:
    """Return the key of a dictionary as text: a string's own, anything else as written."""
    if isinstance(node, ast.Constant):
        return _printable(str(node.value))
    return reading.source.excerpt(node)


def _printable(text: str) -> str:
    """Return a text cut to a length, without lone surrogates."""
    return text[:_LONGEST].encode("utf-8", "replace").decode()
