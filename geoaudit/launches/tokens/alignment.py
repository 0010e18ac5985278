"""Aligning one launch sequence with another: which launch stands in which slot."""

from collections import Counter

import numpy as np

from geoaudit.launches.tokens.sequence import MISSING, Ints

_COMPARED_AT_ONCE = 64


def sequence_similarity(matched: int, first: int, second: int) -> float:
    """Twice the matched launches over the launches of both sequences, 0 to 1."""
    return 2.0 * matched / (first + second) if first + second else 1.0


def possible_similarity(first: Ints, second: Ints) -> float:
    """Upper bound of the similarity of two sequences: that of their launches in any order."""
    shared = Counter(first.tolist()) & Counter(second.tolist())
    return sequence_similarity(shared.total(), len(first), len(second))


def align(launches: Ints, template: Ints, smallest_similarity: float) -> Ints | None:
    """The template slot of each launch, by a shortest edit script of insertions and deletions.

    The greedy algorithm of Myers (1986), O((N + M) D) for D edits, which is fast because the
    sequences compared here differ by few launches or are given up early.

    Args:
        launches: kernel codes of a step.
        template: kernel codes of the template.
        smallest_similarity: below it the two are not aligned, 0 to 1.

    Returns:
        For each launch its slot, or MISSING for one that the template lacks; slots rise and are
        used once. None when the similarity is below ``smallest_similarity``.
    """
    if np.array_equal(launches, template):
        return np.arange(len(template), dtype=np.int64)
    if possible_similarity(launches, template) < smallest_similarity:
        return None
    allowed = int((1.0 - smallest_similarity) * (len(launches) + len(template)) + 1e-9)
    head = _common_prefix(launches, template, 0, 0)
    tail = _common_prefix(launches[head:][::-1], template[head:][::-1], 0, 0)
    first = launches[head : len(launches) - tail]
    second = template[head : len(template) - tail]
    matches = _shortest_edit(first, second, allowed)
    if matches is None:
        return None
    slots = np.full(len(launches), MISSING, dtype=np.int64)
    slots[:head] = np.arange(head)
    for position, slot, length in matches:
        slots[head + position : head + position + length] = head + slot + np.arange(length)
    if tail:
        slots[-tail:] = np.arange(len(template) - tail, len(template))
    return slots


def _common_prefix(first: Ints, second: Ints, x: int, y: int) -> int:
    """Length of the equal run of ``first`` from x and ``second`` from y."""
    start, longest = x, min(len(first) - x, len(second) - y)
    while x - start < longest:
        size = min(_COMPARED_AT_ONCE, longest - (x - start))
        differs = first[x : x + size] != second[y : y + size]
        at = int(differs.argmax())
        if differs[at]:
            return x - start + at
        x, y = x + size, y + size
    return longest


def _shortest_edit(first: Ints, second: Ints, allowed: int) -> list[tuple[int, int, int]] | None:
    """Equal runs (x, y, length) of a shortest edit script with at most ``allowed`` edits."""
    goal = len(first) - len(second)
    run = _common_prefix(first, second, 0, 0)
    reach = {0: run}
    history = [{0: (0, run, 0)}]
    for edits in range(1, allowed + 1):
        if reach.get(goal) == len(first):
            return _equal_runs(history, goal)
        moves: dict[int, tuple[int, int, int]] = {}
        for diagonal in range(-edits, edits + 1, 2):
            move = _furthest(reach, diagonal, len(first), len(second))
            if move is not None:
                x, origin = move
                run = _common_prefix(first, second, x, x - diagonal)
                moves[diagonal] = (x, run, origin)
        reach = {diagonal: x + run for diagonal, (x, run, _) in moves.items()}
        history.append(moves)
    return _equal_runs(history, goal) if reach.get(goal) == len(first) else None


def _furthest(
    reach: dict[int, int], diagonal: int, width: int, height: int
) -> tuple[int, int] | None:
    """Furthest x on a diagonal one edit after ``reach``, and the diagonal it comes from."""
    moves = []
    right, down = reach.get(diagonal - 1), reach.get(diagonal + 1)
    if right is not None and right < width:
        moves.append((right + 1, diagonal - 1))
    if down is not None and down - diagonal <= height:
        moves.append((down, diagonal + 1))
    return max(moves, default=None)


def _equal_runs(
    history: list[dict[int, tuple[int, int, int]]], diagonal: int
) -> list[tuple[int, int, int]]:
    runs = []
    for moves in reversed(history):
        x, run, origin = moves[diagonal]
        if run:
            runs.append((x, x - diagonal, run))
        diagonal = origin
    return runs
