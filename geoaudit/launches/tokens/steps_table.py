"""Filling step, class, token and position into the launches table."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.tokens.classes import Member, StepGroup, StepLaunches
from geoaudit.launches.tokens.sequence import MISSING, Flags, Floats, Ints, LaunchSequence, Steps


@dataclass(frozen=True, kw_only=True)
class DeviceSteps:
    """The steps of one device, with their times and their numbers in the recording.

    Attributes:
        sequence: the device's launches.
        steps: its steps.
        launches: the launches of each step.
        starts_ns: start of each step's first launch.
        ends_ns: end of each step: the start of the next where it follows with no launch between
            them, else the end of its own last launch.
        followed: whether the next step follows so.
        numbers: number of each step over the whole recording.
    """

    sequence: LaunchSequence
    steps: Steps
    launches: tuple[StepLaunches, ...]
    starts_ns: Floats
    ends_ns: Floats
    followed: Flags
    numbers: Ints


def device_steps(sequences: list[tuple[LaunchSequence, Steps]]) -> list[DeviceSteps]:
    """The steps of all devices, numbered in order of time.

    Where all devices with steps have as many of them, the steps of one place in the order are one
    step (the ranks of tensor parallelism) and share a number; otherwise each has its own.
    """
    timed = []
    for index, (sequence, steps) in enumerate(sequences):
        launches = _launches_of_steps(index, sequence, steps)
        timed.append((sequence, steps, launches, *_times(sequence, launches)))
    numbers = _numbers([starts for *_, starts, _, _ in timed])
    return [
        DeviceSteps(
            sequence=sequence,
            steps=steps,
            launches=launches,
            starts_ns=starts,
            ends_ns=ends,
            followed=followed,
            numbers=numbers_here,
        )
        for (sequence, steps, launches, starts, ends, followed), numbers_here in zip(
            timed, numbers, strict=True
        )
    ]


def _launches_of_steps(
    index: int, sequence: LaunchSequence, steps: Steps
) -> tuple[StepLaunches, ...]:
    order = np.argsort(steps.step_of, kind="stable")
    edges = np.searchsorted(steps.step_of[order], np.arange(steps.count + 1))
    found = []
    for step in range(steps.count):
        positions = order[edges[step] : edges[step + 1]].astype(np.int64)
        positions = positions[np.argsort(sequence.streams[positions], kind="stable")]
        found.append(
            StepLaunches(
                sequence=index,
                index=step,
                positions=positions,
                names=sequence.names[positions],
                shapes=sequence.shapes[positions],
                label=steps.labels[step],
                possibly_cut=step in steps.possibly_cut,
            )
        )
    return tuple(found)


def _times(
    sequence: LaunchSequence, launches: tuple[StepLaunches, ...]
) -> tuple[Floats, Floats, Flags]:
    starts = np.array([sequence.starts_ns[step.positions.min()] for step in launches])
    ends = np.array([_latest(sequence.ends_ns[step.positions]) for step in launches])
    followed = np.zeros(len(launches), dtype=bool)
    for index in range(len(launches) - 1):
        follows = launches[index + 1].positions.min() <= launches[index].positions.max() + 1
        if follows and not np.isnan(starts[index + 1]):
            ends[index] = starts[index + 1]
            followed[index] = True
    return starts, ends, followed


def _latest(ends_ns: Floats) -> float:
    known = ends_ns[~np.isnan(ends_ns)]
    return float(known.max()) if len(known) else np.nan


def _numbers(starts: list[Floats]) -> list[Ints]:
    with_steps = [times for times in starts if len(times)]
    if len({len(times) for times in with_steps}) <= 1:
        return [np.arange(len(times), dtype=np.int64) for times in starts]
    order = np.argsort(np.concatenate(starts), kind="stable")
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    return np.split(numbers, np.cumsum([len(times) for times in starts])[:-1])


def filled_table(
    launches: pd.DataFrame,
    devices: list[DeviceSteps],
    groups: list[StepGroup],
    names: list[str],
    step_of_copies: Ints | None = None,
) -> pd.DataFrame:
    """The table with step, class, token and position filled; a copy.

    Args:
        launches: the launches table.
        devices: the steps of each device.
        groups: the classes.
        names: their names.
        step_of_copies: for each row that is no kernel the index of its step on its device where a
            range tells it, else MISSING; None: by time alone.
    """
    size = len(launches)
    step = np.full(size, MISSING, dtype=np.int64)
    token, position, class_of = step.copy(), step.copy(), step.copy()
    for index, device in enumerate(devices):
        local_class, local_token, slots = _per_step(device, index, groups)
        local_step = np.full(size, MISSING, dtype=np.int64)
        local_step[device.sequence.rows] = device.steps.step_of
        _place_copies(launches, device, local_step, step_of_copies)
        rows = np.flatnonzero(local_step != MISSING)
        step[rows] = device.numbers[local_step[rows]]
        class_of[rows] = local_class[local_step[rows]]
        token[rows] = local_token[local_step[rows]]
        position[device.sequence.rows] = slots
    columns = {s.STEP: step, s.TOKEN: token, s.POSITION: position}
    filled = {name: pd.array(values, dtype="Int64") for name, values in columns.items()}
    for name, values in columns.items():
        filled[name][values == MISSING] = pd.NA
    category = pd.Categorical.from_codes(class_of, categories=pd.Index(names, dtype="str"))
    return launches.assign(**filled, **{s.STEP_CLASS: category})


def _per_step(device: DeviceSteps, index: int, groups: list[StepGroup]) -> tuple[Ints, Ints, Ints]:
    """Class and token of each step of a device, and the slot of each of its launches."""
    class_of = np.full(device.steps.count, MISSING, dtype=np.int64)
    token_of = class_of.copy()
    slots = np.full(len(device.sequence), MISSING, dtype=np.int64)
    for number, group in enumerate(groups):
        members = [member for member in group.members if member.step.sequence == index]
        for member in members:
            class_of[member.step.index] = number
            found = member.slots != MISSING
            slots[member.step.positions[found]] = group.slot_numbers[member.slots[found]]
        complete = sorted(member.step.index for member in members if member.complete)
        token_of[complete] = np.arange(len(complete))
    return class_of, token_of, slots


def _place_copies(
    launches: pd.DataFrame, device: DeviceSteps, local_step: Ints, by_range: Ints | None
) -> None:
    """Put copies and sets into the step they start in: between its start and its end."""
    copies = (launches[s.KIND] != s.KIND_KERNEL) & (launches[s.DEVICE] == device.sequence.device)
    rows = np.flatnonzero(copies.to_numpy())
    if not len(rows) or not device.steps.count:
        return
    starts = launches[s.START_NS].to_numpy(dtype=np.float64, na_value=np.nan)[rows]
    step = np.searchsorted(device.starts_ns, starts, side="right") - 1
    with np.errstate(invalid="ignore"):
        inside = (step >= 0) & (starts <= device.ends_ns[step])
    local_step[rows[inside]] = step[inside]
    if by_range is not None:
        told = by_range[rows] != MISSING
        local_step[rows[told]] = by_range[rows][told]


def complete_members(group: StepGroup) -> list[Member]:
    """The complete steps of a class."""
    return [member for member in group.members if member.complete]


def step_intervals(
    devices: list[DeviceSteps], groups: list[StepGroup], names: list[str]
) -> pd.DataFrame:
    """When each step begins and ends on each device.

    Args:
        devices: the steps of each device.
        groups: the classes.
        names: their names.

    Returns:
        One row per timed step and device: ``device``, ``step_class``, ``complete``, ``begin_ns``,
        ``end_ns`` (the start of the next step where that follows with no launch between them, so
        that the pause after a step is part of it; else the end of its own last launch) and
        ``followed``, which of the two it is.
    """
    rows = []
    for name, group in zip(names, groups, strict=True):
        for member in group.members:
            device, index = devices[member.step.sequence], member.step.index
            begin, end = device.starts_ns[index], device.ends_ns[index]
            if not np.isnan(begin) and not np.isnan(end):
                origin = device.sequence.origin_ns
                rows.append(
                    (
                        device.sequence.device,
                        name,
                        member.complete,
                        int(begin) + origin,
                        int(end) + origin,
                        bool(device.followed[index]),
                    )
                )
    columns = [s.DEVICE, s.STEP_CLASS, "complete", "begin_ns", "end_ns", "followed"]
    return pd.DataFrame(rows, columns=columns)


def counted_intervals(intervals: pd.DataFrame, step_class: str) -> pd.DataFrame:
    """The intervals a class' wall time is a mean over.

    Complete steps that another follows; all complete ones where none is followed, since the pause
    after a step is then not known of any.
    """
    complete = intervals[intervals["complete"] & (intervals[s.STEP_CLASS] == step_class)]
    followed = complete[complete["followed"]]
    return complete if followed.empty else followed
