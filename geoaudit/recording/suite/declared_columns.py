"""What a manifest declares of its launches, put beside their recording."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.declared import DeclaredKernel, SplitProperties
from geoaudit.launches.recording import Recording
from geoaudit.launches.table import typed
from geoaudit.manifest.planned import LaunchShape, PlannedKernel, StepPlan

Integers = npt.NDArray[np.int64]
SUMMING_OWNER = "nccl"


def with_declared(
    recording: Recording, plan: StepPlan, splits: Mapping[str, SplitProperties] | None = None
) -> Recording:
    """The recording of a plan's tokens with what its manifest declares.

    Launches are matched by their order within each token, the sums over its ranks apart: NCCL
    launches them. A token with another number of
    launches, or with another grid or block among them, is not the plan's: there the columns stay
    null.

    Args:
        recording: cut into tokens.
        plan: one token.
        splits: what sources say of kernels of which the manifest declares no split, by name.
    """
    launches = recording.launches
    tokens = list(_planned_tokens(launches, plan))
    if not tokens:
        return recording
    rows = np.concatenate(tokens)
    shapes = [launch.shape for launch in plan.launches]
    columns = {}
    for name, values in _declared(shapes).items():
        column = launches[name].copy()
        column.iloc[rows] = values * len(tokens)
        columns[name] = typed(column, s.BY_NAME[name])
    names = launches[s.KERNEL_SHORT].astype("str").iloc[tokens[0]].tolist()
    return replace(
        recording,
        launches=launches.assign(**columns),
        metadata=replace(
            recording.metadata, declared=_declared_kernels(names, shapes, plan, splits or {})
        ),
    )


def _planned_tokens(launches: pd.DataFrame, plan: StepPlan) -> Iterator[Integers]:
    """Rows of the kernels of each token that is the plan's, in order of start."""
    is_planned = (launches[s.KIND] == s.KIND_KERNEL) & (launches[s.OWNER] != SUMMING_OWNER)
    in_token = is_planned & launches[s.TOKEN].notna()
    geometry = launches[[*s.GRID, *s.BLOCK]].to_numpy(dtype=np.float64, na_value=np.nan)
    planned = np.array(
        [(*one.shape.grid, *one.shape.block) for one in plan.launches], dtype=np.float64
    )
    kernels = np.flatnonzero(in_token.to_numpy())
    for places in launches.iloc[kernels].groupby(s.TOKEN).indices.values():
        rows = kernels[places]
        if len(rows) != len(planned):
            continue
        found = geometry[rows]
        if ((found == planned) | np.isnan(found)).all():
            yield rows


def _declared(shapes: Sequence[LaunchShape]) -> dict[str, list[int | None]]:
    """Column -> value of each launch of a token."""
    return {
        s.COMPULSORY_BYTES: [_bytes(shape) for shape in shapes],
        s.WORKING_THREADS: [shape.working_threads for shape in shapes],
        s.BYTES_IN_FLIGHT_PER_THREAD: [shape.bytes_in_flight_per_thread for shape in shapes],
    }


def _bytes(shape: LaunchShape) -> int | None:
    """Each input once and each output once; None where the manifest says not both."""
    if shape.bytes_read is None or shape.bytes_written is None:
        return None
    return shape.bytes_read + shape.bytes_written


def _declared_kernels(
    names: Sequence[str],
    shapes: Sequence[LaunchShape],
    plan: StepPlan,
    splits: Mapping[str, SplitProperties],
) -> tuple[DeclaredKernel, ...]:
    """By the names that the kernels have in the launches table."""
    found: dict[str, DeclaredKernel] = {}
    for name, shape in zip(names, shapes, strict=True):
        one = _declared_kernel(name, plan.kernels[shape.kernel], splits.get(shape.kernel))
        found[name] = _agreed(found.get(name, one), one)
    return tuple(found.values())


def _declared_kernel(
    name: str, kernel: PlannedKernel, from_source: SplitProperties | None
) -> DeclaredKernel:
    split = kernel.split
    if split is None:
        properties = from_source or SplitProperties()
    else:
        properties = SplitProperties(
            cross_block_reduction=split.cross_block_reduction,
            duplicated_reads=split.duplicated_reads,
            layout_change=split.layout_change,
        )
    return DeclaredKernel(kernel_short=name, split=properties, source=kernel.source)


def _agreed(one: DeclaredKernel, other: DeclaredKernel) -> DeclaredKernel:
    """What two kernels of a manifest that share a name both say; None where they differ."""
    if one == other:
        return one
    a, b = one.split, other.split
    return DeclaredKernel(
        kernel_short=one.kernel_short,
        split=SplitProperties(
            cross_block_reduction=_same(a.cross_block_reduction, b.cross_block_reduction),
            duplicated_reads=_same(a.duplicated_reads, b.duplicated_reads),
            layout_change=_same(a.layout_change, b.layout_change),
        ),
        source=one.source if one.source == other.source else None,
    )


def _same(one: bool | None, other: bool | None) -> bool | None:
    return one if one == other else None
