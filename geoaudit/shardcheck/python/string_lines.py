"""On which lines of a Python file the lines of a string's value stand."""

import ast
import re
from collections.abc import Iterator

from geoaudit.shardcheck.python.source_text import SourceText

_PIECE = re.compile(
    r"(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"\"\"|'''|\"|')"
    r"(?P<body>(?:\\.|(?!(?P=quote)).)*)(?P=quote)|#[^\n]*|\n",
    re.DOTALL,
)
_PART = re.compile(r"\\\n|\\.|\{\{|\{|\}|\n|[^\\{}\n]+", re.DOTALL)


def lines_of_string(
    source: SourceText, node: ast.Constant | ast.JoinedStr, count: int
) -> tuple[int, ...]:
    """Return the line, from 1, of each line of a string's value.

    Args:
        source: the file.
        node: the string.
        count: of the lines of its value. Where the source is not understood, and does not have as
            many, they are taken to follow each other.
    """
    lines = list(_lines(source, node))
    if len(lines) != count:
        return tuple(range(node.lineno, node.lineno + count))
    return tuple(lines)


def _lines(source: SourceText, node: ast.Constant | ast.JoinedStr) -> Iterator[int]:
    """Yield where each line of the value begins: the line of its first character."""
    line, is_begun = node.lineno, False
    for character, line in _characters(_written(source, node), node.lineno):
        if not is_begun:
            yield line
        is_begun = character != "\n"
    if not is_begun:
        yield line


def _characters(text: str, line: int) -> Iterator[tuple[str, int]]:
    """Yield the line ends of the value, and something for what stands between, by line."""
    for piece in _PIECE.finditer(text):
        if piece["quote"] is None:
            line += piece[0].count("\n")
            continue
        is_raw, is_formatted = ("r" in piece["prefix"].lower(), "f" in piece["prefix"].lower())
        depth = 0
        for part in _PART.finditer(piece["body"]):
            word = part[0]
            if is_formatted and word in "{}":
                depth += 1 if word == "{" else -1
            if word == "\n" or (word == "\\\n" and is_raw):
                if depth <= 0:
                    yield "\n", line
                line += 1
            elif word == "\\\n":
                line += 1
            else:
                yield "\n" if word == "\\n" and not is_raw else word[:1], line


def _written(source: SourceText, node: ast.Constant | ast.JoinedStr) -> str:
    """Return what stands in the file for a string, its quotes too."""
    lines = source.lines[node.lineno - 1 : node.end_lineno]
    if len(lines) == 1:
        return lines[0].encode()[node.col_offset : node.end_col_offset].decode("utf-8", "replace")
    first = lines[0].encode()[node.col_offset :].decode("utf-8", "replace")
    last = lines[-1].encode()[: node.end_col_offset].decode("utf-8", "replace")
    return "\n".join([first, *lines[1:-1], last])
