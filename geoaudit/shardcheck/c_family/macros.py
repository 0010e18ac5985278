"""``#define``: constants as assignments at the top of the file, the others as functions."""

import re

from tree_sitter import Node

from geoaudit.shardcheck.c_family.classes import Classes
from geoaudit.shardcheck.c_family.items import Context, items_below
from geoaudit.shardcheck.c_family.literals import plain_type
from geoaudit.shardcheck.c_family.live_ranges import ends_of_definitions
from geoaudit.shardcheck.c_family.source_text import Define, SourceText
from geoaudit.shardcheck.c_family.syntax import Parsed, error_size, parse
from geoaudit.shardcheck.program.expressions import Expression, Name, Opaque
from geoaudit.shardcheck.program.file_program import NotAnalysed
from geoaudit.shardcheck.program.statements import (
    Assign,
    Evaluate,
    Function,
    Parameter,
    Return,
    Statement,
)

_PREFIX = b"void f(){"
_SUFFIX = b"\n;}"
_NO_ARGUMENTS = b"()"
_ARGUMENT_PASTE = re.compile(rb",(\s*)##(\s*)__VA_ARGS__")
_OPTIONAL = re.compile(rb"__VA_OPT__\(([^()]*)\)")
_PASTE = re.compile(rb"(?:[ \t]|\\\r?\n)*##(?:[ \t]|\\\r?\n)*")
_STRING = re.compile(rb"(?<![#$'\"])#(?=[A-Za-z_])")
_TYPE = re.compile(r"[A-Za-z_][\w:]*(?: [A-Za-z_]\w*)*(?:\s*\*)*")


def paste_marks(body: bytes) -> bytes:
    """A macro body that parses: ``a##b`` is one name with ``$`` for ``#``; offsets stay."""
    if b"#" not in body and b"__VA_OPT__" not in body:
        return body
    body = _OPTIONAL.sub(lambda match: match.group(1).rjust(len(match.group())), body)
    body = _ARGUMENT_PASTE.sub(rb",\1  \2__VA_ARGS__", body)
    body = _PASTE.sub(lambda match: b"$" * len(match.group()), body)
    return _STRING.sub(b"$", body)


def take_defines(converter: Classes, source: SourceText) -> None:
    """Adds every ``#define`` of a file to its record."""
    ends = ends_of_definitions(source)
    for define in source.defines:
        end = source.open_end(define)
        body = source.data[define.body_start : end or define.body_end]
        if define.parameters is None and not body.strip():
            continue
        parsed = parse(
            _PREFIX + paste_marks(body) + (_NO_ARGUMENTS if end else b"") + _SUFFIX,
            first_line=source.line(define.body_start),
            first_byte=define.body_start - len(_PREFIX),
        )
        line = source.line(define.start)
        with converter.reading(parsed):
            try:
                _take(converter, define, parsed, (line, ends.get(define.start, 0)))
            except RecursionError:
                note = NotAnalysed(line, f"macro {define.name}: nested too deeply")
                converter.record.not_analysed.append(note)


def _take(converter: Classes, define: Define, parsed: Parsed, holds: tuple[int, int]) -> None:
    line, until = holds
    body = _body(parsed.root)
    inside = [child for child in body.named_children if not _is_empty(child)] if body else []
    if define.parameters is None:
        value = _constant(converter, inside)
        if value is not None:
            target = Name(define.name)
            converter.record.top.append(Assign(target, value, line, constant=True, until=until))
            return
    index = converter.record.begin_function()

    def read() -> list[Statement]:
        if parsed.root.has_error and _reads_better_as_definitions(parsed):
            return _definitions(converter, parsed)
        return _statements(converter, inside, parsed)

    statements, calls = converter.read_body(read, index)
    converter.record.functions[index] = Function(
        name=define.name,
        kind="macro",
        parameters=tuple(map(_parameter, define.parameters or ())),
        body=statements,
        line=line,
        calls=calls,
        until=until,
    )


def _body(root: Node) -> Node | None:
    for child in root.named_children:
        if child.type == "function_definition":
            return child.child_by_field_name("body")
    return root


def _is_empty(node: Node) -> bool:
    return node.type == "comment" or (
        node.type == "expression_statement" and not node.named_child_count
    )


def _constant(converter: Classes, inside: list[Node]) -> Expression | None:
    """The value of an object-like macro; None where it is not one value."""
    text = converter.parsed.text(converter.parsed.root)[len(_PREFIX) : -len(_SUFFIX)].strip()
    if _TYPE.fullmatch(text):
        return Name(plain_type(text))
    if text.endswith(";"):
        return None
    if len(inside) != 1 or inside[0].has_error or inside[0].type != "expression_statement":
        return None
    before = set(converter.record.launches)
    value = converter.expression(inside[0].named_children[0])
    if converter.prelude or converter.record.launches != before:
        converter.prelude = []
        converter.record.launches = before
        return None
    return value


def _statements(converter: Classes, inside: list[Node], parsed: Parsed) -> list[Statement]:
    statements: list[Statement] = []
    for node in inside:
        statements += converter.block(node)
    is_value = len(inside) == 1 and inside[0].type == "expression_statement"
    if is_value and not parsed.text(inside[0]).rstrip(";").endswith("\n"):
        return statements
    if is_value and not statements:
        value = converter.expression(inside[0].named_children[0])
        return [Return(value, parsed.line(inside[0]))]
    if is_value and isinstance(statements[-1], Evaluate):
        last = statements[-1]
        if not isinstance(last.value, Opaque):
            statements[-1] = Return(last.value, last.line)
    return statements


def _reads_better_as_definitions(parsed: Parsed) -> bool:
    return error_size(_as_definitions(parsed).root) < error_size(parsed.root)


def _as_definitions(parsed: Parsed) -> Parsed:
    """The body as text at the top of a file: for macros that define functions."""
    return parse(
        parsed.data[len(_PREFIX) : -len(_SUFFIX)],
        first_line=parsed.first_line,
        first_byte=parsed.first_byte + len(_PREFIX),
    )


def _definitions(converter: Classes, parsed: Parsed) -> list[Statement]:
    inner = _as_definitions(parsed)
    statements: list[Statement] = []
    with converter.reading(inner):
        for item in items_below(inner, inner.root, Context()):
            statements += converter.take(item)
    return statements


def _parameter(text: str) -> Parameter:
    if text == "...":
        return Parameter("__VA_ARGS__", is_pack=True)
    is_pack = text.endswith("...")
    return Parameter(text.removesuffix("..."), is_pack=is_pack)
