"""Launches that a search of the text finds, outside of comments and strings: the self-check."""

import re
from collections.abc import Iterator

from geoaudit.shardcheck.c_family.record import LAUNCH_CALLS
from geoaudit.shardcheck.c_family.source_text import SourceText

_CHEVRON = re.compile(rb"(?<!<)<<<(?!<)")
_LAUNCHED = re.compile(rb"[\w>)\]#$](?:\s|\\\r?\n)*$")
_CALL = re.compile(rb"\b((?:cu|hip)\w*Launch\w+)\s*(?:<[^<>;(){}]*>)?\s*(\()")
_BRACKET = re.compile(rb"[()\[\]{};]|>>>(?!>)|<<<")
_PARENTHESIS = re.compile(rb"[()]")
_CLOSES = re.compile(rb"(?:\s|\\\r?\n)*\(")
_BEFORE = re.compile(rb"(\w+|[^\w\s])\s*$")
_STATEMENT_WORDS = frozenset({b"return", b"else", b"do", b"co_return", b"throw"})
LONGEST_CONFIGURATION = 4000
LONGEST_GAP = 200


def textual_launches(source: SourceText) -> Iterator[tuple[int, str]]:
    """Offset and idiom of each: of ``<<<``, or of the bracket that opens a call's arguments."""
    code = source.code
    ends = {source.open_end(define) for define in source.defines} if b">>>" in code else set()
    for match in _CHEVRON.finditer(code):
        start = match.start()
        is_launched = _LAUNCHED.search(code[max(0, start - LONGEST_GAP) : start])
        if is_launched and _is_configuration(code, match.end(), ends):
            yield start, "chevron"
    if b"Launch" not in code:
        return
    bodies = {define.body_start for define in source.defines}
    for match in _CALL.finditer(code):
        name = match.group(1).decode()
        if name in LAUNCH_CALLS and not _is_declaration(code, match.start(), bodies):
            yield match.start(2), name


def launches_as_statement(source: SourceText) -> bool:
    """Whether a text is code that launches, and no sentence that mentions a launch.

    A launch in code ends a statement, or stands among several lines of statements.
    """
    code = source.code
    is_block = b"\n" in code.strip() and (b";" in code or code.count(b"(") > code.count(b")"))
    for offset, idiom in textual_launches(source):
        start = code.find(b">>>", offset) + 3 if idiom == "chevron" else offset
        if is_block or code[_closing(code, start) :].lstrip().startswith(b";"):
            return True
    return False


def _closing(code: bytes, start: int) -> int:
    """Where the argument list that begins from an offset on is closed; else the end."""
    depth = 0
    for match in _PARENTHESIS.finditer(code, start):
        depth += 1 if match.group() == b"(" else -1
        if depth <= 0:
            return match.end()
    return len(code)


def _is_configuration(code: bytes, start: int, ends: set[int | None]) -> bool:
    """Whether ``>>>`` and an argument list follow, or the end of a macro."""
    depth = 0
    for match in _BRACKET.finditer(code, start, start + LONGEST_CONFIGURATION):
        token = match.group()
        if token == b">>>":
            if depth == 0:
                return match.end() in ends or _CLOSES.match(code, match.end()) is not None
        elif token in b"([{":
            depth += 1
        elif token == b"<<<" or (token == b";" and depth == 0):
            return False
        elif token == b";":
            continue
        else:
            depth -= 1
            if depth < 0:
                return False
    return False


def _is_declaration(code: bytes, start: int, bodies: set[int]) -> bool:
    """Whether a type or ``#define`` stands before a name: ``cudaError_t cudaLaunchKernel(``."""
    before = code[max(0, start - 200) : start].rstrip()
    if before.endswith(b"::"):
        before = before[:-2].rstrip()
        before = re.sub(rb"\w+$", b"", before).rstrip()
    match = _BEFORE.search(before)
    if match is None or not match.group(1)[-1:].isalnum():
        return False
    end_of_word = start - len(code[max(0, start - 200) : start]) + match.end(1)
    if match.group(1) in _STATEMENT_WORDS:
        return False
    return not any(body in bodies for body in (end_of_word, end_of_word + 1))
