"""Formulas of a manifest as expressions of the program."""

import ast
import warnings

from geoaudit.shardcheck.program.expressions import (
    Call,
    Choice,
    Expression,
    Name,
    Number,
    Operation,
)
from geoaudit.shardcheck.program.walking import within
from geoaudit.shardcheck.python.operators import OPERATORS, joined
from geoaudit.shardcheck.symbolic.operators import LARGEST

FUNCTIONS = frozenset({"cdiv", "min", "max"})
_LONGEST = 1000  # characters of a formula
_DEEPEST = 60  # nested expressions; much deeper ones could not be encoded
_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class FormulaError(ValueError):
    """A value that is no formula of integers; the message is its reason in words."""


def read_formula(value: object) -> Expression:
    """The expression that a value of a manifest is: a number, or a formula as text.

    Raises:
        FormulaError: it is neither.

    >>> read_formula("heads / tp").operator
    '/'
    """
    if isinstance(value, int):
        return _number(value)
    if not isinstance(value, str):
        raise FormulaError("neither an integer nor a formula")
    if len(value) > _LONGEST:
        raise FormulaError(f"a formula of more than {_LONGEST:,} characters")
    line = " ".join(value.split())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of doubtful literals in other people's formulas
            tree = ast.parse(line, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise FormulaError(f"{line[:60]!r} is no formula") from error
    _require_shallow(tree)
    return _expression(tree.body, line)


def _require_shallow(tree: ast.AST) -> None:
    level, depth = [tree], 0
    while level:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
        if depth > _DEEPEST:
            raise FormulaError(f"a formula nested deeper than {_DEEPEST}")


def _number(value: int) -> Number:
    if not -LARGEST <= value <= LARGEST:
        raise FormulaError("a number of more than 64 bits")
    return Number(int(value))


def names_in(expression: Expression) -> frozenset[str]:
    """The symbols that a formula uses."""
    found = {one.text for one in within(expression) if isinstance(one, Name)}
    return frozenset(found - FUNCTIONS)


def _expression(node: ast.expr, line: str) -> Expression:
    match node:
        case ast.Constant(value=int(value)):
            return _number(value)
        case ast.Name(id=name):
            return Name(name)
        case ast.BinOp(left=left, op=operator, right=right) if isinstance(operator, _BINARY):
            operands = (_expression(left, line), _expression(right, line))
            return Operation(OPERATORS[type(operator)], operands)
        case ast.BoolOp(op=operator, values=values):
            return joined(OPERATORS[type(operator)], [_expression(one, line) for one in values])
        case ast.IfExp(test=test, body=body, orelse=orelse):
            then, otherwise = _expression(body, line), _expression(orelse, line)
            return Choice(_expression(test, line), then, otherwise)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return Call(Name(name), tuple(_expression(one, line) for one in arguments))
        case ast.UnaryOp(op=operator, operand=operand):
            return _of_one(operator, _expression(operand, line), line)
        case ast.Compare():
            return _comparison(node, line)
        case _:
            raise FormulaError(f"{ast.unparse(node)[:60]!r} is no arithmetic of integers")


def _of_one(operator: ast.unaryop, operand: Expression, line: str) -> Expression:
    match operator:
        case ast.USub():
            if isinstance(operand, Number):
                return Number(-operand.value)
            return Operation("-", (operand,))
        case ast.UAdd():
            return operand
        case ast.Not():
            return Operation("!", (operand,))
        case _:
            raise FormulaError(f"{line[:60]!r} is no arithmetic of integers")


def _comparison(node: ast.Compare, line: str) -> Expression:
    parts: list[Expression] = []
    left = _expression(node.left, line)
    for operator, comparator in zip(node.ops, node.comparators, strict=True):
        if not isinstance(operator, _COMPARISONS):
            raise FormulaError(f"{line[:60]!r} is no arithmetic of integers")
        right = _expression(comparator, line)
        parts.append(Operation(OPERATORS[type(operator)], (left, right)))
        left = right
    return joined("&&", parts)
