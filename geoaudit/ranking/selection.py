"""Which launches an audit is computed from, and how many tokens they make."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.tokens import Segmentation


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The audited part of a recording.

    Attributes:
        launches: launches, copies and sets of complete steps of the class; all of the recording
            where no tokens were found. Index 0..n-1.
        step_class: the class, or None.
        tokens: complete tokens, of the device that has the most; None: figures are per trace.
        divisors: device -> what its sums are divided by.
        begins: device -> start of each counted interval, ns; empty where nothing has a start.
        ends: device -> end of each, ns.
    """

    launches: pd.DataFrame
    step_class: str | None
    tokens: int | None
    divisors: dict[int, int]
    begins: dict[int, npt.NDArray[np.int64]]
    ends: dict[int, npt.NDArray[np.int64]]


def select(segmentation: Segmentation, wanted_class: str | None) -> Selection:
    """The launches of one step class.

    Args:
        segmentation: the recording cut into steps.
        wanted_class: name of a class; None: the default one.

    Raises:
        InputError: no class has that name.
        NotMeasuredError: the class has no complete step.
    """
    step_class = _chosen_class(segmentation, wanted_class)
    if step_class is None:
        return _whole_recording(segmentation)
    table = segmentation.launches
    counted = table[(table[s.STEP_CLASS] == step_class) & table[s.TOKEN].notna()]
    if counted.empty:
        raise NotMeasuredError(
            f"step class {step_class!r} has no complete step, so that nothing can be counted per "
            "token. Choose another with --step, or record a few tokens more."
        )
    launches = counted.reset_index(drop=True)
    divisors = {
        int(device): int(tokens)
        for device, tokens in launches.groupby(s.DEVICE)[s.TOKEN].nunique().items()
    }
    intervals = _step_intervals(table)
    chosen = intervals[(intervals[s.STEP_CLASS] == step_class) & intervals["complete"]]
    by_device = {int(device): group for device, group in chosen.groupby(s.DEVICE)}
    return Selection(
        launches=launches,
        step_class=step_class,
        tokens=max(divisors.values()),
        divisors=divisors,
        begins={device: group["begin"].to_numpy() for device, group in by_device.items()},
        ends={device: group["end"].to_numpy() for device, group in by_device.items()},
    )


def _chosen_class(segmentation: Segmentation, wanted: str | None) -> str | None:
    names = [step_class.name for step_class in segmentation.classes]
    if wanted is None:
        return segmentation.default_class
    if wanted in names:
        return wanted
    if not names:
        raise InputError(f"--step {wanted}: this recording has no steps: {segmentation.rule}")
    raise InputError(f"--step {wanted}: no such step class; there are {', '.join(names)}")


def _whole_recording(segmentation: Segmentation) -> Selection:
    launches = segmentation.launches
    tokens = segmentation.divisor
    timed = launches[launches[s.START_NS].notna() & launches[s.DURATION_NS].notna()]
    begins, ends = {}, {}
    for device, group in timed.groupby(s.DEVICE):
        begins[int(device)] = np.array([group[s.START_NS].min()], dtype=np.int64)
        last = (group[s.START_NS] + group[s.DURATION_NS]).max()
        ends[int(device)] = np.array([last], dtype=np.int64)
    return Selection(
        launches=launches,
        step_class=None,
        tokens=tokens,
        divisors={int(device): tokens or 1 for device in launches[s.DEVICE].unique()},
        begins=begins,
        ends=ends,
    )


def _step_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Begin and end of every step on every device, the pause before the next step included.

    The pause after a token (sampling on the host, the next launch) is part of what the token
    costs, as long as a step of the same class follows at once; after the last of a run it is not.
    """
    timed = table[table[s.STEP].notna() & table[s.START_NS].notna() & table[s.DURATION_NS].notna()]
    steps = (
        timed.assign(end=timed[s.START_NS] + timed[s.DURATION_NS])
        .groupby([s.DEVICE, s.STEP], sort=True)
        .agg(
            begin=(s.START_NS, "min"),
            end=("end", "max"),
            complete=(s.TOKEN, "count"),
            step_class=(s.STEP_CLASS, "first"),
        )
        .reset_index()
        .rename(columns={"step_class": s.STEP_CLASS})
    )
    steps["complete"] = steps["complete"] > 0
    following = steps.shift(-1)
    continues = (
        (following[s.DEVICE] == steps[s.DEVICE])
        & (following[s.STEP] == steps[s.STEP] + 1)
        & (following[s.STEP_CLASS].astype("object") == steps[s.STEP_CLASS].astype("object"))
    ).fillna(value=False)
    steps["end"] = steps["end"].where(~continues.astype(bool), following["begin"])
    return steps.astype({"begin": "int64", "end": "int64"})
