"""The text of a Python file by lines and bytes, as Python's parser counts them."""

import ast
from functools import cached_property
from itertools import accumulate


class SourceText:
    """A file's text; each line end is one byte from here on, and offsets are counted so."""

    def __init__(self, text: str) -> None:
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self.text = text.encode("utf-8", "replace").decode()  # no lone surrogates
        self.lines = self.text.split("\n")

    @cached_property
    def _line_starts(self) -> list[int]:
        lengths = (len(line.encode()) + 1 for line in self.lines)
        return [0, *accumulate(lengths)]

    def offset(self, line: int, column: int) -> int:
        """Return bytes before a place; line from 1, column in bytes from 0."""
        return self._line_starts[line - 1] + column

    def offset_of_character(self, index: int) -> int:
        """Return bytes before the character at an index of the text."""
        if self.text.isascii():
            return index
        return len(self.text[:index].encode())

    def line_of_character(self, index: int) -> int:
        """Return the line, from 1, of the character at an index of the text."""
        return self.text.count("\n", 0, index) + 1

    def excerpt(self, node: ast.expr | ast.pattern, length: int = 80) -> str:
        """Return what a node says on its first line, cut to a length."""
        line = self.lines[node.lineno - 1]
        start = node.col_offset
        end = node.end_col_offset if node.end_lineno == node.lineno else None
        if line.isascii():
            return line[start:end][:length]
        return line.encode()[start:end].decode("utf-8", "replace")[:length]

    def bracket_after(self, line: int, column: int) -> tuple[int, int]:
        """Return line and column, in bytes, of the next ``[`` from a place on."""
        while line <= len(self.lines):
            found = self.lines[line - 1].encode().find(b"[", column)
            if found >= 0:
                return line, found
            line, column = line + 1, 0
        return line - 1, column
