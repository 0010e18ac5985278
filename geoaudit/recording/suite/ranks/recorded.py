"""A group run under the recorder, and what its ranks left."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.rank_words import missing_ranks_sentence
from geoaudit.launches.ranks import ranks_held
from geoaudit.launches.recording import Recording, TokenOptions
from geoaudit.manifest.planned import StepPlan
from geoaudit.quantities import plural
from geoaudit.recording.calibration.measure import measure
from geoaudit.recording.processes import Processes, read_processes
from geoaudit.recording.runner import Recorded, Watch, run_recorded
from geoaudit.recording.selection import Selection, select
from geoaudit.recording.suite.declared_columns import SUMMING_OWNER, with_declared
from geoaudit.recording.suite.ranks.group_run import GroupRun
from geoaudit.recording.suite.runtime import CupyRuntime
from geoaudit.recording.suite.source_splits import splits_from_sources
from geoaudit.recording.suite.suite_run import RunOptions, described, range_of
from geoaudit.recording.supervision import SignalHandler


@dataclass(frozen=True, kw_only=True)
class GroupRecording:
    """What came of a group.

    Attributes:
        recordings: of the ranks that launched kernels, by rank, each cut into its tokens.
        troubles: sentences on what they lack.
        stopped_by: the signal that ended the run from outside, or None.
    """

    recordings: tuple[Recording, ...]
    troubles: tuple[str, ...]
    stopped_by: int | None = None


def record_group(
    name: str,
    plan: StepPlan,
    group: GroupRun,
    *,
    beside: Path,
    watch: Watch | None = None,
    afterwards: SignalHandler | None = None,
) -> GroupRecording:
    """Run a group recorded; what each rank launched to fill and to warm up is left out.

    A rank that is killed leaves what it had until then, and the others what they had until they
    were ended for it.

    Args:
        name: title of the manifest.
        plan: one token of each rank.
        group: what the ranks run.
        beside: the streams are kept in a folder beside this path meanwhile.
        watch: called every half second with the folder of the streams.
        afterwards: who handles signals from the run's end on.

    Raises:
        NotMeasuredError: no rank left a kernel record.
    """
    recorded = run_recorded(group.command, beside=beside, watch=watch, afterwards=afterwards)
    processes = _read(recorded, name)
    by_rank = sorted(processes.recordings, key=lambda one: _rank_of(one) or 0)
    kept = [_of_tokens(one, name, plan, group) for one in by_rank]
    stopped_by = recorded.ended.stopped_by
    failed = bool(recorded.exit_code) and stopped_by is None
    troubles = (
        *((f"the ranks ended with code {recorded.exit_code}",) if failed else ()),
        *processes.troubles,
        *_missing(kept, group),
        *(trouble for one in kept for trouble in _miscounted(one, plan, group)),
    )
    # Whoever stopped the run does not wait for more.
    recordings = _calibrated(kept) if stopped_by is None else tuple(kept)
    return GroupRecording(recordings=recordings, troubles=troubles, stopped_by=stopped_by)


def _read(recorded: Recorded, name: str) -> Processes:
    try:
        return read_processes(recorded.streams, name, running=recorded.running)
    except NotMeasuredError as error:
        if not recorded.exit_code:
            raise
        raise NotMeasuredError(f"{name}: the ranks ended before a kernel was recorded.") from error
    finally:
        shutil.rmtree(recorded.folder, ignore_errors=True)


def _rank_of(recording: Recording) -> int | None:
    return next(iter(ranks_held(recording.launches)), None)


def _of_tokens(recording: Recording, name: str, plan: StepPlan, group: GroupRun) -> Recording:
    """A rank's recording cut into its tokens, with what the manifest declares."""
    options = TokenOptions(token_range=re.escape(range_of(plan)))
    told: tuple[str, ...] = ()
    try:
        kept = select(recording, options, Selection(max_tokens=group.tokens))
    except (InputError, NotMeasuredError) as error:
        kept, told = recording, (f"fillings and warm-up are in the recording: {error}",)
    run = RunOptions(
        tokens=group.tokens, warm_up_tokens=group.warm_up_tokens, is_graph=group.is_graph
    )
    metadata = replace(
        kept.metadata,
        source_name=f"{name}, rank {_rank_of(recording)}",
        environment={**kept.metadata.environment, **described(plan, run)},
        # Not those of `select`: that the tokens alone are kept is what was asked for.
        warnings=(*recording.metadata.warnings, *told),
        ranks=group.ranks,
    )
    return with_declared(replace(kept, metadata=metadata), plan, splits_from_sources(plan))


def _missing(kept: list[Recording], group: GroupRun) -> Iterator[str]:
    there = {_rank_of(one) for one in kept}
    missing = [rank for rank in range(group.ranks) if rank not in there]
    if missing:
        yield missing_ranks_sentence(missing, group.ranks)


def _miscounted(recording: Recording, plan: StepPlan, group: GroupRun) -> Iterator[str]:
    """Whether a rank has other tokens than were planned: so many, each of so many launches."""
    launches = recording.launches
    kernels = launches[(launches[s.KIND] == s.KIND_KERNEL) & launches[s.TOKEN].notna()]
    sums = kernels[s.OWNER] == SUMMING_OWNER
    counts = kernels.assign(sums=sums).groupby(s.TOKEN)["sums"].agg(["size", "sum"])
    planned = (len(plan.launches) + len(plan.all_reduces), len(plan.all_reduces))
    whole = int(((counts["size"] == planned[0]) & (counts["sum"] == planned[1])).sum())
    sums_too = f" and {planned[1]:,} sums over the ranks" if planned[1] else ""
    if whole != group.tokens:
        yield (
            f"rank {_rank_of(recording)}: {whole} of {plural(group.tokens, 'token')} have the "
            f"planned {len(plan.launches):,} launches{sums_too}"
        )


def _calibrated(recordings: list[Recording]) -> tuple[Recording, ...]:
    """With what the first device does at best, for the ranks on devices of its name.

    What cannot be measured is a warning: the tokens are recorded whatever becomes of it.
    """
    try:
        measured = measure(CupyRuntime)
    except NotMeasuredError as error:
        told = f"the floors of this device were not measured: {error}"
        return tuple(_warned(one, told) for one in recordings)
    return tuple(
        replace(one, metadata=replace(one.metadata, calibrations=(measured,)))
        if measured.device_name in {device.name for device in one.metadata.devices}
        else one
        for one in recordings
    )


def _warned(recording: Recording, told: str) -> Recording:
    metadata = recording.metadata
    return replace(recording, metadata=replace(metadata, warnings=(*metadata.warnings, told)))
