"""The levels at which a launch sequence repeats: layers, tokens, requests.

A kernel (or a pair of kernels in a row, or a kernel of one shape) that occurs once per unit is
an anchor: its occurrences lie at regular distances. Anchors of one distance make a level. Levels
nest, and the token is found by climbing from the smallest: as long as a level is interrupted at
regular intervals by launches of its own (the embedding, the language-model head, the sampling),
the interval and not the level is the unit.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from geoaudit.launches.tokens.sequence import Flags, Floats, Ints, LaunchSequence, pair_codes

Symbols = Literal["names", "shapes"]

SMALLEST_PERIOD = 2
SMALLEST_COVERAGE = 1 / 3
REGULAR_FRACTION = 0.65
# Distances this near to each other are one distance: two launches, less of a short period.
DISTANCE_TOLERANCE = 0.05
SHORT_DISTANCE_TOLERANCE = 0.1
LAUNCHES_TOLERANCE = 2.0
# What a token launches beside its layers: at least an embedding, a head and a sampling, and at
# most half of a layer or a few. An extra launch now and then is less, a prefill between requests
# is more.
OWN_LAUNCHES = 3
OWN_FRACTIONS = (0.02, 0.5)
FEW_LAUNCHES = 8


@dataclass(frozen=True, kw_only=True)
class Level:
    """One distance at which the sequence repeats.

    Attributes:
        period: median distance of the anchors, in launches.
        anchors: positions of the anchor in the sequence, from its first to its last regular one.
        coverage: share of the launches that regular distances span, 0 to 1.
        symbols: what the anchor is distinguished by.
        bounded: beside the units inside there are launches of its own.
    """

    period: float
    anchors: Ints
    coverage: float
    symbols: Symbols
    bounded: bool = False


def find_levels(sequence: LaunchSequence) -> list[Level]:
    """The levels of a sequence, by rising period."""
    if len(sequence) < 2 * SMALLEST_PERIOD:
        return []
    pairs = pair_codes(np.append(-1, sequence.names[:-1]), sequence.names)
    fours = pair_codes(np.append([-1, -1], pairs[:-2]), pairs)
    candidates = [
        level
        for codes, symbols in _symbol_kinds(sequence, pairs, fours)
        for level in _anchored_levels(codes, symbols)
    ]
    candidates.sort(key=lambda level: level.period)
    levels: list[Level] = []
    group: list[Level] = []
    for level in candidates:
        if group and level.period > group[0].period + _tolerance(group[0].period):
            levels.append(_best(group))
            group = []
        group.append(level)
    return [*levels, _best(group)] if group else levels


def climb(levels: list[Level], names: Ints) -> Level | None:
    """The level of the token, or None without levels.

    Args:
        levels: by rising period.
        names: kernel codes of the sequence.
    """
    current: Level | None = None
    for level in levels:
        current = level if current is None else _higher(current, level, names)
    return current


def _symbol_kinds(
    sequence: LaunchSequence, pairs: Ints, fours: Ints
) -> tuple[tuple[Ints, Symbols], ...]:
    return (
        (sequence.names, "names"),
        (pairs, "names"),
        (fours, "names"),
        (sequence.shapes, "shapes"),
    )


def _higher(current: Level, level: Level, names: Ints) -> Level:
    """The level, if the current one is a part of its unit, or the current one."""
    repeats = _regular_repeats(current, level)
    if repeats is None or repeats < 2:
        return level if _spans_unequal_units(current, level, repeats, names) else current
    own = _own_launches(level, repeats, names)
    bounds = OWN_LAUNCHES <= own <= level.period / 2
    if current.bounded:
        least, most = (fraction * current.period for fraction in OWN_FRACTIONS)
        if not bounds or not least <= own <= max(most, FEW_LAUNCHES):
            return current
    return replace(level, bounded=bounds or current.bounded)


def _spans_unequal_units(current: Level, level: Level, repeats: int | None, names: Ints) -> bool:
    """Whether the level's units hold the current one in changing numbers.

    So do steps of different depth, as those of a draft and of the model that checks it: they
    have in common what is launched once per step. Where the number changes without that, the
    current level is taken for a chance repetition if the other explains clearly more.
    """
    if current.bounded:
        return False
    first, last = int(level.anchors[0]), int(level.anchors[-1])
    units = len(level.anchors) - 1
    counts = np.bincount(names[first:last])
    once = int((np.abs(counts - units) <= units // 10).sum())
    spans = last - first >= 0.8 * (current.anchors[-1] - current.anchors[0])
    inside = np.searchsorted(current.anchors, level.anchors)
    deeper = int(inside[-1] - inside[0]) >= 1.5 * units
    if spans and deeper and once >= OWN_LAUNCHES:
        return True
    return repeats is None and level.coverage > current.coverage + 0.1


def _own_launches(level: Level, repeats: int, names: Ints) -> int:
    """Launches of a unit that are not part of the smaller units repeated in it.

    They are those of kernels that it launches at most half as often as it repeats the smaller
    unit; the unit looked at is the first of the usual length.
    """
    lengths = np.diff(level.anchors)
    usual = int(np.abs(lengths - level.period).argmin())
    unit = names[level.anchors[usual] : level.anchors[usual + 1]]
    _, counts = np.unique(unit, return_counts=True)
    return int(counts[counts <= repeats // 2].sum())


def _regular_repeats(lower: Level, upper: Level) -> int | None:
    """Anchors of the lower level in each unit of the upper one; None: not always as many."""
    counts = np.diff(np.searchsorted(lower.anchors, upper.anchors))
    regular = np.abs(np.diff(upper.anchors) - upper.period) <= _tolerance(upper.period)
    counts = counts[regular]
    if not len(counts):
        return None
    usual = int(np.bincount(counts).argmax())
    return usual if (counts == usual).mean() >= REGULAR_FRACTION else None


def _tolerance(period: float) -> float:
    return float(_tolerances(np.array([period]))[0])


def _tolerances(periods: Floats) -> Floats:
    short = np.minimum(LAUNCHES_TOLERANCE, SHORT_DISTANCE_TOLERANCE * periods)
    return np.maximum(short, DISTANCE_TOLERANCE * periods)


def _best(group: list[Level]) -> Level:
    return max(group, key=lambda level: (round(level.coverage, 2), len(level.anchors)))


def _anchored_levels(codes: Ints, symbols: Symbols) -> list[Level]:
    """A level for every symbol that occurs at regular distances over much of the sequence."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    distances = np.diff(order)
    within = np.diff(ordered) == 0
    symbol_of = ordered[1:]
    count = int(codes.max()) + 1
    medians = _medians(symbol_of[within], distances[within], count)
    regular = within & _is_regular(distances, within, medians[symbol_of])
    spanned = np.bincount(symbol_of, weights=np.where(regular, distances, 0), minlength=count)
    steps = np.bincount(symbol_of, weights=regular, minlength=count)
    coverage = np.minimum(1.0, spanned / len(codes))
    good = (coverage >= SMALLEST_COVERAGE) & (steps >= 2) & (medians >= SMALLEST_PERIOD)
    levels = []
    firsts = np.searchsorted(ordered, np.arange(count))
    for symbol in np.flatnonzero(good):
        first = firsts[symbol]
        end = first + int(np.searchsorted(ordered[first:], symbol, side="right"))
        here = np.flatnonzero(regular[first : end - 1])
        window = slice(first + here[0], first + here[-1] + 2)
        if len(here) < REGULAR_FRACTION * (here[-1] + 1 - here[0]):
            continue
        levels.append(
            Level(
                period=float(medians[symbol]),
                anchors=order[window].astype(np.int64),
                coverage=float(coverage[symbol]),
                symbols=symbols,
            )
        )
    return levels


def _medians(symbols: Ints, distances: Ints, count: int) -> Floats:
    """Median distance of each symbol, 0 for a symbol that occurs once."""
    order = np.lexsort((distances, symbols))
    occurrences = np.bincount(symbols, minlength=count)
    firsts = np.cumsum(occurrences) - occurrences
    medians = np.zeros(count)
    present = occurrences > 0
    middle = firsts[present] + (occurrences[present] - 1) // 2
    medians[present] = distances[order][middle]
    return medians


def _is_regular(distances: Ints, within: Flags, medians: Floats) -> Flags:
    """Whether a distance is near its symbol's median or near a neighbouring distance."""
    tolerance = _tolerances(medians)
    near = np.abs(distances - medians) <= tolerance
    same = (np.abs(np.diff(distances)) <= tolerance[1:]) & within[1:] & within[:-1]
    near[1:] |= same
    near[:-1] |= same
    return near
