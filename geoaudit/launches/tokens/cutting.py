"""Cutting a recording into steps: the tokens that figures are counted per."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd

from geoaudit.errors import InputError
from geoaudit.launches.recording import TokenOptions
from geoaudit.launches.tokens.class_names import class_names, main_class
from geoaudit.launches.tokens.classes import StepGroup, group_steps
from geoaudit.launches.tokens.period import PeriodFound, find_counted, find_period
from geoaudit.launches.tokens.ranges import (
    marker_kernels,
    range_instances,
    recorded_range_names,
    steps_of_instances,
    steps_of_markers,
)
from geoaudit.launches.tokens.sequence import (
    Ints,
    LaunchSequence,
    Steps,
    launch_sequences,
    steps_from_bounds,
)
from geoaudit.launches.tokens.steps_table import (
    DeviceSteps,
    complete_members,
    counted_intervals,
    device_steps,
    filled_table,
    step_intervals,
)
from geoaudit.launches.tokens.traits import class_traits

_RANGES_NAMED = 5
_MARKERS_NAMED = 3
_RULES_NAMED = 2


@dataclass(frozen=True, kw_only=True)
class StepClass:
    """One kind of step: prefill, decode, another graph bucket.

    Attributes:
        name: a range's name, ``prefill``, ``decode`` or one that tells its launches.
        steps: steps of the class, incomplete ones included.
        complete_steps: steps that the recording holds from their first launch to their last.
        launches_per_step: kernel launches of the class' template.
        wall_time_per_step_ns: mean over complete steps, from the start of the first launch to the
            start of the next step where that follows without launches between them; where no
            step is followed so, to the end of its last launch; None: untimed.
    """

    name: str
    steps: int
    complete_steps: int
    launches_per_step: int
    wall_time_per_step_ns: float | None


@dataclass(frozen=True, kw_only=True)
class Segmentation:
    """A recording cut into steps.

    Attributes:
        launches: the launches table with step, step_class, token and position filled.
        rule: one sentence: which rule found the tokens, or why none did.
        classes: the classes in order of first occurrence; empty: figures are per trace.
        intervals: when each step begins and ends on each device, see ``step_intervals``.
        default_class: the class of the most complete steps; None: per trace.
        divisor: given only where the number of tokens was told and no boundaries were found:
            figures are totals divided by it.
    """

    launches: pd.DataFrame
    rule: str
    classes: tuple[StepClass, ...]
    intervals: pd.DataFrame
    default_class: str | None
    divisor: int | None


def segment(launches: pd.DataFrame, options: TokenOptions) -> Segmentation:
    """Cut a recording into steps, group them into classes and number their complete ones.

    The rule is the first of: a range per step, a marker kernel that starts each step, a given
    count, the period of the launch sequence. Each device is cut on its own; where all devices
    have as many steps, steps of one place in the order share their index. Copies and sets belong
    to the step they start in; they have no position.

    Args:
        launches: a valid launches table.
        options: how tokens are to be found.

    Raises:
        InputError: the range or kernel is not in the recording, an expression is not valid, or
            the count is not positive.
    """
    if options.token_range is not None:
        return _by_range(launches, options.token_range)
    if options.token_kernel is not None:
        return _by_kernel(launches, options.token_kernel)
    if options.token_count is not None:
        return _by_count(launches, options.token_count)
    return _by_period(launches)


def _by_range(launches: pd.DataFrame, token_range: str) -> Segmentation:
    of_row, names = range_instances(launches, token_range)
    found = [
        (sequence, steps_of_instances(sequence, of_row, names))
        for sequence in launch_sequences(launches)
    ]
    shown = ", ".join(dict.fromkeys(names))
    rule = f"one step per range {shown} (--token-range {token_range})"
    return _segmentation(launches, found, rule, of_row)


def _by_kernel(launches: pd.DataFrame, token_kernel: str) -> Segmentation:
    codes, names = marker_kernels(launches, token_kernel)
    found = [
        (sequence, steps_of_markers(sequence, codes)) for sequence in launch_sequences(launches)
    ]
    rule = f"a step starts at each launch of {_shortened(names[0])} (--token-kernel {token_kernel})"
    if len(names) > 1:
        shown = ", ".join(_shortened(name) for name in names[:_MARKERS_NAMED])
        rule = (
            f"a step starts at each launch of {len(names)} different kernels that match "
            f"--token-kernel {token_kernel}: {shown}"
        )
    return _segmentation(launches, found, rule)


def _by_count(launches: pd.DataFrame, count: int) -> Segmentation:
    if count < 1:
        raise InputError(f"--tokens {count}: the recording must hold at least 1 token")
    reasons: list[str] = []
    found, rules = _by_periods(launches, lambda sequence: find_counted(sequence, count), reasons)
    if rules:
        rule = f"{count} tokens as told (--tokens): {_joined([*rules, *reasons])}"
        segmentation = _segmentation(launches, found, rule)
        steps = {one.name: one.complete_steps for one in segmentation.classes}
        default = steps.get(segmentation.default_class or "", 0)
        if count in (default, sum(steps.values())):
            return segmentation
        reasons.insert(0, f"all devices together make {default} steps, which is not {count}")
    reason = reasons[0] if reasons else "no kernel launches"
    return _per_trace(launches, f"totals divided by {count} (--tokens); {reason}", count)


def _by_period(launches: pd.DataFrame) -> Segmentation:
    reasons: list[str] = []
    found, rules = _by_periods(launches, lambda sequence: find_period(launches, sequence), reasons)
    if rules:
        return _segmentation(launches, found, f"period of the launch sequence: {_joined(rules)}")
    reason = reasons[0] if reasons else "no kernel launches"
    ranges = ", ".join(recorded_range_names(launches)[:_RANGES_NAMED])
    hint = f"ranges recorded (for --token-range): {ranges}" if ranges else "no ranges recorded"
    return _per_trace(launches, f"{reason}; figures are per trace; {hint}")


def _by_periods(
    launches: pd.DataFrame,
    search: Callable[[LaunchSequence], PeriodFound | str],
    reasons: list[str],
) -> tuple[list[tuple[LaunchSequence, Steps]], list[str]]:
    """Steps of each device, and the rules that found them, of the device of most launches first.

    Where a device shows none, the reason is added to ``reasons``.
    """
    steps: list[tuple[LaunchSequence, Steps]] = []
    rules: list[tuple[int, str]] = []
    for sequence in launch_sequences(launches):
        found = search(sequence)
        if isinstance(found, str):
            reasons.append(found)
            steps.append((sequence, steps_from_bounds(len(sequence), [])))
            continue
        cut = steps_from_bounds(len(sequence), found.steps.bounds, found.steps.possibly_cut)
        steps.append((sequence, cut))
        rules.append((-len(sequence), found.rule))
    return steps, list(dict.fromkeys(rule for _, rule in sorted(rules)))


def _segmentation(
    launches: pd.DataFrame,
    found: list[tuple[LaunchSequence, Steps]],
    rule: str,
    of_row: Ints | None = None,
) -> Segmentation:
    devices = device_steps(found)
    groups = group_steps(step for device in devices for step in device.launches)
    if not groups:
        return _per_trace(launches, f"{rule}: no kernel launch lies in one; figures are per trace")
    groups.sort(key=lambda group: min(_number(devices, group)))
    traits = class_traits(launches, devices, groups)
    names = class_names(traits)
    intervals = step_intervals(devices, groups, names)
    return Segmentation(
        launches=filled_table(launches, devices, groups, names, of_row),
        rule=rule,
        classes=tuple(
            _step_class(name, group, devices, intervals)
            for name, group in zip(names, groups, strict=True)
        ),
        intervals=intervals,
        default_class=names[main_class(traits)],
        divisor=None,
    )


def _step_class(
    name: str, group: StepGroup, devices: list[DeviceSteps], intervals: pd.DataFrame
) -> StepClass:
    complete = replace(group, members=complete_members(group))
    counted = counted_intervals(intervals, name)
    wall_ns = (counted["end_ns"] - counted["begin_ns"]).mean()
    return StepClass(
        name=name,
        steps=len(_number(devices, group)),
        complete_steps=len(_number(devices, complete)),
        launches_per_step=len(group.template),
        wall_time_per_step_ns=None if counted.empty else float(wall_ns),
    )


def _number(devices: list[DeviceSteps], group: StepGroup) -> set[int]:
    """The numbers of a class' steps over the whole recording."""
    return {
        int(devices[member.step.sequence].numbers[member.step.index]) for member in group.members
    }


def _per_trace(launches: pd.DataFrame, rule: str, divisor: int | None = None) -> Segmentation:
    return Segmentation(
        launches=filled_table(launches, [], [], []),
        rule=rule,
        classes=(),
        intervals=step_intervals([], [], []),
        default_class=None,
        divisor=divisor,
    )


def _joined(rules: list[str]) -> str:
    """The rules of devices that repeat differently, the one of most launches first."""
    return "; on another device ".join(rules[:_RULES_NAMED])


def _shortened(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:57]}..."
