"""A plan run under a session: warm-up, tokens, and a recording that says what was run."""

import gc
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from geoaudit.errors import GeoauditError, InputError, NotMeasuredError
from geoaudit.launches.recording import Recording, TokenOptions
from geoaudit.manifest.planned import StepPlan
from geoaudit.recording.calibration.measure import measure
from geoaudit.recording.instruments import CuptiInstrument
from geoaudit.recording.selection import Selection, select
from geoaudit.recording.session import IncompleteRecordingWarning, Session, record
from geoaudit.recording.suite.captured_token import CapturedToken, refuse_changing_scalars
from geoaudit.recording.suite.code_figures import with_code_figures
from geoaudit.recording.suite.declared_columns import with_declared
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.interventions import ConfirmOptions, with_interventions
from geoaudit.recording.suite.prepared_token import PreparedToken, Ranges
from geoaudit.recording.suite.ranges import NvtxRanges
from geoaudit.recording.suite.runtime import Runtime
from geoaudit.recording.suite.source_splits import splits_from_sources

DEFAULT_TOKENS = 12
WARM_UP_TOKENS = 3

# Shares of a run, for its progress: the rest is tokens.
_LOADED, _FILLED, _WARM = 0.3, 0.5, 0.6
# Share of the recorded run where launches are repeated behind it.
_RECORDED = 0.3

Progress = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a plan is run.

    Attributes:
        tokens: how many are recorded.
        warm_up_tokens: how many run before, unrecorded.
        is_graph: the token is captured as one CUDA graph, and its replays are recorded.
        confirm: what is repeated alone afterwards; None: nothing.
    """

    tokens: int = DEFAULT_TOKENS
    warm_up_tokens: int = WARM_UP_TOKENS
    is_graph: bool = False
    confirm: ConfirmOptions | None = None


@dataclass(frozen=True, kw_only=True)
class SuiteRecording:
    """What came of a run.

    Attributes:
        recording: of the tokens alone, cut into them.
        troubles: sentences on what it lacks.
    """

    recording: Recording
    troubles: tuple[str, ...]


def record_plan(
    name: str,
    plan: StepPlan,
    options: RunOptions,
    make_runtime: Callable[[], Runtime],
    progress: Progress | None = None,
) -> SuiteRecording:
    """Run a plan on the device, recorded.

    The session begins before the process uses CUDA, as NVTX and CUPTI want it; what is launched
    to fill buffers and to warm up is left out of the recording afterwards.

    Args:
        name: title of the manifest.
        plan: one token.
        options: how it is run.
        make_runtime: brings the device up; called inside the session.
        progress: told the share that is done, 0 to 1.

    Raises:
        InputError: a source or binary cannot be used, or a graph cannot repeat the plan.
        NotMeasuredError: the device cannot run it, or nothing could be recorded.
    """
    if options.is_graph:
        refuse_changing_scalars(plan)
    report, tell = _shared(progress or _tell_nobody, options)
    plans = [plan, *(options.confirm.variants.values() if options.confirm else ())]
    with tempfile.TemporaryDirectory(prefix="geoaudit-suite-") as folder:
        session = record(Path(folder) / "whole.parquet")
        with _as_troubles(), session:
            engine = Engine(make_runtime(), plans)
            token = engine.prepare(plan)
            report(_LOADED)
            engine.restore(plan)
            report(_FILLED)
            warm_up(engine, token, options.warm_up_tokens)
            report(_WARM)
            run_tokens(engine, token, options, report)
    done = _calibrated(_of_tokens(session, engine, plan, options, name), session, engine)
    return done if options.confirm is None else _confirmed(engine, plan, done, options, tell)


def warm_up(engine: Engine, token: PreparedToken, count: int) -> None:
    """Launch tokens that nobody looks at: clocks rise, code is loaded, caches are as later."""
    for number in range(count):
        token.launch(number)
    engine.synchronize()


def run_tokens(engine: Engine, token: PreparedToken, options: RunOptions, report: Progress) -> None:
    """Launch the tokens of a recording, each to its end as an engine does that samples from it.

    Args:
        engine: that prepared the token.
        token: launched before.
        options: how many tokens, and as a graph or not.
        report: told the share of the whole run that is done.
    """
    ranges = NvtxRanges()
    with _no_collection():
        if options.is_graph:
            with engine.capture(token) as captured:
                _run_each(engine, options, report, lambda _: _replay(captured, token, ranges))
        else:
            _run_each(engine, options, report, lambda number: _launch(token, number, ranges))


def range_of(plan: StepPlan) -> str:
    """Name of the NVTX range around a token: the step's own, or its name where it has none."""
    return plan.ranges[0].name if _has_own_range(plan) else plan.step


def described(plan: StepPlan, options: RunOptions) -> dict[str, str]:
    """What was run, for a reader of the recording."""
    on = {name: value for name, value in plan.arms.items() if value}
    return {
        "step": plan.step,
        "mode": "CUDA graph" if options.is_graph else "eager",
        "arms": _assignments(on) or "all off",
        "symbols": _assignments(plan.symbols),
        "warm_up_tokens": str(options.warm_up_tokens),
    }


def _has_own_range(plan: StepPlan) -> bool:
    """Whether one of the plan's ranges is around all of its launches."""
    first = plan.ranges[0] if plan.ranges else None
    return first is not None and (first.first, first.stop) == (0, len(plan.launches))


def _run_each(
    engine: Engine, options: RunOptions, report: Progress, launch: Callable[[int], None]
) -> None:
    for number in range(options.tokens):
        launch(options.warm_up_tokens + number)
        engine.synchronize()
        report(_WARM + (1 - _WARM) * (number + 1) / options.tokens)


def _launch(token: PreparedToken, number: int, ranges: Ranges) -> None:
    if _has_own_range(token.plan):
        token.launch_noted(number, ranges)
        return
    ranges.push(range_of(token.plan))
    token.launch_noted(number, ranges)
    ranges.pop()


def _replay(captured: CapturedToken, token: PreparedToken, ranges: Ranges) -> None:
    ranges.push(range_of(token.plan))
    captured.replay()
    ranges.pop()


def _of_tokens(
    session: Session, engine: Engine, plan: StepPlan, options: RunOptions, name: str
) -> SuiteRecording:
    """The session's recording without what filled buffers and warmed up.

    It has what the manifest declares, and what the machine code says of what it does not.
    """
    figures = with_code_figures(plan, engine.runtime)
    whole = session.recording
    assert whole is not None, "a session that was left without an error has its recording"
    troubles = session.troubles
    found = TokenOptions(token_range=re.escape(range_of(plan)))
    if session.instrument != CuptiInstrument.name:
        # Events see wrapped launches alone: those of the tokens.
        found = TokenOptions(token_count=options.tokens)
    try:
        kept = select(whole, found, Selection(max_tokens=options.tokens))
    except (InputError, NotMeasuredError) as error:
        kept, troubles = whole, (*troubles, f"fillings and warm-up are in the recording: {error}")
    metadata = replace(
        kept.metadata,
        source_name=name,
        environment={**kept.metadata.environment, **described(plan, options)},
        # Not those of `select`: that the tokens alone are kept is what was asked for.
        warnings=(*whole.metadata.warnings, *figures.warnings),
    )
    kept = replace(kept, metadata=metadata)
    recording = with_declared(kept, figures.plan, splits_from_sources(plan))
    return SuiteRecording(recording=recording, troubles=troubles)


def _calibrated(done: SuiteRecording, session: Session, engine: Engine) -> SuiteRecording:
    """With what the device does at best, measured behind the tokens and in a session of its own.

    What cannot be measured is a warning: the tokens are recorded whatever becomes of it.
    """
    if session.instrument != CuptiInstrument.name:
        return done
    metadata = done.recording.metadata
    try:
        metadata = replace(metadata, calibrations=(measure(lambda: engine.runtime),))
    except NotMeasuredError as error:
        told = f"the floors of this device were not measured: {error}"
        metadata = replace(metadata, warnings=(*metadata.warnings, told))
    return replace(done, recording=replace(done.recording, metadata=metadata))


def _confirmed(
    engine: Engine, plan: StepPlan, done: SuiteRecording, options: RunOptions, report: Progress
) -> SuiteRecording:
    """The recording with its interventions, or with why there are none: it is kept either way."""
    try:
        recording = with_interventions(
            engine, plan, done.recording, options.confirm or ConfirmOptions(), report
        )
    except GeoauditError as error:
        return replace(done, troubles=(*done.troubles, f"--confirm: nothing was repeated: {error}"))
    return replace(done, recording=recording)


def _shared(report: Progress, options: RunOptions) -> tuple[Progress, Progress]:
    """The progress of the run, and of what follows it; together they grow from 0 to 1."""
    part = 1.0 if options.confirm is None else _RECORDED
    return (
        lambda share: report(part * share),
        lambda share: report(part + (1 - part) * share),
    )


def _assignments(values: Mapping[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in values.items())


@contextmanager
def _as_troubles() -> Iterator[None]:
    """The session's troubles are told with the recording, and not as Python's warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteRecordingWarning)
        yield


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage is collected meanwhile: a collector's pause would be a gap in a token."""
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _tell_nobody(share: float) -> None:
    """No progress is shown."""
