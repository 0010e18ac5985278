"""Macros that take statements as an argument, rewritten as blocks at unchanged offsets."""

import re
from collections.abc import Iterator

from geoaudit.shardcheck.c_family.source_text import BLANK, SourceText

_MACRO_CALL = re.compile(rb"\b_*[A-Z][A-Z0-9]+(?:_\w*)?\s*\(")
_IN_TEMPLATE = re.compile(rb"\w\s*<[^<>;()]*$")
_IS_DECLARATION = re.compile(rb"\s*[\w:]+(?:<[^<>]*>)?[\s*&]+\w+\s*=(?!=)")
_BRACKET = re.compile(rb"[()\[\]{};,]|<<<|>>>")
_CLOSING = frozenset({b")", b"]", b"}", b">>>"})


def with_blocks(text: bytes) -> bytes:
    """A text in which ``SWITCH(x, T, const int n = 1; …)`` is ``{ const int n = 1; … }``.

    The macro's name and its other arguments are blank: what the block reads of them is unbound.
    """
    code = SourceText(text).code
    written = bytearray(text)
    for match in _MACRO_CALL.finditer(code):
        span = _block_of(code, match.end())
        if span is None:
            continue
        block, closing = span
        written[match.start() : block] = written[match.start() : block].translate(BLANK)
        if code[block : block + 1] == b"{":
            written[closing : closing + 1] = b" "
        else:
            written[match.end() - 1 : match.end()] = b"{"
            written[closing : closing + 1] = b"}"
    return bytes(written)


def _block_of(code: bytes, start: int) -> tuple[int, int] | None:
    """Where the statements of an argument list begin, and its closing bracket; None: none."""
    argument = start
    block: int | None = None
    for mark, offset in _outermost(code, start):
        given = code[argument:offset]
        if mark == b")":
            return None if block is None else (block, offset)
        if block is not None:
            continue
        if mark == b"{" and not given.strip():
            block = offset
        elif mark == b";" or (mark == b"," and _IS_DECLARATION.match(given)):
            block = argument
        elif mark == b"," and not _IN_TEMPLATE.search(given):
            argument = offset + 1
    return None


def _outermost(code: bytes, start: int) -> Iterator[tuple[bytes, int]]:
    """Commas, semicolons and opening braces of an argument list itself, and its closing bracket."""
    open_brackets: list[bytes] = []
    for match in _BRACKET.finditer(code, start):
        mark = match.group()
        if mark in _CLOSING:
            if mark == b">>>" and open_brackets[-1:] != [b"<<<"]:
                continue
            if not open_brackets:
                yield mark, match.start()
                return
            open_brackets.pop()
            continue
        if not open_brackets and mark in {b",", b";", b"{"}:
            yield mark, match.start()
        if mark not in {b",", b";"}:
            open_brackets.append(mark)
