"""Grouping steps into classes by their launch sequence, and launches into slots."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from geoaudit.launches.tokens.alignment import align
from geoaudit.launches.tokens.sequence import MISSING, Ints

SAME_CLASS_SIMILARITY = 0.9
PART_SIMILARITY = 0.8
# Steps of the same kernels are of two classes when more of their launches differ in shape.
SHAPES_DIFFERING = 0.5


@dataclass(frozen=True, kw_only=True)
class StepLaunches:
    """The kernel launches of one step on one device.

    Attributes:
        sequence: index of the device's launch sequence.
        index: index of the step within that sequence.
        positions: its launches' positions in the sequence, stream by stream: how launches of
            several streams interleave differs from step to step, what each stream launches not.
        names, shapes: their codes.
        label: name of the range that marks it, or None.
        possibly_cut: the recording's ends may have cut it.
    """

    sequence: int
    index: int
    positions: Ints
    names: Ints
    shapes: Ints
    label: str | None
    possibly_cut: bool


@dataclass(frozen=True, kw_only=True)
class Member:
    """A step of a class: its launches' slots in the template, and whether it is complete."""

    step: StepLaunches
    slots: Ints
    complete: bool


@dataclass(frozen=True, kw_only=True)
class StepGroup:
    """Steps of one launch sequence.

    Attributes:
        label: name of the range that marks them, or None.
        template: kernel codes of the usual step, stream by stream.
        slot_numbers: for each place in the template its number in order of start.
        members: its steps.
    """

    label: str | None
    template: Ints
    slot_numbers: Ints
    members: list[Member] = field(default_factory=list)


def group_steps(steps: Iterable[StepLaunches]) -> list[StepGroup]:
    """Steps grouped by what they launch.

    Steps join when their kernel names in order are alike (twice the aligned launches over both
    steps' launches at least 0.9) and at most half of the aligned launches differ in grid or
    block. The template is the sequence that occurs most often. A step that the recording may
    have cut is complete when its first and last launches are those of the template.
    """
    all_steps = list(steps)
    groups: list[StepGroup] = []
    for same in _by_names([step for step in all_steps if not step.possibly_cut]):
        group, slots = _group_of(groups, same[0], SAME_CLASS_SIMILARITY)
        group.members.extend(Member(step=step, slots=slots, complete=True) for step in same)
    for step in (step for step in all_steps if step.possibly_cut):
        _add_cut_step(groups, step)
    return [part for group in groups for part in _split_by_shape(group)]


def _by_names(steps: list[StepLaunches]) -> list[list[StepLaunches]]:
    """Steps of equal names together; the most frequent first, then those nearest the middle."""
    equal: dict[tuple[str | None, bytes], list[StepLaunches]] = {}
    for step in steps:
        equal.setdefault((step.label, step.names.tobytes()), []).append(step)
    middle = max((step.index for step in steps), default=0) / 2
    return sorted(
        equal.values(), key=lambda same: (-len(same), abs(same[len(same) // 2].index - middle))
    )


def _group_of(
    groups: list[StepGroup], step: StepLaunches, similarity: float
) -> tuple[StepGroup, Ints]:
    """The group the step belongs to, made where there is none, and the slots of its launches."""
    for group in groups:
        if group.label == step.label:
            slots = align(step.names, group.template, similarity)
            if slots is not None:
                return group, slots
    group = _new_group(step)
    groups.append(group)
    return group, np.arange(len(step.names), dtype=np.int64)


def _new_group(step: StepLaunches) -> StepGroup:
    slot_numbers = np.argsort(np.argsort(step.positions)).astype(np.int64)
    return StepGroup(label=step.label, template=step.names, slot_numbers=slot_numbers)


def _add_cut_step(groups: list[StepGroup], step: StepLaunches) -> None:
    for group in groups:
        if group.label != step.label:
            continue
        slots = align(step.names, group.template, SAME_CLASS_SIMILARITY)
        if slots is not None:
            complete = _reaches_both_ends(slots, len(group.template))
            group.members.append(Member(step=step, slots=slots, complete=complete))
            return
        slots = _slots_of_part(step.names, group.template)
        if slots is not None:
            group.members.append(Member(step=step, slots=slots, complete=False))
            return
    group = _new_group(step)
    slots = np.arange(len(step.names), dtype=np.int64)
    group.members.append(Member(step=step, slots=slots, complete=False))
    groups.append(group)


def _slots_of_part(names: Ints, template: Ints) -> Ints | None:
    """Slots of a step of which only the end or only the beginning was recorded."""
    size = len(names)
    if size >= len(template):
        return None
    offset = len(template) - size
    beginning = align(names, template[:size], PART_SIMILARITY)
    ending = align(names, template[offset:], PART_SIMILARITY)
    if ending is not None and _matched(ending) > (-1 if beginning is None else _matched(beginning)):
        return np.where(ending == MISSING, MISSING, ending + offset)
    return beginning


def _matched(slots: Ints) -> int:
    return int((slots != MISSING).sum())


def _reaches_both_ends(slots: Ints, size: int) -> bool:
    matched = slots[slots != MISSING]
    margin = max(1, size // 50)
    return bool(matched[0] <= margin and size - 1 - matched[-1] <= margin)


def _split_by_shape(group: StepGroup) -> list[StepGroup]:
    """The group, or several where steps of the same kernels differ in most grids or blocks."""
    rows: dict[bytes, tuple[Ints, list[Member]]] = {}
    for member in group.members:
        row = np.full(len(group.template), MISSING, dtype=np.int64)
        found = member.slots != MISSING
        row[member.slots[found]] = member.step.shapes[found]
        rows.setdefault(row.tobytes(), (row, []))[1].append(member)
    parts: list[tuple[Ints, StepGroup]] = []
    by_frequency = sorted(rows.values(), key=lambda entry: _evidence(entry[1]), reverse=True)
    for row, members in by_frequency:
        for reference, part in parts:
            if _shapes_differing(row, reference) <= SHAPES_DIFFERING:
                part.members.extend(members)
                break
        else:
            part = replace(group, members=list(members))
            parts.append((row, part))
    return [part for _, part in parts]


def _evidence(members: list[Member]) -> tuple[int, int]:
    return sum(member.complete for member in members), len(members)


def _shapes_differing(first: Ints, second: Ints) -> float:
    both = (first != MISSING) & (second != MISSING)
    return float((first[both] != second[both]).mean()) if both.any() else 0.0
