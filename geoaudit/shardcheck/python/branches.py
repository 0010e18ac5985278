"""Chains of ``elif`` and ``case``, and the ``else`` of loops → nested branches."""

import ast
from collections.abc import Sequence

from geoaudit.shardcheck.program.expressions import Expression, Opaque
from geoaudit.shardcheck.program.statements import Branch, Statement

_MOST_ARMS = 80  # that are nested; more could not be encoded
# What comes before its condition, the condition, the block, the line.
Arm = tuple[list[Statement], Expression, tuple[Statement, ...], int]


def chained(arms: Sequence[Arm], otherwise: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Return nested branches; arms beyond 80 follow each other, as if none excluded the next."""
    for before, condition, then, line in reversed(arms[_MOST_ARMS:]):
        otherwise = (*before, Branch(condition, then, (), line), *otherwise)
    for before, condition, then, line in reversed(arms[:_MOST_ARMS]):
        otherwise = (*before, Branch(condition, then, otherwise, line))
    return otherwise


def unless_broken(
    loop: ast.For | ast.AsyncFor | ast.While, otherwise: tuple[Statement, ...]
) -> tuple[Statement, ...]:
    """Return the ``else`` of a loop, which runs where no ``break`` ends it."""
    if not otherwise or not _breaks(loop.body):
        return otherwise
    return (Branch(Opaque("no break"), otherwise, (), loop.orelse[0].lineno),)


def _breaks(nodes: Sequence[ast.stmt]) -> bool:
    for node in nodes:
        if isinstance(node, ast.Break):
            return True
        blocks = [] if _is_loop(node) else [getattr(node, "body", ())]
        blocks += [getattr(node, name, ()) for name in ("orelse", "finalbody")]
        blocks += [one.body for name in ("handlers", "cases") for one in getattr(node, name, ())]
        if any(map(_breaks, blocks)):
            return True
    return False


def _is_loop(node: ast.stmt) -> bool:
    """Whether a ``break`` in a statement's body is its own, or none."""
    own = (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return isinstance(node, own)
