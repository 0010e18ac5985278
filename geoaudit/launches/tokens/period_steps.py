"""From the level of the token to its steps: where a token begins, and what lies at the ends."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from geoaudit.launches.tokens.alignment import align, possible_similarity
from geoaudit.launches.tokens.levels import Level
from geoaudit.launches.tokens.sequence import MISSING, Ints, LaunchSequence

SAME_UNIT_SIMILARITY = 0.9
# A prologue that shares this much with a token, and is about as long, is one pass of the model.
PASS_SIMILARITY = 0.4
PASS_LENGTHS = (0.5, 2.0)
# A step longer than this many units may be one and something else after it.
LONG_STEP = 1.25
# Idle gaps this near to the longest do not tell where a token begins.
COMPARABLE_GAP = 0.5


@dataclass(frozen=True, kw_only=True)
class PeriodSteps:
    """The steps a period cuts a sequence into.

    Attributes:
        bounds: half-open intervals of the sequence, in order.
        possibly_cut: steps that the recording's ends may have cut.
        template: kernel codes of the usual unit, from where a token begins.
    """

    bounds: list[tuple[int, int]]
    possibly_cut: frozenset[int]
    template: Ints


def steps_of_period(sequence: LaunchSequence, level: Level) -> PeriodSteps:
    """Cut a sequence into the units of a level.

    A token begins where the unit leaves its layers, at a transition between two kernels that
    occurs once per unit; of those at the one with the longest median idle gap before it. Gaps of
    at least half of that are no clear answer: then at the cut that leaves the most whole units,
    and at the longest gap among these.
    """
    codes = sequence.names if level.symbols == "names" else sequence.shapes
    idle = sequence.idle_before_ns()
    unit_start = _usual_unit_start(codes, level)
    length = _unit_length(codes, level)
    unit = codes[unit_start : unit_start + length]
    starts = [anchor for anchor in level.anchors if _is_unit(codes, int(anchor), unit)]
    cut = _cut_slot(codes, idle, unit, np.asarray(starts, dtype=np.int64))
    template = np.roll(unit, -cut)
    inner = _boundaries(codes, idle, level.anchors, unit, cut)
    return _with_ends(codes, inner, template)


def _usual_unit_start(codes: Ints, level: Level) -> int:
    """Position of the first unit that is launched most often in just this sequence."""
    units = Counter(codes[a:b].tobytes() for a, b in _intervals(level.anchors))
    usual = max(units, key=lambda unit: units[unit])
    return next(a for a, b in _intervals(level.anchors) if codes[a:b].tobytes() == usual)


def _unit_length(codes: Ints, level: Level) -> int:
    start = _usual_unit_start(codes, level)
    return next(b - a for a, b in _intervals(level.anchors) if a == start)


def _intervals(anchors: Ints) -> list[tuple[int, int]]:
    return list(zip(anchors[:-1].tolist(), anchors[1:].tolist(), strict=True))


def _is_unit(codes: Ints, start: int, unit: Ints) -> bool:
    return np.array_equal(codes[start : start + len(unit)], unit)


def _cut_slot(codes: Ints, idle: np.ndarray, unit: Ints, starts: Ints) -> int:
    """Slot of the unit at which a token begins."""
    transitions = list(zip(np.roll(unit, 1).tolist(), unit.tolist(), strict=True))
    counts = Counter(transitions)
    once = [slot for slot, pair in enumerate(transitions) if counts[pair] == 1]
    candidates = np.array(once or range(len(unit)))
    gaps = np.median(idle[starts[:, None] + candidates[None, :]], axis=0)
    comparable = candidates[gaps >= COMPARABLE_GAP * gaps.max()]
    gap_of = dict(zip(candidates.tolist(), gaps.tolist(), strict=True))
    whole = {int(slot): _whole_units(codes, unit, int(slot), starts) for slot in comparable}
    return max(whole, key=lambda slot: (whole[slot], gap_of[slot], -slot))


def _whole_units(codes: Ints, unit: Ints, cut: int, starts: Ints) -> int:
    """At how many of its ends the recording holds a whole unit that begins at the cut.

    Elsewhere units are whole wherever the cut is. A recording that begins with the first launch
    of such a unit, or ends with its last, counts even where the unit itself differs a little.
    """
    rotated = np.roll(unit, -cut)
    before = int(starts[0]) + cut - len(unit)
    at_start = codes[0] == rotated[0] or (before >= 0 and _is_unit(codes, before, rotated))
    at_end = codes[-1] == rotated[-1] or _is_unit(codes, int(starts[-1]) + cut, rotated)
    return int(at_start) + int(at_end)


def _boundaries(codes: Ints, idle: np.ndarray, anchors: Ints, unit: Ints, cut: int) -> list[int]:
    """Where tokens begin: one position for each unit that shows the cut."""
    before, after = int(unit[cut - 1]), int(unit[cut])
    follows = np.append(-1, codes[:-1])
    transition = np.flatnonzero((follows == before) & (codes == after))
    once = Counter(unit.tolist())
    fallbacks = [transition]
    if once[after] == 1:
        fallbacks.append(np.flatnonzero(codes == after))
    if once[before] == 1:
        fallbacks.append(np.flatnonzero(follows == before))
    found: set[int] = set()
    starts = [int(anchors[0]) - len(unit), *anchors.tolist()]
    ends = [*anchors.tolist(), len(codes)]
    for start, end in zip(starts, ends, strict=True):
        position = _nearest(fallbacks, start + cut, max(start, 0), end)
        if position is not None:
            found.add(position)
    return sorted(found)


def _nearest(choices: list[Ints], expected: int, first: int, end: int) -> int | None:
    """The position nearest to the expected one, of the first choice that has any in the range."""
    for positions in choices:
        here = positions[np.searchsorted(positions, first) : np.searchsorted(positions, end)]
        if len(here):
            return int(here[np.abs(here - expected).argmin()])
    return None


def _with_ends(codes: Ints, inner: list[int], template: Ints) -> PeriodSteps:
    """The steps between boundaries, and what before and after them is one."""
    between = list(zip(inner[:-1], inner[1:], strict=True))
    bounds = [part for first, end in between for part in _parts(codes, first, end, template)]
    cut_at_start = cut_at_end = False
    if inner:
        first, cut_at_start = _step_before(codes[: inner[0]], template)
        usual_last = codes[slice(*between[-1])] if between else template
        last, cut_at_end = _step_after(codes[inner[-1] :], template)
        if last is None or (cut_at_end and len(usual_last) != len(template)):
            last, cut_at_end = _step_after(codes[inner[-1] :], usual_last)
        if first is not None:
            bounds.insert(0, (first, inner[0]))
        if last is not None:
            bounds.append((inner[-1], inner[-1] + last))
    cut = {0} if cut_at_start else set()
    cut |= {len(bounds) - 1} if cut_at_end else set()
    return PeriodSteps(bounds=bounds, possibly_cut=frozenset(cut), template=template)


def _parts(codes: Ints, first: int, end: int, template: Ints) -> list[tuple[int, int]]:
    """One step, or a whole one and a pass of another kind that shows no boundary."""
    if end - first < LONG_STEP * len(template):
        return [(first, end)]
    whole = _whole_step(codes[first:end], template)
    if whole is None:
        return [(first, end)]
    rest = (first + whole, end)
    return [(first, first + whole), *([rest] if _is_pass(codes[slice(*rest)], template) else [])]


def _step_before(head: Ints, template: Ints) -> tuple[int | None, bool]:
    """Where the step that ends with ``head`` begins, and whether it may be cut there."""
    size = len(template)
    if len(head) == 0:
        return None, False
    whole = _whole_step(head[::-1], template[::-1])
    if whole is not None:
        return len(head) - whole, False
    if len(head) < size and _is_part(head, template[-len(head) :]):
        return 0, True
    if _is_pass(head, template):
        return 0, False
    return None, False


def _step_after(tail: Ints, template: Ints) -> tuple[int | None, bool]:
    """How long the step that begins ``tail`` is, and whether it may be cut."""
    if len(tail) == 0:
        return None, False
    whole = _whole_step(tail, template)
    if whole is not None:
        return whole, False
    if len(tail) < len(template) and _is_part(tail, template[: len(tail)]):
        return len(tail), True
    if _is_pass(tail, template):
        return len(tail), False
    return None, False


def _whole_step(launches: Ints, template: Ints) -> int | None:
    """How many launches from the first on make a whole unit, or None where they make none."""
    size = len(template)
    if np.array_equal(launches[:size], template):
        return size
    window = launches[: size + max(2, size // 10)]
    slots = align(window, template, SAME_UNIT_SIMILARITY - 0.05)
    if slots is None:
        return None
    matched = np.flatnonzero(slots != MISSING)
    margin = max(1, size // 50)
    reaches = size - 1 - slots[matched[-1]] <= margin and slots[matched[0]] <= margin
    enough = len(matched) >= SAME_UNIT_SIMILARITY * size
    return int(matched[-1]) + 1 if reaches and enough else None


def _is_part(launches: Ints, part: Ints) -> bool:
    return possible_similarity(launches, part) >= SAME_UNIT_SIMILARITY


def _is_pass(launches: Ints, template: Ints) -> bool:
    shortest, longest = (fraction * len(template) for fraction in PASS_LENGTHS)
    similar = possible_similarity(launches, template) >= PASS_SIMILARITY
    return similar and shortest <= len(launches) <= longest
