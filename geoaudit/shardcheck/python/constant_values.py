"""What the constants of a Python file stand for: every value a name may have."""

import itertools
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence

from geoaudit.shardcheck.program.expressions import (
    Call,
    Cast,
    Choice,
    Collection,
    Expression,
    Member,
    Name,
    Number,
    Opaque,
    Operation,
    Starred,
    Subscript,
)
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.program.statements import Assign, Branch, Evaluate, Loop, Return, Statement

Bindings = Mapping[str, Sequence[Expression]]  # name -> what it may stand for
_DEEPEST = 12  # names that stand for names
_MOST_VALUES = 1024  # of one expression
_LARGEST = 2**40
_OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "**": operator.pow,
}


class ConstantValues:
    """Follows names to the module constants and functions of a file."""

    def __init__(self, file: FileProgram) -> None:
        self._constants = assigned(file.functions[0].body)
        self._functions = {one.name: one for one in file.functions if one.kind == "function"}

    def alternatives(
        self, node: Expression, bound: Bindings, depth: int = 0
    ) -> tuple[Expression, ...]:
        """Return what an expression may stand for; itself where that is not told.

        Args:
            node: an expression of the file.
            bound: names of loops around it.
            depth: how many names have been followed.
        """
        if depth > _DEEPEST:
            return (node,)
        if isinstance(node, Operation) and len(node.operands) == 2:
            return self._computed(node, bound, depth)
        inner = bound
        followed: Sequence[Expression] = ()
        if isinstance(node, Name):
            followed = bound.get(node.text, ()) or self._constants.get(node.text, ())
        elif isinstance(node, Choice):
            followed = (node.then, node.otherwise)
        elif isinstance(node, Cast | Subscript):  # a part of a list has no values but the list's
            followed = (node.value,)
        elif isinstance(node, Call):
            followed, inner = self.called(node)
        found = (one for part in followed for one in self.alternatives(part, inner, depth + 1))
        return tuple(itertools.islice(found, _MOST_VALUES)) or (node,)

    def called(self, node: Call) -> tuple[Sequence[Expression], Bindings]:
        """Return what a function of the file returns, and its names; nothing for another."""
        name = node.function.text if isinstance(node.function, Name) else ""
        function = self._functions.get(name)
        return ((), {}) if function is None else (returned(function.body), assigned(function.body))

    def integers(self, node: Expression, bound: Bindings) -> set[int]:
        """Return the integers that an expression may be; empty where one of them is not told."""
        found = self.alternatives(node, bound)
        numbers = {one.value for one in found if isinstance(one, Number)}
        return numbers if all(isinstance(one, Number) for one in found) else set()

    def elements(self, node: Expression, bound: Bindings) -> Iterator[Expression]:
        """Yield the elements that a list, a range or a product may have."""
        for one in self.alternatives(node, bound):
            if isinstance(one, Collection):
                for item in one.items:
                    if isinstance(item, Starred):
                        yield from self.elements(item.value, bound)
                    else:
                        yield item
            elif isinstance(one, Operation) and one.operator == "+":
                for operand in one.operands:
                    yield from self.elements(operand, bound)
            elif isinstance(one, Call):
                yield from self._generated(one, bound)

    def _generated(self, node: Call, bound: Bindings) -> Iterator[Expression]:
        name = last_component(node.function)
        if name == "product":
            columns = [list(self.elements(argument, bound)) for argument in node.arguments]
            rows = itertools.product(*columns)
            yield from (Collection(row) for row in itertools.islice(rows, _MOST_VALUES))
        elif name == "range" and 1 <= len(node.arguments) <= 3:
            limits = [self.integers(argument, bound) for argument in node.arguments]
            if all(len(one) == 1 for one in limits) and limits[2:] != [{0}]:
                numbers = range(*(one.pop() for one in limits))
                yield from map(Number, numbers[:_MOST_VALUES])

    def _computed(self, node: Operation, bound: Bindings, depth: int) -> tuple[Expression, ...]:
        function = _OPERATORS.get(node.operator)
        left, right = (self.alternatives(part, bound, depth + 1) for part in node.operands)
        results: set[int] = set()
        for one, other in itertools.islice(itertools.product(left, right), _MOST_VALUES):
            if not (isinstance(one, Number) and isinstance(other, Number) and function):
                return (node,)
            if node.operator in {"<<", ">>", "**"} and not 0 <= other.value <= 40:
                return (node,)
            if node.operator == "//" and other.value == 0:
                return (node,)
            value = function(one.value, other.value)
            if abs(value) > _LARGEST:
                return (node,)
            results.add(value)
        return tuple(map(Number, sorted(results)))


def last_component(node: Expression) -> str:
    """Return the last component of a name; empty for anything else."""
    if isinstance(node, Member):
        return node.name
    return node.text if isinstance(node, Name) else ""


def assigned(body: Iterable[Statement]) -> dict[str, list[Expression]]:
    """Return every value that statements give a name: assigned, looped over, or appended."""
    values: dict[str, list[Expression]] = {}
    for statement in _flat(body):
        if isinstance(statement, Assign) and statement.value is not None:
            target, given = statement.target, [statement.value]
        elif isinstance(statement, Loop) and isinstance(statement.iterable, Collection):
            target, given = statement.target or Opaque(""), list(statement.iterable.items)
        elif isinstance(statement, Evaluate):
            target, given = _appended(statement.value)
        else:
            continue
        if isinstance(target, Name):
            values.setdefault(target.text, []).extend(given)
    return values


def _appended(node: Expression) -> tuple[Expression, list[Expression]]:
    """Return the list and what a call appends to it."""
    if isinstance(node, Call) and isinstance(node.function, Member) and node.arguments:
        if node.function.name == "append":
            return node.function.value, [Collection(node.arguments)]
        if node.function.name == "extend":
            return node.function.value, list(node.arguments)
    return node, []


def returned(body: Iterable[Statement]) -> list[Expression]:
    """Return every value that statements, and blocks in them, return."""
    return [
        statement.value
        for statement in _flat(body)
        if isinstance(statement, Return) and statement.value is not None
    ]


def _flat(body: Iterable[Statement]) -> Iterator[Statement]:
    for statement in body:
        yield statement
        if isinstance(statement, Branch):
            yield from _flat(statement.then)
            yield from _flat(statement.otherwise)
        elif isinstance(statement, Loop):
            yield from _flat(statement.body)
