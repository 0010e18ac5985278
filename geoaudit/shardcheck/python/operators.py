"""Operators of Python, spelled as the program spells them."""

import ast
from collections.abc import Sequence

from geoaudit.shardcheck.program.expressions import Expression, Operation

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.BitAnd: "&",
    ast.And: "&&",
    ast.Or: "||",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is",
    ast.In: "in",
    ast.NotIn: "in",
}


def joined(operator: str, operands: Sequence[Expression]) -> Expression:
    """Return ``a && b && c ...`` of two operands each, halved so that long ones stay shallow."""
    if len(operands) == 1:
        return operands[0]
    middle = (len(operands) + 1) // 2
    return Operation(
        operator, (joined(operator, operands[:middle]), joined(operator, operands[middle:]))
    )
