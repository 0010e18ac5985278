"""The launches of a recorded token repeated alone, and under the shapes that arms give them."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path

from geoaudit.errors import GeoauditError, NotMeasuredError
from geoaudit.launches.interventions import BlockCount, Intervention
from geoaudit.launches.names import demangle, shorten
from geoaudit.launches.recording import Recording
from geoaudit.manifest.planned import StepPlan
from geoaudit.manifest.variants import reshaped_launches
from geoaudit.recording.instruments import CuptiInstrument, start_instrument
from geoaudit.recording.suite.alone import Case, durations_of_cases, repeat_alone
from geoaudit.recording.suite.cold_cache import ColdCache
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.sites import Site, chosen_sites

MOST_SITES = 20
REPETITIONS = 24


@dataclass(frozen=True, kw_only=True)
class ConfirmOptions:
    """What is repeated.

    Attributes:
        variants: setting -> the step under it, see `geoaudit.manifest.variants`.
        notes: sentences on settings that are not among them.
        most: how many launch signatures.
        repetitions: of each launch under each setting.
    """

    variants: Mapping[str, StepPlan] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    most: int = MOST_SITES
    repetitions: int = REPETITIONS


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """A site under a setting; None: as it was recorded."""

    site: Site
    setting: str | None
    case: Case

    def __str__(self) -> str:
        under = f" under {self.setting}" if self.setting else ""
        return f"{self.site.kernel_short} at position {self.site.position}{under}"


@dataclass(kw_only=True)
class _Ran:
    """What came of trials: the number of the trial of each repetition in order, and refusals."""

    repetitions: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def with_interventions(
    engine: Engine,
    plan: StepPlan,
    recording: Recording,
    options: ConfirmOptions,
    report: Callable[[float], None],
) -> Recording:
    """A recording with its interventions: see `alone.repeat_alone` for how a launch is repeated.

    Of every launch signature that takes time one call site is repeated as it was recorded, and
    under each setting of an arm that gives it another grid or block, in the process that recorded
    it. CUPTI times the repetitions. A launch that cannot be repeated is left out, and the warnings
    say why.

    Args:
        engine: that ran the recording; its memory serves plan and variants.
        plan: what was recorded.
        recording: of its tokens.
        options: what is repeated.
        report: told the share that is done, 0 to 1.

    Raises:
        NotMeasuredError: CUPTI cannot be had, the recording is not of the plan, or nothing could
            be repeated.
    """
    trials = list(_trials(chosen_sites(recording, plan, options.most), plan, options.variants))
    ran, durations = _recorded(engine, trials, options.repetitions, report)
    metadata = replace(
        recording.metadata,
        interventions=tuple(_interventions(trials, durations)),
        warnings=(*recording.metadata.warnings, *options.notes, *ran.refused),
    )
    return replace(recording, metadata=metadata)


def _recorded(
    engine: Engine,
    trials: Sequence[_Trial],
    repetitions: int,
    report: Callable[[float], None],
) -> tuple[_Ran, dict[int, tuple[int, ...]]]:
    """What came of the trials, and the durations of each by its number."""
    with tempfile.TemporaryDirectory(prefix="geoaudit-confirm-") as folder:
        instrument = start_instrument(Path(folder))
        if not isinstance(instrument, CuptiInstrument):
            raise NotMeasuredError(
                "CUPTI cannot be had, and CUDA events time launches too coarsely to compare them."
            )
        ran = _run(engine, trials, repetitions, report)
        measured = instrument.finish()
    if not ran.repetitions:
        raise NotMeasuredError("; ".join(ran.refused) or "no launch takes 1 % of the kernel time.")
    return ran, durations_of_cases(measured.recording.launches, ran.repetitions)


def _trials(
    sites: Sequence[Site], plan: StepPlan, variants: Mapping[str, StepPlan]
) -> Iterator[_Trial]:
    """Every site as it is, followed by its settings."""
    reshaped = {setting: reshaped_launches(plan, other) for setting, other in variants.items()}
    for site in sites:
        yield _Trial(site=site, setting=None, case=Case(plan=plan, index=site.position))
        for setting, variant in variants.items():
            index = reshaped[setting].get(site.position)
            if index is not None:
                yield _Trial(site=site, setting=setting, case=Case(plan=variant, index=index))


def _run(
    engine: Engine,
    trials: Sequence[_Trial],
    repetitions: int,
    report: Callable[[float], None],
) -> _Ran:
    """Run the trials one after another; one that fails is told of, and the next one runs."""
    ran = _Ran()
    try:
        cache = ColdCache(engine.runtime)
    except GeoauditError as error:
        return _Ran(refused=[f"the L2 cannot be emptied between repetitions: {error}"])
    for number, trial in enumerate(trials):

        def launched(number: int = number) -> None:
            ran.repetitions.append(number)

        try:
            repeat_alone(engine, cache, trial.case, repetitions, launched)
        except GeoauditError as error:
            ran.refused.append(f"{trial} is not repeated alone: {error}")
        report((number + 1) / len(trials))
    return ran


def _interventions(
    trials: Sequence[_Trial], durations: Mapping[int, tuple[int, ...]]
) -> Iterator[Intervention]:
    sweeps: dict[int, list[BlockCount]] = {}
    for number, trial in enumerate(trials):
        if trial.setting is not None and number in durations:
            shape = trial.case.plan.launches[trial.case.index].shape
            sweeps.setdefault(trial.site.position, []).append(
                BlockCount(
                    setting=trial.setting,
                    grid_blocks=prod(shape.grid),
                    block_threads=prod(shape.block),
                    durations_ns=durations[number],
                    kernel_short=shorten(demangle(shape.entry)),
                )
            )
    for number, trial in enumerate(trials):
        if trial.setting is None and number in durations:
            shape = trial.case.plan.launches[trial.case.index].shape
            yield Intervention(
                kernel_short=trial.site.kernel_short,
                grid=shape.grid,
                block=shape.block,
                dynamic_shared_bytes=trial.site.dynamic_shared_bytes,
                position=trial.site.position,
                alone_ns=durations[number],
                in_situ_ns=trial.site.in_situ_ns,
                sweep=tuple(sweeps.get(trial.site.position, ())),
                device=trial.site.device,
            )
