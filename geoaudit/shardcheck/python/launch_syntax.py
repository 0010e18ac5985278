"""A launch in the syntax tree, before its parts are read."""

import ast
from dataclasses import dataclass

Place = tuple[int, int]  # line from 1, column in bytes from 0


@dataclass(frozen=True, kw_only=True)
class LaunchSyntax:
    """A launch in the syntax tree.

    Attributes:
        kernel: None: the function that the launch stands in (TileLang).
        place: where the called name ends and the bracket opens that holds the grid; None: that of
            the call itself.
    """

    idiom: str
    kernel: ast.expr | None
    grid: ast.expr
    block: ast.expr | None = None
    arguments: list[ast.expr]
    keywords: list[ast.keyword]
    place: Place | None = None


@dataclass(frozen=True, kw_only=True)
class Doubtful:
    """A call that looks like a launch and is not taken for one."""

    reason: str


Finding = LaunchSyntax | Doubtful | None


def start_of(node: ast.keyword | ast.expr) -> Place:
    """Return where a node begins."""
    return node.lineno, node.col_offset


def end_of(node: ast.expr) -> Place:
    """Return where a node ends."""
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def item_of(value: ast.expr, index: int) -> ast.expr:
    """Return ``value[index]``: the element itself where it is written."""
    if isinstance(value, ast.Tuple) and index < len(value.elts):
        return value.elts[index]
    constant = ast.copy_location(ast.Constant(value=index), value)
    return ast.copy_location(ast.Subscript(value=value, slice=constant, ctx=ast.Load()), value)


def field_of(value: ast.expr, name: str) -> ast.expr:
    """Return ``value.name``: the keyword argument itself where a call is written."""
    if isinstance(value, ast.Call):
        for item in value.keywords:
            if item.arg == name:
                return item.value
    return ast.copy_location(ast.Attribute(value=value, attr=name, ctx=ast.Load()), value)


def tuple_of(items: list[ast.expr], place: ast.expr) -> ast.expr:
    """Return a tuple of expressions."""
    return ast.copy_location(ast.Tuple(elts=items, ctx=ast.Load()), place)
