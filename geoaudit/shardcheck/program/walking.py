"""Walks over expressions and statements."""

from collections.abc import Iterator

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s


def parts_of(node: e.Expression) -> Iterator[e.Expression]:
    """The expressions directly within one."""
    match node:
        case e.Member() | e.Cast() | e.Starred():
            yield node.value
        case e.Subscript():
            yield node.value
            yield from node.indices
        case e.Slice():
            yield from (part for part in (node.lower, node.upper, node.step) if part is not None)
        case e.Operation():
            yield from node.operands
        case e.Choice():
            yield from (node.condition, node.then, node.otherwise)
        case e.Call():
            yield node.function
            yield from node.arguments
            yield from (value for _, value in node.keywords)
            yield from node.template_arguments
        case e.Collection():
            yield from node.items
            yield from (value for _, value in node.keywords)
        case e.Launch():
            yield from (node.kernel, node.grid)
            yield from () if node.block is None else (node.block,)
            yield from node.arguments
            yield from (value for _, value in node.keywords)
        case e.Opaque():
            yield from node.parts
        case _:
            return


def within(node: e.Expression) -> Iterator[e.Expression]:
    """An expression and all within it, outermost first."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(list(parts_of(one))))


def expressions_of(statement: s.Statement) -> Iterator[e.Expression]:
    """The expressions directly in a statement, not those of statements within it."""
    match statement:
        case s.Assign():
            yield statement.target
            if statement.value is not None:
                yield statement.value
        case s.Evaluate():
            yield statement.value
        case s.Branch():
            yield statement.condition
        case s.Loop():
            for part in (statement.condition, statement.target, statement.iterable):
                if part is not None:
                    yield part
        case s.Return():
            if statement.value is not None:
                yield statement.value
        case _:
            return


def blocks_of(statement: s.Statement) -> Iterator[tuple[s.Statement, ...]]:
    """The blocks within a statement, in the order they run."""
    match statement:
        case s.Branch():
            yield statement.then
            yield statement.otherwise
        case s.Loop():
            yield statement.initial
            yield statement.body
            yield statement.step
        case _:
            return


def last_name(node: e.Expression) -> str:
    """The last component of what is called: ``f`` of ``a::f``, ``m.f``, ``f[grid]``; or empty."""
    match node:
        case e.Name(text=text):
            return text.rpartition("::")[2]
        case e.Member(name=name):
            return name
        case e.Subscript(value=value) | e.Cast(value=value):
            return last_name(value)
        case e.Call(function=function):
            return last_name(function)
        case e.Operation(operands=(inner,)):
            return last_name(inner)
        case _:
            return ""
