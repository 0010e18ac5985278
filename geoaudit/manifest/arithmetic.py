"""What the operations of a manifest's expressions mean: Python's arithmetic, exact and bounded."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from geoaudit.errors import InputError
from geoaudit.manifest.location import did_you_mean, shown

Number = int | float

FUNCTIONS = ("cdiv", "max", "min")
LARGEST_INTEGER = 2**64 - 1
_LARGEST_EXPONENT = 64  # 2 ** 64 is the first power of 2 beyond the largest integer


class ExpressionError(InputError):
    """An expression that cannot be read or worked out; says why, not where: exit code 2."""


class TooLargeExpressionError(ExpressionError):
    """An expression that is too long, or nested too deeply."""


def value_of(node: ast.AST, values: Mapping[str, int]) -> Number:
    """The value of a tree that holds nothing but arithmetic.

    Args:
        node: a tree that ``parse_expression`` accepted.
        values: value of every name in it.

    Raises:
        ExpressionError: unknown name, division by zero, a quotient that is not exact, a result
            that is not finite or beyond 64 bits.
    """
    return bounded(EVALUATIONS[type(node)](node, values))


def bounded(value: Number) -> Number:
    """The number itself, a truth value as 1 or 0.

    Raises:
        ExpressionError: it is not finite, or beyond 64 bits.
    """
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise ExpressionError("the result is not a finite number")
    if abs(value) > LARGEST_INTEGER:
        raise ExpressionError("the result is larger than 64 bits hold")
    return int(value)


def _constant(node: ast.Constant, _: Mapping[str, int]) -> Number:
    value = node.value
    assert isinstance(value, int | float)
    return value


def _name(node: ast.Name, values: Mapping[str, int]) -> Number:
    if node.id not in values:
        raise ExpressionError(f"unknown symbol {node.id}{did_you_mean(node.id, values)}")
    return values[node.id]


def _binary(node: ast.BinOp, values: Mapping[str, int]) -> Number:
    left, right = value_of(node.left, values), value_of(node.right, values)
    try:
        return OPERATIONS[type(node.op)](left, right)
    except ZeroDivisionError as error:
        raise ExpressionError(f"division by zero in {shown(ast.unparse(node))}") from error
    except OverflowError as error:
        raise ExpressionError("the result is not a finite number") from error


def _unary(node: ast.UnaryOp, values: Mapping[str, int]) -> Number:
    return OPERATIONS_OF_ONE[type(node.op)](value_of(node.operand, values))


def _boolean(node: ast.BoolOp, values: Mapping[str, int]) -> Number:
    stops_at = isinstance(node.op, ast.Or)
    value: Number = 0
    for operand in node.values:
        value = value_of(operand, values)
        if bool(value) is stops_at:
            break
    return value


def _comparison(node: ast.Compare, values: Mapping[str, int]) -> Number:
    left = value_of(node.left, values)
    for operation, operand in zip(node.ops, node.comparators, strict=True):
        right = value_of(operand, values)
        if not OPERATIONS[type(operation)](left, right):
            return 0
        left = right
    return 1


def _conditional(node: ast.IfExp, values: Mapping[str, int]) -> Number:
    return value_of(node.body if value_of(node.test, values) else node.orelse, values)


def _call(node: ast.Call, values: Mapping[str, int]) -> Number:
    assert isinstance(node.func, ast.Name)
    arguments = [value_of(argument, values) for argument in node.args]
    if node.func.id != "cdiv":
        return max(arguments) if node.func.id == "max" else min(arguments)
    if arguments[1] == 0:
        raise ExpressionError(f"division by zero in {shown(ast.unparse(node))}")
    return -(-arguments[0] // arguments[1])


def _divide(left: Number, right: Number) -> Number:
    if isinstance(left, float) or isinstance(right, float):
        return left / right
    quotient, remainder = divmod(left, right)
    if remainder:
        raise ExpressionError(
            f"{left} / {right} is not exact; use // to round down or cdiv(a, b) to round up"
        )
    return quotient


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int):
        if exponent < 0:
            raise ExpressionError(
                f"{base} ** {exponent} is not an integer; write {base}.0 where a key takes reals"
            )
        # Refused before it is worked out: the outcome could fill the memory.
        if exponent > _LARGEST_EXPONENT and abs(base) > 1:
            raise ExpressionError("the result is larger than 64 bits hold")
    result: int | float | complex = base**exponent
    if isinstance(result, complex):
        raise ExpressionError(f"{base} ** {exponent} is not a real number")
    return result


OPERATIONS: dict[type[ast.AST], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divide,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
"""Operations of two numbers that an expression may hold."""

OPERATIONS_OF_ONE: dict[type[ast.AST], Callable[[Number], Number]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
"""Operations of one number."""

# Each function takes its own type of node, which a table of them cannot say.
EVALUATIONS: dict[type[ast.AST], Callable[[Any, Mapping[str, int]], Number]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: _conditional,
    ast.Call: _call,
}
"""Every kind of node an expression may hold, and what it is worth."""
