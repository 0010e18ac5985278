"""Macros that take statements as an argument, rewritten as blocks at unchanged offsets."""

import re
from collections.abc import Iterator

from geoaudit.shardcheck.c_family.source_text import BLANK, SourceText

_MACRO_CALL = re.compile(rb"\b_*[A-Z][A-Z0-9]+(?:_\w*)?\s*\(")
_IN_TEMPLATE = re.compile(rb"\w\s*<[^<>;()]*$")
_IS_DECLARATION = re.compile(rb"\s*[\w:]+(?:<[^<>]*>)?[\s*&]+\w+\s*=(?!=)")
_IS_STATEMENT = re.compile(rb"\s*(?:if|for|while|do|switch)\b")
_BRACKET = re.compile(rb"[()\[\]{};,]|<<<|>>>")
_CLOSING = frozenset({b")", b"]", b"}", b">>>"})
_NEXT_LINE = re.compile(rb"[ \t]*\r?\n(?:[ \t]*\r?\n)*([ \t])[ \t]*[A-Za-z_]")
_BEGINS_STATEMENT = re.compile(rb"[;{})]\s*$")
LONGEST_INDENTATION = 400
MOST_NESTED = 20
MOST_ROUNDS = 4


def with_blocks(text: bytes) -> bytes:
    """A text in which macros that take statements are blocks, also where one is in another's."""
    for _ in range(MOST_ROUNDS):
        changed = _with_blocks(text)
        if changed == text:
            break
        text = changed
    return text


def _with_blocks(text: bytes) -> bytes:
    """A text in which ``SWITCH(x, T, const int n = 1; …)`` is ``{ const int n = 1; … }``.

    The macro's name and its other arguments are blank: what the block reads of them is unbound.
    ``CHECK(x)`` without a semicolon has one in the indentation of the next line.
    """
    code = SourceText(text).code
    written = bytearray(text)
    scanned = 0
    for match in _MACRO_CALL.finditer(code):
        block, closing = _block_of(code, match.end())
        scanned += closing - match.end()
        if scanned > MOST_NESTED * len(code):
            break
        if block is None:
            _end_statement(code, match.start(), closing, written)
            continue
        written[match.start() : block] = written[match.start() : block].translate(BLANK)
        if code[block : block + 1] == b"{":
            written[closing : closing + 1] = b" "
        else:
            written[match.end() - 1 : match.end()] = b"{"
            written[closing : closing + 1] = b"}"
    return bytes(written)


def _end_statement(code: bytes, start: int, closing: int, written: bytearray) -> None:
    """Ends a macro that is a statement of its own, where the next line begins one as well."""
    before = code[max(0, start - LONGEST_INDENTATION) : start]
    following = _NEXT_LINE.match(code, closing + 1)
    if following and _BEGINS_STATEMENT.search(before):
        written[following.start(1) : following.start(1) + 1] = b";"


def _block_of(code: bytes, start: int) -> tuple[int | None, int]:
    """Where the statements of an argument list begin, None for none, and where the list ends."""
    argument = start
    block: int | None = None
    for mark, offset in _outermost(code, start):
        given = code[argument:offset]
        if mark == b")":
            return block, offset
        if block is not None:
            continue
        if mark == b"{" and not given.strip():
            block = offset
        elif (
            mark == b";"
            or (mark == b"," and _IS_DECLARATION.match(given))
            or (mark == b"{" and _IS_STATEMENT.match(given))
        ):
            block = argument
        elif mark == b"," and not _IN_TEMPLATE.search(given):
            argument = offset + 1
    return None, len(code)


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
