"""Arithmetic of a manifest: parsed against a short list of what is allowed, never eval'ed.

Allowed are integers, names, ``+ - * / // % **``, comparisons (1 or 0), ``and``, ``or``, ``not``,
Python's ``a if condition else b``, and the functions ``cdiv(a, b)`` (division rounded up), ``min``
and ``max``. All of it means what it means in Python, with three exceptions: ``/`` of two integers
must divide exactly, no result may exceed 64 bits, and a truth value is 1 or 0. Only the branch
that is chosen is worked out. Where a key takes real numbers, floats may stand beside integers.
"""

import ast
import copy
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

from geoaudit.manifest.arithmetic import (
    EVALUATIONS,
    FUNCTIONS,
    OPERATIONS,
    OPERATIONS_OF_ONE,
    ExpressionError,
    Number,
    TooLargeExpressionError,
    bounded,
    value_of,
)
from geoaudit.manifest.location import did_you_mean, shown

_LONGEST_TEXT = 1000
_DEEPEST_TREE = 60
_ALLOWED_CHARACTER = re.compile(r"[A-Za-z0-9_+\-*/%()<>=!,. ]")
_ALLOWED = (
    "allowed are numbers, names, + - * / // % **, comparisons, and, or, not, "
    "`a if condition else b`, cdiv(a, b), min and max"
)
_OPERATOR_NODES = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
_ALLOWED_OPERATORS = {*OPERATIONS, *OPERATIONS_OF_ONE, ast.And, ast.Or, ast.Load}


@dataclass(frozen=True, kw_only=True)
class Expression:
    """An expression that was read and found to hold nothing but arithmetic.

    Attributes:
        text: as written, on one line.
        is_real: whether floats are allowed, so that the value may be one.
        names: the symbols it uses.
    """

    text: str
    is_real: bool
    names: frozenset[str]
    _tree: ast.expr = field(repr=False, compare=False)

    def evaluate(self, values: Mapping[str, int]) -> Number:
        """The value: an integer, or where the expression is real perhaps a float.

        Args:
            values: value of every symbol it uses.

        Raises:
            ExpressionError: unknown symbol, division by zero, a quotient that is not exact, a
                result beyond 64 bits.
        """
        return value_of(self._tree, values)

    def with_values(self, values: Mapping[str, "int | Expression"]) -> "Expression":
        """The same expression with some symbols replaced.

        Args:
            values: symbol -> the number or the expression that takes its place.

        Raises:
            ExpressionError: the outcome is too long.
        """
        tree = _Replacement(values).visit(copy.deepcopy(self._tree))
        return parse_expression(ast.unparse(tree), is_real=self.is_real)


def parse_expression(text: str, *, is_real: bool = False) -> Expression:
    """An expression, read.

    Args:
        text: the expression; line breaks count as spaces.
        is_real: allow floats.

    Raises:
        ExpressionError: it is not arithmetic, too long, or nested too deeply.

    Example:
        >>> parse_expression("cdiv(heads, 4) * 2").evaluate({"heads": 9})
        6
    """
    line = " ".join(text.split())
    tree = _parsed(line)
    _Grammar(line=line, is_real=is_real).check(tree, depth=1)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return Expression(text=line, is_real=is_real, names=frozenset(names - {*FUNCTIONS}), _tree=tree)


def _parsed(line: str) -> ast.expr:
    if not line:
        raise ExpressionError("is empty; write a number or an expression")
    if len(line) > _LONGEST_TEXT:
        raise TooLargeExpressionError(
            f"has {len(line)} characters, an expression at most {_LONGEST_TEXT}; give parts of it "
            "names under [symbols]"
        )
    for character in line:
        if not _ALLOWED_CHARACTER.match(character):
            raise ExpressionError(f"character {character!a} in an expression; {_ALLOWED}")
    try:
        with warnings.catch_warnings():
            # What Python only warns of, like `1if x else 2`, is an error here.
            warnings.simplefilter("error")
            return ast.parse(line, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if re.search(r"\bif\s*\(", line):
            raise ExpressionError("`if(c, a, b)` is not known; write `a if c else b`") from error
        raise ExpressionError(f"{shown(line)} is not an expression; {_ALLOWED}") from error


@dataclass(frozen=True, kw_only=True)
class _Grammar:
    """What an expression may hold."""

    line: str
    is_real: bool

    def check(self, node: ast.AST, *, depth: int) -> None:
        if depth > _DEEPEST_TREE:
            raise TooLargeExpressionError(
                f"is nested deeper than {_DEEPEST_TREE} operations; give parts of it names under "
                "[symbols]"
            )
        if type(node) not in EVALUATIONS:
            raise self._not_arithmetic(node)
        if isinstance(node, ast.Constant):
            self._check_number(node.value)
        if isinstance(node, ast.Name) and node.id in FUNCTIONS:
            raise ExpressionError(f"{node.id} is a function; write {node.id}(a, b)")
        if isinstance(node, ast.Call):
            self._check_call(node)
        for part in node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node):
            if not isinstance(part, _OPERATOR_NODES):
                self.check(part, depth=depth + 1)
            elif type(part) not in _ALLOWED_OPERATORS:
                raise self._not_arithmetic(node)

    def _check_number(self, value: object) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ExpressionError(f"{value!r} is not a number; {_ALLOWED}")
        if isinstance(value, float) and not self.is_real:
            raise ExpressionError(f"{value!r} is not an integer; write a whole number here")
        bounded(value)

    def _check_call(self, node: ast.Call) -> None:
        name = self._source(node.func)
        if name not in FUNCTIONS:
            hint = did_you_mean(name, FUNCTIONS) or f"; the functions are {', '.join(FUNCTIONS)}"
            raise ExpressionError(f"unknown function {shown(name)}{hint}")
        if node.keywords or not node.args or (name == "cdiv" and len(node.args) != 2):
            raise ExpressionError(f"{shown(self._source(node))} is no call; write {name}(a, b)")

    def _not_arithmetic(self, node: ast.AST) -> ExpressionError:
        return ExpressionError(f"{shown(self._source(node))} is not arithmetic; {_ALLOWED}")

    def _source(self, node: ast.AST) -> str:
        # Not ast.unparse, which a hostile expression would send into a recursion too deep.
        return ast.get_source_segment(self.line, node) or self.line


class _Replacement(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, values: Mapping[str, int | Expression]) -> None:
        self._values = values

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The call with its arguments replaced: a function's own name is no symbol."""
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """What stands for the name, or the name itself."""
        value = self._values.get(node.id)
        if value is None:
            return node
        if isinstance(value, Expression):
            return copy.deepcopy(value._tree)
        # Parsed, so that a negative number keeps its brackets under a power.
        return ast.parse(str(value), mode="eval").body
