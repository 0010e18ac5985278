"""Blocks that are run where they stand: their ``return`` and ``break`` leave the block alone."""

from collections.abc import Iterable, Iterator

from geoaudit.shardcheck.program.expressions import Number
from geoaudit.shardcheck.program.statements import (
    Branch,
    Evaluate,
    Loop,
    Return,
    Statement,
    Stop,
)


def without_returns(statements: list[Statement]) -> list[Statement]:
    """The body of a lambda that is called in place, as statements of the enclosing function.

    A last ``return`` is dropped; where an earlier one is left, the block becomes a ``do`` that runs
    once and the ``return`` a ``break``.
    """
    if statements and isinstance(statements[-1], Return):
        last = statements[-1]
        statements = statements[:-1]
        if last.value is not None:
            statements.append(Evaluate(last.value, last.line))
    changed = list(_each_without_return(statements))
    return once(changed) if changed != statements else statements


def once(statements: Iterable[Statement]) -> list[Statement]:
    """A loop that runs once, so that a ``break`` in it leaves it."""
    body = tuple(statements)
    if not body:
        return []
    return [Loop(body, body[0].line, condition=Number(0), body_first=True)]


def _each_without_return(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    return tuple(new for old in statements for new in _without_return(old))


def _without_return(statement: Statement) -> Iterator[Statement]:
    match statement:
        case Return(value, line):
            if value is not None:
                yield Evaluate(value, line)
            yield Stop(line, leaves_function=False)
        case Branch(condition, then, otherwise, line):
            yield Branch(
                condition, _each_without_return(then), _each_without_return(otherwise), line
            )
        case Loop():
            yield Loop(
                _each_without_return(statement.body),
                statement.line,
                statement.condition,
                statement.initial,
                statement.step,
                statement.target,
                statement.iterable,
                statement.body_first,
            )
        case _:
            yield statement


def breaks(statements: Iterable[Statement]) -> bool:
    """Whether a ``break`` or ``continue`` among the statements leaves an enclosing block."""
    for statement in statements:
        match statement:
            case Stop(leaves_function=False):
                return True
            case Branch(_, then, otherwise, _):
                if breaks(then) or breaks(otherwise):
                    return True
    return False
