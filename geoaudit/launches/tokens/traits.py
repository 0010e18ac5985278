"""What is known of classes of steps, which their names are decided by."""

from collections import Counter

import numpy as np
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.tokens.class_names import ClassTraits
from geoaudit.launches.tokens.classes import StepGroup
from geoaudit.launches.tokens.ranges import bare_name
from geoaudit.launches.tokens.sequence import Ints
from geoaudit.launches.tokens.steps_table import DeviceSteps, complete_members

_SHARED_SHAPES = 0.5
_LABELLED_FRACTION = 0.8


def _kernel_time_per_step_ns(group: StepGroup, devices: list[DeviceSteps]) -> float | None:
    times = []
    for member in complete_members(group):
        sequence, positions = devices[member.step.sequence].sequence, member.step.positions
        times.append(np.nansum(sequence.ends_ns[positions] - sequence.starts_ns[positions]))
    known = [time for time in times if time > 0]
    return float(np.mean(known)) if known else None


def class_traits(
    launches: pd.DataFrame, devices: list[DeviceSteps], groups: list[StepGroup]
) -> list[ClassTraits]:
    """What the names of the classes are decided by."""
    kernels = launches[s.KERNEL].cat.categories
    instances = [_range_instances(launches, devices, group) for group in groups]
    labels = [
        group.label or _spanning_range(instances, index) for index, group in enumerate(groups)
    ]
    main = max(range(len(groups)), key=lambda i: (len(complete_members(groups[i])), -i))
    main_shapes = _shapes(groups[main])
    main_steps = {(m.step.sequence, m.step.index) for m in groups[main].members}
    return [
        ClassTraits(
            label=label if group.label or labels.count(label) == 1 else None,
            complete_steps=len(complete_members(group)),
            launches_per_step=len(group.template),
            kernel_time_per_step_ns=_kernel_time_per_step_ns(group, devices),
            kernels=frozenset(str(kernels[code]) for code in np.unique(group.template)),
            leads_to_main=all(
                (m.step.sequence, m.step.index + 1) in main_steps for m in group.members
            ),
            shares_shapes=_shared(group, main_shapes) > _SHARED_SHAPES,
        )
        for group, label in zip(groups, labels, strict=True)
    ]


def _shapes(group: StepGroup) -> Ints:
    return np.unique(np.concatenate([member.step.shapes for member in group.members]))


def _shared(group: StepGroup, shapes: Ints) -> float:
    own = np.concatenate([member.step.shapes for member in group.members])
    return float(np.isin(own, shapes).mean())


def _range_instances(
    launches: pd.DataFrame, devices: list[DeviceSteps], group: StepGroup
) -> list[str | None]:
    """The instance of the outermost range that the middle launch of each step lies in."""
    ranges = launches[s.RANGES].cat
    codes = ranges.codes.to_numpy()
    instances: list[str | None] = []
    for member in group.members:
        middle = member.step.positions[len(member.step.positions) // 2]
        code = codes[devices[member.step.sequence].sequence.rows[middle]]
        instances.append(str(ranges.categories[code]).split("/")[0] if code >= 0 else None)
    return instances


def _spanning_range(instances: list[list[str | None]], index: int) -> str | None:
    """The name of the range of which the steps of one class alone have an instance each."""
    own = set(instances[index]) - {None}
    others = {name for other, names in enumerate(instances) if other != index for name in names}
    names = Counter(bare_name(instance) for instance in own if instance and instance not in others)
    if not names:
        return None
    name, count = names.most_common(1)[0]
    return name if count >= _LABELLED_FRACTION * len(instances[index]) else None
