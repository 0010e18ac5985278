"""Extents that a test expects, as text, compared by value with those that were found.

The text is Python: ``+ - * // % ** << >> & | ~``, comparisons, ``and``, ``or``, ``not``, ``a if c
else b``, `cdiv`, `min`, `max`, `next_power_of_2`, and ``one_of(a, b)`` for several possible values.
All else is a symbol under the name it is written with: ``params.h``, ``q.shape[1]``,
``query.size(1)``.
"""

import ast
import operator
import random
from collections.abc import Callable, Iterator, Mapping
from itertools import product

from geoaudit.shardcheck.slicing.sites import LaunchConstant
from geoaudit.shardcheck.symbolic.evaluation import ValueOf, evaluate
from geoaudit.shardcheck.symbolic.extents import Extent, Symbol
from tests.shardcheck_expectations import split_outside_brackets

Values = Mapping[str, int]
ROUNDS = 8
"""Assignments of numbers to the symbols that are tried."""

_BINARY: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}
_UNARY: dict[type, Callable[[int], int]] = {
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: lambda value: int(not value),
}
_COMPARED: dict[type, Callable[[int, int], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_CALLS: dict[str, Callable[..., int]] = {
    "cdiv": lambda a, b: -(-a // b),
    "min": min,
    "max": max,
    "next_power_of_2": lambda n: 1 << max(0, n - 1).bit_length(),
}


def spelling(name: str) -> str:
    """A symbol's name in the one spelling that names are compared in."""
    return name.replace("->", ".").replace("::", ".").replace(" ", "").replace("'", '"')


def expected_axes(text: str) -> list[ast.expr]:
    """The axes of ``(a, b, c)``; those that are not written are 1."""
    inner = text.strip().removeprefix("(").removesuffix(")")
    axes = [ast.parse(axis, mode="eval").body for axis in split_outside_brackets(inner, ",")]
    return axes + [ast.Constant(1)] * (3 - len(axes))


def differences(
    text: str, extents: tuple[Extent, ...], constants: tuple[LaunchConstant, ...] = ()
) -> list[str]:
    """One sentence for each axis whose value is another than the text says; empty: all agree."""
    found = []
    known = {constant.symbol: frozenset(constant.values) for constant in constants}
    for name, expected, extent in zip("xyz", expected_axes(text), extents, strict=True):
        for values in assignments(expected):
            try:
                wanted = possible_values(expected, values)
            except ZeroDivisionError:
                continue
            got = evaluate(extent, _value_of(values, known))
            if got != wanted:
                found.append(
                    f"{name}: {ast.unparse(expected)} is {sorted(wanted)} with {values}, "
                    f"found {sorted(got) if got else got} of {extent}"
                )
                break
    return found


def _value_of(values: Values, known: Mapping[Symbol, frozenset[int]]) -> ValueOf:
    return lambda symbol: values.get(spelling(symbol.name), known.get(symbol))


def assignments(expected: ast.expr) -> Iterator[Values]:
    """Numbers for the symbols of an expression: small and large ones, the same at every run."""
    names = sorted(set(symbols_of(expected)))
    for round_ in range(ROUNDS):
        source = random.Random(f"{round_} {names}")
        largest = 9 if round_ % 2 else 5000
        yield {name: source.randint(1, largest) for name in names}


def symbols_of(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) or _is_symbol_call(node):
        yield spelling(ast.unparse(node))
    else:
        children = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
        for child in children:
            if isinstance(child, ast.expr):
                yield from symbols_of(child)


def _is_symbol_call(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _called(node) is None


def _called(node: ast.Call) -> str | None:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    return name if name in _CALLS or name == "one_of" else None


def possible_values(node: ast.expr, values: Values) -> frozenset[int]:
    """The values that an expected expression can have where its symbols have these."""
    if isinstance(node, ast.Constant):
        return frozenset({int(node.value)})  # type: ignore[arg-type]
    if isinstance(node, ast.Call) and _called(node):
        return _call(node, values)
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
        return frozenset({values[spelling(ast.unparse(node))]})
    if isinstance(node, ast.IfExp):
        branches = possible_values(node.test, values)
        return frozenset().union(
            *(possible_values(node.body if test else node.orelse, values) for test in branches)
        )
    return _operation(node, values)


def _operation(node: ast.expr, values: Values) -> frozenset[int]:
    if isinstance(node, ast.BinOp):
        pairs = product(possible_values(node.left, values), possible_values(node.right, values))
        return frozenset(_BINARY[type(node.op)](left, right) for left, right in pairs)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        pairs = product(
            possible_values(node.left, values), possible_values(node.comparators[0], values)
        )
        return frozenset(int(_COMPARED[type(node.ops[0])](left, right)) for left, right in pairs)
    if isinstance(node, ast.BoolOp):
        joined = all if isinstance(node.op, ast.And) else any
        parts = product(*(possible_values(part, values) for part in node.values))
        return frozenset(int(joined(part)) for part in parts)
    if isinstance(node, ast.UnaryOp):
        sign = _UNARY[type(node.op)]
        return frozenset(sign(value) for value in possible_values(node.operand, values))
    raise AssertionError(f"an expected extent has {ast.unparse(node)}")


def _call(node: ast.Call, values: Values) -> frozenset[int]:
    arguments = [possible_values(argument, values) for argument in node.args]
    name = _called(node)
    if name == "one_of":
        return frozenset().union(*arguments)
    return frozenset(_CALLS[name or ""](*chosen) for chosen in product(*arguments))
