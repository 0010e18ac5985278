"""Running a manifest: what `geoaudit scan` does without an argument, and with a MANIFEST.toml."""

import gc
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.counters import CounterChoices, add_counters
from geoaudit.cli.paths import DEFAULT_SCAN
from geoaudit.cli.saving import save, say
from geoaudit.cli.suite_options import SuiteChoices
from geoaudit.errors import EXIT_CLEAN, EXIT_NOT_MEASURED, GeoauditError, NotMeasuredError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from geoaudit.launches.recording import Recording, TokenOptions
    from geoaudit.manifest.model import Manifest
    from geoaudit.manifest.planned import StepPlan
    from geoaudit.manifest.settings import ArmListing, Settings
    from geoaudit.recording.selection import Selection
    from geoaudit.recording.suite.interventions import ConfirmOptions
    from geoaudit.recording.suite.suite_run import SuiteRecording

WIDTH = 96


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


def scan_suite(
    file: Path | None,
    choices: SuiteChoices,
    kept: KeptPart,
    counting: CounterChoices | None = None,
) -> int:
    """Run a manifest, or replay the capture where the suite cannot run; the exit code.

    Args:
        file: a manifest; None: the suite that ships with geoaudit.
        choices: how it is run.
        kept: what is kept of it.
        counting: how counters are read afterwards; None: not at all.

    Raises:
        InputError: the manifest or a choice cannot be used.
        NotMeasuredError: it cannot be run here.
    """
    from geoaudit.recording.selection import select

    if choices.list_arms:
        ready_suite(file, choices)  # a wrong name beside it is told, not passed over
        for line in arm_lines(read_suite(file)):
            click.echo(line)
        return EXIT_CLEAN
    is_bare = file is None and not choices.options_given and counting is None
    if is_bare and _is_replay():
        save([select(replayed(), kept.options, kept.selection)], kept.output)
        return EXIT_CLEAN
    suite = ready_suite(file, choices)
    require_device(suite, choices)
    recording, code = _run_and_save(suite, choices, kept)
    if counting is not None:
        # The device memory of the recorded run is needed for the next.
        gc.collect()
        add_counters([recording], kept.output, _unrecorded_command(suite, choices), counting)
    return code


def _run_and_save(
    suite: ReadySuite, choices: SuiteChoices, kept: KeptPart
) -> "tuple[Recording, int]":
    """Run a manifest and save what is kept of it; that, and the exit code."""
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
    return recording, EXIT_NOT_MEASURED if run.troubles else EXIT_CLEAN


def _unrecorded_command(suite: ReadySuite, choices: SuiteChoices) -> list[str]:
    """What launches the same token in a process of its own."""
    from geoaudit.cli.shipped import shipped_manifest
    from geoaudit.recording.suite.unrecorded import UnrecordedRun

    run = UnrecordedRun(
        manifest=str((suite.file or shipped_manifest()).resolve()),
        step=suite.plan.step,
        arms=choices.arms,
        assignments=choices.assignments,
        all_arms=choices.all_arms,
    )
    return run.command


def replayed() -> "Recording":
    """The capture that ships with geoaudit, marked as replayed."""
    from geoaudit.cli.shipped import shipped_capture
    from geoaudit.launches.store import read_recording

    shipped = read_recording(shipped_capture())
    return replace(shipped, metadata=replace(shipped.metadata, replayed=True))


def _is_replay() -> bool:
    """Whether the suite cannot run here, and nobody asked for an arm."""
    from geoaudit.recording.suite.presence import has_device

    if has_device():
        return False
    return not ready_suite(None, SuiteChoices()).settings.arms_on


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

    manifest = read_suite(file)
    settings = resolve_settings(
        manifest,
        assignments=choices.assignments,
        arms=choices.arms,
        all_arms=choices.all_arms,
        environment=os.environ,
    )
    worked_out = plan(manifest, settings, choices.step)
    if not choices.all_arms:
        _refuse_idle_arms(manifest, settings, worked_out)
    return ReadySuite(manifest=manifest, settings=settings, plan=worked_out, file=file)


def _refuse_idle_arms(manifest: "Manifest", settings: "Settings", worked_out: "StepPlan") -> None:
    """An arm that changes no launch would be recorded, and reported, as one that wins nothing.

    Raises:
        NotMeasuredError: an arm that is on makes no difference to this step.
    """
    from geoaudit.manifest.plan import plan

    for arm in settings.arms_on:
        without = replace(settings, arms={**settings.arms, arm: 0})
        if plan(manifest, without, worked_out.step).launches == worked_out.launches:
            raise NotMeasuredError(
                f"the arm {arm} changes no launch of the step {worked_out.step} with these "
                "settings: nothing would be measured. Name another step (--step) or leave it out."
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
    on = " ".join(f"{VARIABLE_PREFIX}{name}={n}" for name, n in suite.settings.arms_on.items())
    what = str(suite.file or " ".join(choices.options_given) or on or "--counters")
    launches = plural(len(suite.plan.launches), "launch", "launches")
    raise NotMeasuredError(
        f"{what}: this needs a CUDA device, and none was found. Nothing is wrong with the "
        f"settings as far as can be told without one: a token is {launches}, in "
        f"{byte_count(suite.plan.device_bytes)} of device memory."
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


def arm_lines(manifest: "Manifest") -> list[str]:
    """The text of ``--list-arms``."""
    from geoaudit.manifest.settings import list_arms, restore_set

    listed = list_arms(manifest)
    if not listed:
        return [f"{manifest.name}: no arms"]
    lines = [f"{manifest.name}: {len(listed)} arms", ""]
    for one in listed:
        lines += [*_arm_text(one), ""]
    restore = click.wrap_text(restore_set(manifest), WIDTH, "  ", "  ")
    return [*lines, "the baseline, whatever the environment says:", *restore.splitlines()]


def _arm_text(listing: "ArmListing") -> "Iterator[str]":
    arm = listing.arm
    title = f"{arm.name}  {arm.arm_class}"
    yield title if arm.in_all else f"{title}, not one of --all-arms"
    details = [arm.reason]
    if arm.inert:
        details.append(f"changes nothing {arm.inert}.")
    if len(arm.values) > 1:
        details.append(f"values {', '.join(map(str, arm.values))}; {arm.values[0]} by itself.")
    if arm.excludes:
        details.append(f"never with {', '.join(sorted(arm.excludes))}.")
    details.append(f"kernels: {', '.join(listing.kernels)}")
    for text in details:
        yield from click.wrap_text(text, WIDTH, "  ", "  ").splitlines()
