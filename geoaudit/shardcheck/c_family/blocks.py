"""Macros that take statements as an argument, rewritten as blocks at unchanged offsets."""

import re

from geoaudit.shardcheck.c_family.source_text import BLANK, SourceText

_MACRO_CALL = re.compile(rb"\b_*[A-Z][A-Z0-9]+(?:_\w*)?\s*\(")
_BRACKET = re.compile(rb"[()\[\]{};,]")


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
    depth = 0
    argument = start
    block: int | None = None
    for match in _BRACKET.finditer(code, start):
        mark = match.group()
        if mark in b"([{":
            if mark == b"{" and depth == 0 and not code[argument : match.start()].strip():
                block = match.start() if block is None else block
            depth += 1
        elif mark in b")]}":
            if depth == 0:
                return None if block is None or mark != b")" else (block, match.start())
            depth -= 1
        elif depth == 0 and mark == b",":
            argument = match.end()
        elif depth == 0 and block is None:
            block = argument
    return None
