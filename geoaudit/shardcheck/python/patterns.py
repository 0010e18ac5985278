"""Patterns of ``match`` → conditions, and the names that they bind."""

import ast

from geoaudit.shardcheck.program.expressions import Expression, Opaque, Operation
from geoaudit.shardcheck.program.statements import Assign
from geoaudit.shardcheck.python.expressions import read_expression
from geoaudit.shardcheck.python.file_reading import FileReading


def read_pattern(
    reading: FileReading, node: ast.pattern, subject: Expression
) -> tuple[Expression | None, list[Assign]]:
    """Return when a pattern matches a subject (None: always), and what it binds."""
    if isinstance(node, ast.MatchValue):
        return Operation("==", (subject, read_expression(reading, node.value))), []
    if isinstance(node, ast.MatchSingleton):
        return Operation("is", (subject, reading.name(str(node.value)))), []
    if isinstance(node, ast.MatchAs):
        condition, bound = None, list[Assign]()
        if node.pattern is not None:
            condition, bound = read_pattern(reading, node.pattern, subject)
        if node.name is not None:
            bound = [*bound, Assign(reading.name(node.name), subject, node.lineno)]
        return condition, bound
    if isinstance(node, ast.MatchOr):
        return _any_of(reading, node, subject)
    return Opaque(reading.source.excerpt(node), (subject,)), []


def _any_of(
    reading: FileReading, node: ast.MatchOr, subject: Expression
) -> tuple[Expression | None, list[Assign]]:
    either: Expression | None = None
    for pattern in node.patterns[:50]:
        condition, _ = read_pattern(reading, pattern, subject)
        if condition is None:
            return None, []
        either = condition if either is None else Operation("||", (either, condition))
    return either, []
