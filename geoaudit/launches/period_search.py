"""The steps of a launch sequence by its period, or the reason why it shows none."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.period import Level, climb, find_levels
from geoaudit.launches.period_steps import PeriodSteps, steps_of_period
from geoaudit.launches.segmentation import Ints, LaunchSequence

FEWEST_STEPS = 3
ONE_RANGE_FRACTION = 0.9
LONG_STEP = 1.25


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

    At least three whole steps are asked for. A unit that may be a layer of one step is refused:
    one without layers of its own, with launches before and after it that it lacks (as an
    embedding and a language-model head), or with either where one range spans all of it.
    """
    level = climb(find_levels(sequence))
    if level is None:
        return "no repeating launch sequence found"
    steps = steps_of_period(sequence, level)
    whole = len(steps.bounds) - len(steps.possibly_cut)
    unit = f"a unit of {len(steps.template)} launches"
    if whole < FEWEST_STEPS:
        return f"no repeating launch sequence found: {unit} occurs only {whole} times"
    if _may_be_layers(launches, sequence, level, steps):
        return (
            f"no tokens found: {unit} repeats {whole} times, but launches at its ends that it "
            "lacks say that these may be the layers of one step"
        )
    inside = ""
    if level.bounded and level.repeats_inside > 1:
        inside = f", each with a smaller unit {level.repeats_inside} times inside"
    return PeriodFound(steps=steps, rule=f"{unit} that repeats{inside}")


def find_counted(sequence: LaunchSequence, token_count: int) -> PeriodFound | None:
    """The steps of the largest unit of which the recording holds just this many, or None."""
    levels = find_levels(sequence)
    climbed = climb(levels)
    for level in [*([climbed] if climbed else []), *reversed(levels)]:
        if abs(len(level.anchors) - token_count) > 2:
            continue
        steps = steps_of_period(sequence, level)
        if len(_usual(steps)) == token_count:
            rule = f"a unit of {len(steps.template)} launches that repeats as often"
            return PeriodFound(steps=steps, rule=rule)
    return None


def _usual(steps: PeriodSteps) -> list[tuple[int, int]]:
    """Whole steps about as long as the template."""
    size = len(steps.template)
    return [
        (first, end)
        for index, (first, end) in enumerate(steps.bounds)
        if index not in steps.possibly_cut and size / LONG_STEP <= end - first <= size * LONG_STEP
    ]


def _may_be_layers(
    launches: pd.DataFrame, sequence: LaunchSequence, level: Level, steps: PeriodSteps
) -> bool:
    known = np.unique(np.concatenate([sequence.names[a:b] for a, b in _usual(steps)] or [[-1]]))
    first, end = steps.bounds[0][0], steps.bounds[-1][1]
    before, after = sequence.names[:first], sequence.names[end:]
    long_steps = [
        sequence.names[a:b] for a, b in steps.bounds if b - a > LONG_STEP * len(steps.template)
    ]
    at_start, at_end = _has_unknown(before, known), _has_unknown(after, known)
    between = any(_has_unknown(step, known) for step in long_steps)
    one_range = _in_one_range(launches, sequence.rows[first:end])
    if level.bounded:
        short = max(len(before), len(after)) < len(steps.template)
        return one_range and at_start and at_end and short
    # An interruption shorter than the unit is a head and an embedding, not a prefill.
    interrupted = between and all(len(step) < 2 * len(steps.template) for step in long_steps)
    if one_range:
        return at_start or at_end or between
    return (at_start and (at_end or between)) or interrupted


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
