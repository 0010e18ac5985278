"""The order in which arms are measured, so that a drift of the machine meets all of them alike."""

from collections.abc import Sequence
from typing import TypeVar

Arm = TypeVar("Arm")


def abba(arms: Sequence[Arm], repetitions: int) -> tuple[Arm, ...]:
    """Every arm so many times, forwards and backwards in turns: A B, B A, A B.

    With an even number of repetitions the places of each arm have the same mean, so that a drift
    that is linear in time cancels out of every difference. Neighbours of the same arm at a turn
    are meant: A B B A.

    Args:
        arms: the arms, the baseline first.
        repetitions: measurements of each arm.

    Example:
        >>> abba(("A", "B"), 3)
        ('A', 'B', 'B', 'A', 'A', 'B')
        >>> abba(("A", "B", "C"), 2)
        ('A', 'B', 'C', 'C', 'B', 'A')
    """
    order: list[Arm] = []
    for repetition in range(repetitions):
        order += arms if repetition % 2 == 0 else reversed(arms)
    return tuple(order)
