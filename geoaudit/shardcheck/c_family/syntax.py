"""Parsing with tree-sitter: a tree, its text, and where it stands in the file."""

import re
from dataclasses import dataclass
from functools import cache

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

_PASTING = re.compile(r"\${2,}")


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_cuda.language()))


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """A text and its tree.

    Attributes:
        data: what was parsed.
        root: its translation unit.
        first_line: line in the file of the first line parsed, from 1.
        first_byte: offset in the file of the first byte parsed.
    """

    data: bytes
    root: Node
    first_line: int = 1
    first_byte: int = 0

    def text(self, node: Node) -> str:
        """The node as written; ``##`` of macro bodies, which `paste_marks` hid, again as ``##``."""
        text = self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return _PASTING.sub("##", text) if "$" in text else text

    def line(self, node: Node) -> int:
        """Line of the file where the node begins."""
        return node.start_point[0] + self.first_line

    def offset(self, node: Node) -> int:
        """Byte of the file where the node begins."""
        return node.start_byte + self.first_byte


def parse(data: bytes, *, first_line: int = 1, first_byte: int = 0) -> Parsed:
    """The tree of a text that stands at a line and byte of a file."""
    root = _parser().parse(data).root_node
    return Parsed(data=data, root=root, first_line=first_line, first_byte=first_byte)


def error_size(node: Node) -> int:
    """How much of a tree was not understood: bytes of errors, and one for each missing token."""
    size = 0
    pending = [node]
    while pending:
        node = pending.pop()
        if node.is_error:
            size += 1 + node.end_byte - node.start_byte
        elif node.is_missing:
            size += 1
        elif node.has_error:
            pending.extend(node.children)
    return size
