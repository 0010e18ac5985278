"""Which launches an audit is computed from, and how many tokens they make."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.tokens import Segmentation, counted_intervals


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The audited part of a recording.

    Attributes:
        counted: per row of the segmented table, whether it is in a complete step of the class;
            all rows where no tokens were found.
        step_class: the class, or None.
        tokens: complete tokens, of the device that has the most; None: figures are per trace.
        divisors: device -> what its sums are divided by.
        intervals: ``device``, ``begin_ns`` and ``end_ns`` of what the time account is a mean over;
            empty where nothing has a start.
    """

    counted: npt.NDArray[np.bool_]
    step_class: str | None
    tokens: int | None
    divisors: dict[int, int]
    intervals: pd.DataFrame


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
    counted = ((table[s.STEP_CLASS] == step_class) & table[s.TOKEN].notna()).to_numpy()
    if not counted.any():
        raise NotMeasuredError(
            f"step class {step_class!r} has no complete step, so that nothing can be counted per "
            "token. Choose another with --step, or record a few tokens more."
        )
    divisors = {
        int(device): int(tokens)
        for device, tokens in table[counted].groupby(s.DEVICE)[s.TOKEN].nunique().items()
    }
    return Selection(
        counted=counted,
        step_class=step_class,
        tokens=max(divisors.values()),
        divisors=divisors,
        intervals=counted_intervals(segmentation.intervals, step_class),
    )


def _chosen_class(segmentation: Segmentation, wanted: str | None) -> str | None:
    names = [step_class.name for step_class in segmentation.classes]
    if wanted is None:
        return segmentation.default_class
    if not names:
        raise InputError(f"--step {wanted}: this recording has no steps: {segmentation.rule}")
    if wanted not in names:
        raise InputError(f"--step {wanted}: no such step class; there are {', '.join(names)}")
    return wanted


def _whole_recording(segmentation: Segmentation) -> Selection:
    launches = segmentation.launches
    tokens = segmentation.divisor
    timed = launches[launches[s.START_NS].notna() & launches[s.DURATION_NS].notna()]
    spans = (
        timed.assign(end_ns=timed[s.START_NS] + timed[s.DURATION_NS])
        .groupby(s.DEVICE)
        .agg(begin_ns=(s.START_NS, "min"), end_ns=("end_ns", "max"))
        .reset_index()
    )
    return Selection(
        counted=np.ones(len(launches), dtype=bool),
        step_class=None,
        tokens=tokens,
        divisors={int(device): tokens or 1 for device in launches[s.DEVICE].unique()},
        intervals=spans.astype({"begin_ns": "int64", "end_ns": "int64"}),
    )
