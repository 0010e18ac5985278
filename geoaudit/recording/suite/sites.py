"""Which launches of a recorded token are worth repeating: one of each signature that takes time."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import pandas as pd

from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.manifest.planned import StepPlan

SMALLEST_SHARE = 0.01
"""Signatures of less kernel time are not worth an intervention."""

_SIGNATURE = [s.KERNEL_SHORT, *s.GRID, *s.BLOCK, s.DYNAMIC_SHARED_BYTES]


@dataclass(frozen=True, kw_only=True)
class Site:
    """The call site that stands for a signature: of its sites' medians, the median one.

    Attributes:
        kernel_short: the kernel's name in the recording.
        dynamic_shared_bytes: of a block.
        position: of the launch in the token.
        device: as the launches table counts them.
        in_situ_ns: its durations in the recorded tokens.
        time_ns: of all launches of the signature.
        wasted_ns: time x the share of the SMs without a block of it.
    """

    kernel_short: str
    dynamic_shared_bytes: int
    position: int
    device: int
    in_situ_ns: tuple[int, ...]
    time_ns: float
    wasted_ns: float


def chosen_sites(recording: Recording, plan: StepPlan, most: int) -> tuple[Site, ...]:
    """A site of each signature of at least 1 % of the kernel time, the most wasteful first.

    Signatures that waste nothing follow in order of time.

    Args:
        recording: of tokens of the plan.
        plan: one token.
        most: how many.

    Raises:
        NotMeasuredError: the recording's tokens are not those of the plan.
    """
    launches = recording.launches
    kernels = launches[
        (launches[s.KIND] == s.KIND_KERNEL)
        & launches[s.TOKEN].notna()
        & launches[s.POSITION].notna()
        & launches[s.DURATION_NS].notna()
    ].assign(**{s.DYNAMIC_SHARED_BYTES: launches[s.DYNAMIC_SHARED_BYTES].fillna(0)})
    _require_plan(kernels, plan)
    sm_counts = [one.sm_count for one in recording.metadata.devices if one.sm_count]
    sites = list(_sites(kernels, sm_counts[0] if sm_counts else None))
    smallest_ns = SMALLEST_SHARE * float(kernels[s.DURATION_NS].sum())
    worth = [one for one in sites if one.time_ns >= smallest_ns]
    return tuple(sorted(worth, key=lambda one: (-one.wasted_ns, -one.time_ns))[:most])


def _require_plan(kernels: pd.DataFrame, plan: StepPlan) -> None:
    """Refuse positions that are not the plan's indices: another launch would be repeated."""
    recorded = {
        (int(row[0]), tuple(map(int, row[1:])))
        for row in kernels[[s.POSITION, *s.GRID, *s.BLOCK]].dropna().drop_duplicates().to_numpy()
    }
    planned = {
        (index, (*launch.shape.grid, *launch.shape.block))
        for index, launch in enumerate(plan.launches)
    }
    if recorded != planned:
        raise NotMeasuredError(
            "the recorded tokens are not the planned one, launch by launch, so that none can be "
            "told from another. Record again; another process or profiler may have launched."
        )


def _sites(kernels: pd.DataFrame, sm_count: int | None) -> Iterator[Site]:
    for signature, group in kernels.groupby(_SIGNATURE, observed=True):
        blocks = prod(int(value) for value in signature[1:4])
        fill = 1.0 if sm_count is None else min(1.0, blocks / sm_count)
        time_ns = float(group[s.DURATION_NS].sum())
        medians = group.groupby(s.POSITION)[s.DURATION_NS].median().sort_values(kind="stable")
        position = int(medians.index[(len(medians) - 1) // 2])
        durations = group.loc[group[s.POSITION] == position, s.DURATION_NS]
        yield Site(
            kernel_short=str(signature[0]),
            dynamic_shared_bytes=int(signature[-1]),
            position=position,
            device=int(group[s.DEVICE].iloc[0]),
            in_situ_ns=tuple(int(value) for value in durations),
            time_ns=time_ns,
            wasted_ns=time_ns * (1.0 - fill),
        )
