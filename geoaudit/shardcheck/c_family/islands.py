"""Functions found by their braces alone, where a parser lost its way."""

import re
from dataclasses import dataclass

from geoaudit.shardcheck.c_family.source_text import SourceText

_MARK = re.compile(rb"[{};]")
_NAMESPACE = re.compile(rb"\bnamespace\b\s*([\w:]*)\s*$")
_EXTERN = re.compile(rb'\bextern\s*"[^"]*"\s*$')
_CLASS = re.compile(
    rb"(?<![\w<,])(?:class|struct|union)\b[^;{}()=]*?([A-Za-z_]\w*)\s*(?:<[^{};]*>)?\s*(?:final\s*)?"
    rb"(?::(?!:)[^;{}]*)?$"
)
_FUNCTION = re.compile(rb"[\w>~=\]*+-]\s*\(.*\)", re.DOTALL)
_MACRO = re.compile(rb"\s*[A-Z_][A-Z0-9_]{3,}\s*")
LONGEST_HEADER = 4000
_ACCESS = re.compile(rb"\s*(?:(?:public|private|protected)\s*:(?!:)\s*)*")


@dataclass(frozen=True, kw_only=True)
class Island:
    """A function: offsets of its header, of its opening brace, and after its closing one."""

    start: int
    body: int
    end: int
    namespace: str
    owner: str
    is_hidden: bool

    @property
    def header(self) -> tuple[int, int]:
        """Offsets of its header."""
        return self.start, self.body


@dataclass(frozen=True, kw_only=True)
class _Scope:
    """An open brace: what it opens, and what it stands in."""

    kind: str
    namespace: str = ""
    owner: str = ""
    is_hidden: bool = False
    start: int = 0
    body: int = 0


def islands(text: bytes) -> list[Island]:
    """Functions of a text without directives, by matching braces.

    Args:
        text: with one branch of each ``#if``; comments and strings are ignored.
    """
    code = SourceText(text).code
    scopes = [_Scope(kind="namespace")]
    found: list[Island] = []
    begin = 0
    for match in _MARK.finditer(code):
        mark = match.group()
        if mark == b"{":
            scopes.append(_scope(scopes[-1], code, begin, match.start()))
        elif mark == b"}" and len(scopes) > 1:
            scope = scopes.pop()
            if scope.kind == "function":
                found.append(_island(scope, match.end()))
            if scope.kind == "value":
                continue
        if scopes[-1].kind != "value":
            begin = match.end()
    return found


def _island(scope: _Scope, end: int) -> Island:
    return Island(
        start=scope.start,
        body=scope.body,
        end=end,
        namespace=scope.namespace,
        owner=scope.owner,
        is_hidden=scope.is_hidden,
    )


def _scope(outer: _Scope, code: bytes, begin: int, brace: int) -> _Scope:
    if outer.kind in {"function", "block", "value"}:
        return _Scope(kind="block")
    start = _ACCESS.match(code, begin, brace)
    begin = start.end() if start else begin
    begin = max(begin, brace - LONGEST_HEADER)
    header = code[begin:brace]
    namespace = _NAMESPACE.search(header)
    if namespace:
        name = namespace.group(1).decode("utf-8", "replace")
        joined = "::".join(part for part in (outer.namespace, name) if part)
        return _Scope(kind="namespace", namespace=joined, is_hidden=outer.is_hidden or not name)
    if _EXTERN.search(header):
        return _Scope(kind="namespace", namespace=outer.namespace, is_hidden=outer.is_hidden)
    if header.rstrip().endswith(b"="):
        return _Scope(kind="value", namespace=outer.namespace)
    class_header = _CLASS.search(header)
    if class_header:
        owner = class_header.group(1).decode("utf-8", "replace")
        return _Scope(
            kind="class", namespace=outer.namespace, owner=owner, is_hidden=outer.is_hidden
        )
    if _FUNCTION.search(header) or _MACRO.fullmatch(header):
        return _Scope(
            kind="function",
            namespace=outer.namespace,
            owner=outer.owner,
            is_hidden=outer.is_hidden,
            start=begin + len(header) - len(header.lstrip()),
            body=brace,
        )
    return _Scope(kind="value", namespace=outer.namespace, owner=outer.owner)
