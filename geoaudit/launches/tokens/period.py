"""The steps of a launch sequence by its period, or the reason why it shows none."""

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.tokens.alignment import possible_similarity
from geoaudit.launches.tokens.classes import group_steps
from geoaudit.launches.tokens.levels import Level, climb, find_levels
from geoaudit.launches.tokens.period_steps import (
    LONG_STEP,
    SAME_UNIT_SIMILARITY,
    PeriodSteps,
    steps_of_period,
)
from geoaudit.launches.tokens.sequence import MISSING, Ints, LaunchSequence, steps_from_bounds
from geoaudit.launches.tokens.steps_table import complete_members, device_steps

FEWEST_STEPS = 3
# How modules call their layers: block.3, layers.3, encoder_layer_3, h.3 (of transformer.h.3).
_LAYER_NUMBER = re.compile(r"(?:blocks?|layers?|\bh)[._\[](\d+)", re.IGNORECASE)
ONE_RANGE_FRACTION = 0.9


@dataclass(frozen=True, kw_only=True)
class PeriodFound:
    """Steps found by a period.

    Attributes:
        steps: the steps.
        rule: what was found, for the report's header.
    """

    steps: PeriodSteps
    rule: str


def find_period(launches: pd.DataFrame, sequence: LaunchSequence) -> PeriodFound | str:
    """The steps by the period of one device's launch sequence, or the reason why there are none.

    At least three whole steps of nearly the same kernels are asked for. A unit that may be a
    layer (or a group of layers) of one step is refused: one with a few launches before and a few
    after all of its repeats that it lacks, as are an embedding and a language-model head; and,
    where it holds no smaller unit, one so interrupted in between, or with any of these where one
    range spans all of the repeats; and one whose repeats lie in ranges of differently numbered
    layers.
    """
    level = climb(find_levels(sequence), sequence.names)
    if level is None:
        return "no repeating launch sequence found"
    steps = steps_of_period(sequence, level)
    usual = _usual(sequence, steps)
    whole = len(usual)
    unit = f"a unit of {len(steps.template)} launches"
    if whole < FEWEST_STEPS:
        return f"no repeating launch sequence found: {unit} occurs only {whole} times"
    if _may_be_layers(launches, sequence, level, usual):
        return (
            f"no tokens found: {unit} repeats {whole} times, but its surroundings "
            "say that these may be the layers of one step"
        )
    return PeriodFound(steps=steps, rule=f"{unit} repeats {whole} times")


def find_counted(sequence: LaunchSequence, token_count: int) -> PeriodFound | str:
    """The steps by the largest unit that repeats just this often, or what was found instead.

    The class of the most complete steps must have that many of them, for it is the one that is
    audited; or all classes together, at the level that is taken for the token's without a count.
    A unit that is interrupted by a few launches in no step (as layers are by a head and an
    embedding) is not the whole token, however often it repeats.
    """
    levels = find_levels(sequence)
    climbed = climb(levels, sequence.names)
    if climbed is None:
        return f"no launch sequence repeats {token_count} times"
    for level in [climbed, *reversed(levels)]:
        if len(level.anchors) < token_count - 1:
            continue
        steps = steps_of_period(sequence, level)
        launches, sizes = _class_sizes(sequence, steps)
        if _interrupted(sequence, _usual(sequence, steps)):
            continue
        if sizes[0] == token_count:
            rule = f"a unit of {launches} launches repeats as often"
            return PeriodFound(steps=steps, rule=rule)
        if level is climbed and sum(sizes) == token_count:
            rule = f"a unit of {launches} launches repeats {sizes[0]} times, beside other steps"
            return PeriodFound(steps=steps, rule=rule)
    return _other_count(sequence, steps_of_period(sequence, climbed), token_count)


def _other_count(sequence: LaunchSequence, steps: PeriodSteps, token_count: int) -> str:
    launches, sizes = _class_sizes(sequence, steps)
    found = f"a unit of {launches} launches repeats {sizes[0]} times"
    if sizes[0] != token_count:
        return f"{found}, which is not {token_count}"
    return f"{found}, but launches between them are in none: it is not the whole token"


def _class_sizes(sequence: LaunchSequence, steps: PeriodSteps) -> tuple[int, list[int]]:
    """Launches per step of the class of the most complete steps, and these, most first."""
    cut = steps_from_bounds(len(sequence), steps.bounds, steps.possibly_cut)
    groups = group_steps(device_steps([(sequence, cut)])[0].launches)
    sizes = [len(complete_members(group)) for group in groups]
    if not sizes:
        return len(steps.template), [0]
    return len(groups[sizes.index(max(sizes))].template), sorted(sizes, reverse=True)


def _interrupted(sequence: LaunchSequence, usual: list[tuple[int, int]]) -> bool:
    """Whether there are launches of other kernels between units, and always few of them."""
    if not usual:
        return False
    known = np.unique(np.concatenate([sequence.names[first:end] for first, end in usual]))
    interruptions = _interruptions(sequence, usual, known)
    size = float(np.median([end - first for first, end in usual]))
    # An interruption shorter than this is a head and an embedding, not a prefill.
    return bool(interruptions) and max(interruptions) < LONG_STEP * size


def _interruptions(
    sequence: LaunchSequence, usual: list[tuple[int, int]], known: Ints
) -> list[int]:
    """How long what lies between two units is, where kernels that no unit has are in it."""
    between = [
        sequence.names[left_end:right]
        for (_, left_end), (right, _) in zip(usual[:-1], usual[1:], strict=True)
    ]
    return [len(names) for names in between if _has_unknown(names, known)]


def _usual(sequence: LaunchSequence, steps: PeriodSteps) -> list[tuple[int, int]]:
    """Whole steps that launch nearly the same kernels as the most frequent step."""
    size = len(steps.template)
    whole = [
        (first, end)
        for index, (first, end) in enumerate(steps.bounds)
        if index not in steps.possibly_cut and size / LONG_STEP <= end - first <= size * LONG_STEP
    ]
    keys = [sequence.names[first:end].tobytes() for first, end in whole]
    unique = Counter(keys)
    if not unique:
        return []
    template = np.frombuffer(unique.most_common(1)[0][0], dtype=np.int64)
    alike = {
        key
        for key in unique
        if possible_similarity(np.frombuffer(key, dtype=np.int64), template) >= SAME_UNIT_SIMILARITY
    }
    return [bounds for bounds, key in zip(whole, keys, strict=True) if key in alike]


def _may_be_layers(
    launches: pd.DataFrame, sequence: LaunchSequence, level: Level, usual: list[tuple[int, int]]
) -> bool:
    """Whether the units may be layers of one step: what lies around and between them tells."""
    if _layers_differ(launches, sequence, usual):
        return True
    known = np.unique(np.concatenate([sequence.names[first:end] for first, end in usual]))
    start, stop = usual[0][0], usual[-1][1]
    before, after = sequence.names[:start], sequence.names[stop:]
    size = float(np.median([end - first for first, end in usual]))
    at_start, at_end = _has_unknown(before, known), _has_unknown(after, known)
    if level.bounded:
        return at_start and at_end and max(len(before), len(after)) < size
    interruptions = _interruptions(sequence, usual, known)
    if _in_one_range(launches, sequence.rows[start:stop]):
        return at_start or at_end or bool(interruptions)
    short = _interrupted(sequence, usual)
    return (at_start and (at_end or bool(interruptions))) or short


def _layers_differ(
    launches: pd.DataFrame, sequence: LaunchSequence, usual: list[tuple[int, int]]
) -> bool:
    """Whether ranges name layers by number and each unit has launches of few of them."""
    ranges = launches[s.RANGES].cat
    numbers = [_LAYER_NUMBER.search(str(path)) for path in ranges.categories]
    of_path = np.array([int(found[1]) if found else MISSING for found in numbers] + [MISSING])
    of_launch = of_path[ranges.codes.to_numpy()[sequence.rows]]
    in_unit = [np.unique(of_launch[first:end]) for first, end in usual]
    named = [len(layers[layers != MISSING]) for layers in in_unit]
    return bool(2 * np.median(named) < len(np.setdiff1d(np.concatenate(in_unit), [MISSING])))


def _has_unknown(names: Ints, known: Ints) -> bool:
    return bool(len(names)) and not bool(np.isin(names, known).all())


def _in_one_range(launches: pd.DataFrame, rows: Ints) -> bool:
    """Whether most launches lie in ranges, and nearly all of those in one outermost range."""
    ranges = launches[s.RANGES].cat
    launched = Counter(ranges.codes.to_numpy()[rows].tolist())
    counts: Counter[str] = Counter()
    for code, launches_there in launched.items():
        if code >= 0:
            counts[str(ranges.categories[code]).split("/")[0]] += launches_there
    in_ranges = counts.total()
    most = 2 * in_ranges >= len(rows)
    return most and max(counts.values(), default=0) >= ONE_RANGE_FRACTION * in_ranges > 0
