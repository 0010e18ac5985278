"""Chains of ``elif`` and ``case`` → nested branches."""

from collections.abc import Sequence

from geoaudit.shardcheck.program.expressions import Expression
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
