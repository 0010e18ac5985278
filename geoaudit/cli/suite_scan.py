"""Running a manifest: what `geoaudit scan` does without an argument, and with a MANIFEST.toml."""

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.paths import DEFAULT_SCAN
from geoaudit.cli.saving import save, say
from geoaudit.cli.suite_options import SuiteChoices
from geoaudit.errors import EXIT_CLEAN, EXIT_NOT_MEASURED, GeoauditError, NotMeasuredError

if TYPE_CHECKING:
    from geoaudit.launches.recording import Recording, TokenOptions
    from geoaudit.manifest.model import Manifest
    from geoaudit.manifest.planned import StepPlan
    from geoaudit.manifest.settings import Settings
    from geoaudit.recording.selection import Selection
    from geoaudit.recording.suite.interventions import ConfirmOptions
    from geoaudit.recording.suite.suite_run import SuiteRecording


@dataclass(frozen=True, kw_only=True)
class ReadySuite:
    """A manifest with the settings of a run, worked out.

    Attributes:
        manifest: what was read.
        settings: arms and symbols.
        plan: one token.
        file: where it was read from; None: the suite that ships with geoaudit.
    """

    manifest: "Manifest"
    settings: "Settings"
    plan: "StepPlan"
    file: Path | None


@dataclass(frozen=True, kw_only=True)
class KeptPart:
    """What is kept of a recording, and where.

    Attributes:
        output: the recording's path.
        options: how tokens are found.
        selection: which launches are kept.
    """

    output: Path
    options: "TokenOptions"
    selection: "Selection"


def scan_suite(file: Path | None, choices: SuiteChoices, kept: KeptPart) -> int:
    """Run a manifest, or replay the capture where the suite cannot run; the exit code.

    Args:
        file: a manifest; None: the suite that ships with geoaudit.
        choices: how it is run.
        kept: what is kept of it.

    Raises:
        InputError: the manifest or a choice cannot be used.
        NotMeasuredError: it cannot be run here.
    """
    from geoaudit.manifest.settings import unknown_variables
    from geoaudit.recording.selection import select

    suite = ready_suite(file, choices)
    say(unknown_variables(suite.manifest, os.environ))
    if choices.only_prints:
        for line in _printed(suite, choices):
            click.echo(line)
        return EXIT_CLEAN
    if not choices.all_arms:
        refuse_idle_arms(suite)
    if _is_replay(suite, choices):
        save([select(replayed(), kept.options, kept.selection)], kept.output)
        return EXIT_CLEAN
    require_device(suite, choices)
    return _run_and_save(suite, choices, kept)


def _run_and_save(suite: ReadySuite, choices: SuiteChoices, kept: KeptPart) -> int:
    """Run a manifest and save what is kept of it; the exit code."""
    from geoaudit.recording.selection import select
    from geoaudit.render.interventions import intervention_lines

    run = run_suite(suite, choices)
    # How many tokens there are was said to the suite, which ran so many.
    options = replace(kept.options, token_count=None)
    found = intervention_lines(run.recording.metadata.interventions)
    lines = [*settings_lines(suite, choices), *found], next_lines(suite)
    try:
        recording = select(run.recording, options, kept.selection)
    except GeoauditError as error:
        save([run.recording], kept.output, *lines)
        raise type(error)(f"{error} The recording is saved whole.") from error
    save([recording], kept.output, *lines)
    say(run.troubles)
    return EXIT_NOT_MEASURED if run.troubles else EXIT_CLEAN


def _printed(suite: ReadySuite, choices: SuiteChoices) -> list[str]:
    """The lines of ``--list-arms`` or ``--plan``."""
    from geoaudit.cli.arm_list import arm_lines
    from geoaudit.cli.plan_view import plan_document, plan_lines
    from geoaudit.render.names import visible

    name, plan = suite.manifest.name, suite.plan
    if choices.plan_format == "json":
        return [json.dumps(plan_document(name, plan), indent=2)]
    lines = plan_lines(name, plan) if choices.plan else arm_lines(suite.manifest, suite.settings)
    return [visible(line) if line else "" for line in lines]


def replayed() -> "Recording":
    """The capture that ships with geoaudit, marked as replayed."""
    from geoaudit.cli.shipped import shipped_capture
    from geoaudit.launches.store import read_recording

    shipped = read_recording(shipped_capture())
    return replace(shipped, metadata=replace(shipped.metadata, replayed=True))


def _is_replay(suite: ReadySuite, choices: SuiteChoices) -> bool:
    """Whether the suite cannot run here, and nobody asked for more than its baseline."""
    from geoaudit.recording.suite.presence import has_device

    if suite.file is not None or suite.settings.arms_on or has_device():
        return False
    # An arm that is named and off changes nothing.
    return set(_asked(choices)) <= {"--arm"}


def _asked(choices: SuiteChoices) -> list[str]:
    """The options that ask for a run of their own."""
    return [*choices.options_given, *(["--tokens"] if choices.tokens is not None else [])]


def read_suite(file: Path | None) -> "Manifest":
    """The manifest of a file, or of the suite that ships with geoaudit.

    Raises:
        InputError: it cannot be read or used.
    """
    from geoaudit.cli.shipped import shipped_manifest
    from geoaudit.manifest.reading import read_manifest

    return read_manifest(shipped_manifest() if file is None else file)


def ready_suite(file: Path | None, choices: SuiteChoices) -> ReadySuite:
    """A manifest with arms, symbols and step as chosen.

    Raises:
        InputError: the manifest or a choice cannot be used.
    """
    from geoaudit.manifest.plan import plan
    from geoaudit.manifest.settings import resolve_settings
    from geoaudit.manifest.token_check import check_tokens
    from geoaudit.recording.suite.suite_run import DEFAULT_TOKENS, WARM_UP_TOKENS

    manifest = read_suite(file)
    settings = resolve_settings(
        manifest,
        assignments=choices.assignments,
        arms=choices.arms,
        all_arms=choices.all_arms,
        environment=os.environ,
    )
    worked_out = plan(manifest, settings, choices.step)
    check_tokens(worked_out, WARM_UP_TOKENS + (choices.tokens or DEFAULT_TOKENS))
    return ReadySuite(manifest=manifest, settings=settings, plan=worked_out, file=file)


def refuse_idle_arms(suite: ReadySuite) -> None:
    """An arm that changes no launch would be recorded, and reported, as one that wins nothing.

    Raises:
        NotMeasuredError: an arm that is on makes no difference to this step.
    """
    from geoaudit.manifest.arm_steps import idle_arms

    for arm in idle_arms(suite.manifest, suite.settings, suite.plan):
        raise NotMeasuredError(
            f"the arm {arm} changes no launch of the step {suite.plan.step} with these settings: "
            "nothing would be measured. Name another step (--step) or leave it out; --list-arms "
            "says which steps it changes."
        )


def require_device(suite: ReadySuite, choices: SuiteChoices) -> None:
    """Refuse to go on without a CUDA device: a replay would not be what was asked for.

    Raises:
        NotMeasuredError: there is none.
    """
    from geoaudit.manifest.settings import VARIABLE_PREFIX
    from geoaudit.quantities import byte_count, plural
    from geoaudit.recording.suite.presence import has_device

    if has_device():
        return
    on = [f"{VARIABLE_PREFIX}{name}={n}" for name, n in suite.settings.arms_on.items()]
    what = suite.file or f"a run with {' and '.join(_asked(choices) or on)}"
    launches = plural(len(suite.plan.launches), "launch", "launches")
    raise NotMeasuredError(
        f"{what} needs a CUDA device, and none was found. Nothing is wrong with the settings as "
        f"far as can be told without one: a token is {launches}, in "
        f"{byte_count(suite.plan.device_bytes)} of device memory, and --plan shows them."
    )


def run_suite(suite: ReadySuite, choices: SuiteChoices) -> "SuiteRecording":
    """Run a manifest on the CUDA device, recorded.

    Raises:
        InputError: a source, binary or choice cannot be used.
        NotMeasuredError: CuPy is missing, the device cannot run it, or nothing was recorded.
    """
    from geoaudit.cli.progress import progress_bar
    from geoaudit.recording.suite.runtime import CupyRuntime, import_cupy
    from geoaudit.recording.suite.suite_run import DEFAULT_TOKENS, RunOptions, record_plan

    # Before the session begins: it would report, besides, that nothing was recorded.
    import_cupy()
    options = RunOptions(
        tokens=choices.tokens or DEFAULT_TOKENS,
        is_graph=choices.graph,
        confirm=confirm_options(suite, choices),
    )
    with progress_bar(suite.manifest.name) as progress:
        return record_plan(suite.manifest.name, suite.plan, options, CupyRuntime, progress)


def confirm_options(suite: ReadySuite, choices: SuiteChoices) -> "ConfirmOptions | None":
    """What is repeated after a run; None: nothing."""
    from geoaudit.manifest.variants import reshaped_variants
    from geoaudit.recording.suite.interventions import ConfirmOptions

    if not choices.confirm:
        return None
    variants = reshaped_variants(suite.manifest, suite.settings, suite.plan)
    return ConfirmOptions(variants=variants.plans, notes=variants.refused)


def settings_lines(suite: ReadySuite, choices: SuiteChoices) -> list[str]:
    """What was run, and what to run next, for a reader of the summary."""
    on = suite.settings.arms_on
    arms = " ".join(f"{name}={value}" for name, value in on.items()) or "all off"
    mode = "one CUDA graph" if choices.graph else "eager"
    return [f"arms: {arms} · step {suite.plan.step} · {mode}"]


def next_lines(suite: ReadySuite) -> list[str]:
    """What to run after the audit."""
    if not suite.manifest.arms:
        return []
    again = "geoaudit scan" if suite.file is None else f"geoaudit scan {suite.file}"
    if suite.settings.arms_on:
        return [f"then: {again} runs the baseline; keep this recording with -o"]
    return [
        f"then: {again} --all-arms -o arms-{DEFAULT_SCAN} runs the same step reshaped; "
        "--list-arms says how"
    ]
