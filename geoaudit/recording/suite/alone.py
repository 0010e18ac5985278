"""One launch of a token, repeated with nothing beside it, and its durations found again.

A launch is repeated as its token meets it, but for what runs beside it. The token is launched up to
it, from the contents that buffers begin with, so that it finds the data that it finds in the token.
Before each repetition what it changes in place is copied back, the L2 is emptied, and its warm
inputs are read into the L2 again. That is the state of the token: weights, caches and states come
from memory, as more than the L2 is touched between two uses of them; what the launches just before
left there, a normed vector for one, is in the L2. That those lines would be dirty, and in which
order they came, is not rebuilt.

The launch is no programmatic one, whatever its plan says: its duration would hold its wait for the
launch before it. Its durations in a token with programmatic launches hold that wait.

Every repetition directly follows the kernel that reads into the L2, and no other launch does: by
that its record is known, with or without NVTX.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.manifest.planned import StepPlan
from geoaudit.recording.suite.cold_cache import ENTRY as READ
from geoaudit.recording.suite.cold_cache import ColdCache
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.prepared_token import PreparedLaunch
from geoaudit.recording.suite.runtime import Allocation
from geoaudit.recording.suite.touched import changed_in_place, warm_inputs


@dataclass(frozen=True, kw_only=True)
class Case:
    """A launch to be repeated.

    Attributes:
        plan: the token it is of.
        index: its place in the token.
    """

    plan: StepPlan
    index: int


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """A buffer's contents, kept.

    Attributes:
        address: of the buffer.
        copy: where its contents are.
        size_bytes: of both.
    """

    address: int
    copy: Allocation
    size_bytes: int


def repeat_alone(
    engine: Engine, cache: ColdCache, case: Case, repetitions: int, launched: Callable[[], None]
) -> None:
    """Repeat a launch alone; the module says how.

    Args:
        engine: whose memory serves the plan.
        cache: on the same device.
        case: what to repeat.
        repetitions: how often.
        launched: told of every repetition, after it was launched.

    Raises:
        NotMeasuredError: there is no memory to keep what it changes, or a kernel fails.
        InputError, ManifestError: it cannot be prepared.
    """
    plan, index = case.plan, case.index
    launch = _without_programmatic(engine, case)
    engine.restore(plan)
    before = replace(plan, launches=plan.launches[:index], ranges=(), all_reduces=())
    engine.prepare(before).launch(0)
    kept = _keep(engine, case)
    try:
        _launch(engine, launch)  # loads its code, and shows that it can be launched
        engine.synchronize()
        warm = warm_inputs(plan, index)
        for _ in range(repetitions):
            _put_back(engine, kept)
            cache.flush()
            for one in warm:
                cache.touch(engine.memory.address(one.use), one.size_bytes)
            _launch(engine, launch)
            launched()
    finally:
        # What is kept is freed behind this: not while it is copied.
        engine.synchronize()


def durations_of_cases(launches: pd.DataFrame, cases: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """The durations of repetitions, by the number of their case.

    Args:
        launches: of the session that recorded them, and nothing else.
        cases: for every repetition in order, the number of its case.

    Raises:
        NotMeasuredError: not every repetition has a record.
    """
    kernels = launches[launches[s.KIND] == s.KIND_KERNEL].sort_values(s.START_NS, kind="stable")
    is_read = (kernels[s.KERNEL_SHORT] == READ).to_numpy(dtype=bool)
    repeated = kernels[s.DURATION_NS].to_numpy()[1:][is_read[:-1] & ~is_read[1:]]
    if len(repeated) != len(cases):
        raise NotMeasuredError(
            f"{len(cases):,} launches were repeated alone and {len(repeated):,} are in the record: "
            "records were lost, or something else launched in this process. Try again."
        )
    found: dict[int, list[int]] = {}
    for case, duration in zip(cases, repeated, strict=True):
        if not pd.isna(duration):
            found.setdefault(case, []).append(int(duration))
    return {case: tuple(durations) for case, durations in found.items()}


def _without_programmatic(engine: Engine, case: Case) -> PreparedLaunch:
    planned = case.plan.launches[case.index]
    alone = replace(planned, shape=replace(planned.shape, programmatic_launch=False))
    only = replace(case.plan, launches=(alone,), ranges=(), all_reduces=())
    return engine.prepare(only).launches[0]


def _launch(engine: Engine, launch: PreparedLaunch) -> None:
    launch.kernel(
        launch.grid,
        launch.block,
        launch.arguments,
        shared_mem=launch.shared_bytes,
        stream=engine.runtime.stream,
    )


def _keep(engine: Engine, case: Case) -> list[_Kept]:
    """Copy what the launch changes in place."""
    runtime = engine.runtime
    sizes = {buffer.name: buffer.bytes_per_copy for buffer in case.plan.buffers}
    kept = []
    for use in changed_in_place(case.plan.launches[case.index], case.plan):
        size_bytes, address = sizes[use.buffer], engine.memory.address(use)
        copy = runtime.allocate(size_bytes)
        runtime.driver.copy(int(copy.ptr), address, size_bytes, runtime.stream.ptr)
        kept.append(_Kept(address=address, copy=copy, size_bytes=size_bytes))
    return kept


def _put_back(engine: Engine, kept: Sequence[_Kept]) -> None:
    runtime = engine.runtime
    for one in kept:
        runtime.driver.copy(one.address, int(one.copy.ptr), one.size_bytes, runtime.stream.ptr)
