"""Running a manifest: what `geoaudit scan` does without an argument, and with a MANIFEST.toml."""

import gc
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.counters import CounterChoices, add_counters
from geoaudit.cli.paths import DEFAULT_SCAN
from geoaudit.cli.ranks_scan import refuse_with_ranks, require_devices, scan_ranks
from geoaudit.cli.ready_suite import (
    ReadySuite,
    described_run,
    ready_suite,
    refuse_idle_arms,
    require_device,
)
from geoaudit.cli.saving import save, say
from geoaudit.cli.suite_options import SuiteChoices
from geoaudit.errors import EXIT_CLEAN, EXIT_NOT_MEASURED, GeoauditError

if TYPE_CHECKING:
    from geoaudit.launches.recording import Recording, TokenOptions
    from geoaudit.recording.selection import Selection
    from geoaudit.recording.suite.interventions import ConfirmOptions
    from geoaudit.recording.suite.suite_run import SuiteRecording


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
    from geoaudit.manifest.settings import unknown_variables
    from geoaudit.recording.selection import select

    if choices.ranks is not None:
        refuse_with_ranks(choices, counting)
    suite = ready_suite(file, choices)
    say(unknown_variables(suite.manifest, os.environ))
    if choices.only_prints:
        for line in _printed(suite, choices):
            click.echo(line)
        return EXIT_CLEAN
    if not choices.all_arms:
        refuse_idle_arms(suite)
    asked = _asked(choices, counting)
    if _is_replay(suite, asked):
        save([select(replayed(), kept.options, kept.selection)], kept.output)
        return EXIT_CLEAN
    require_device(suite, asked)
    if choices.ranks is not None:
        require_devices(suite, choices.ranks)
        return scan_ranks(suite, choices, kept)
    return _scan_one(suite, choices, kept, counting)


def _scan_one(
    suite: ReadySuite, choices: SuiteChoices, kept: KeptPart, counting: CounterChoices | None
) -> int:
    """Run a manifest as one rank, save what is kept and read the counters; the exit code."""
    from geoaudit.recording.suite.unrecorded import command_of

    recording, code = _run_and_save(suite, choices, kept)
    if counting is not None:
        # The device memory of the recorded run is needed for the next.
        gc.collect()
        unrecorded = command_of(described_run(suite, choices))
        add_counters([recording], kept.output, unrecorded, counting)
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


def _is_replay(suite: ReadySuite, asked: list[str]) -> bool:
    """Whether the suite cannot run here, and nobody asked for more than its baseline."""
    from geoaudit.recording.suite.presence import has_device

    if suite.file is not None or suite.settings.arms_on or has_device():
        return False
    # An arm that is named and off changes nothing.
    return set(asked) <= {"--arm"}


def _asked(choices: SuiteChoices, counting: CounterChoices | None) -> list[str]:
    """The options that ask for a run of their own."""
    others = {"--tokens": choices.tokens, "--counters": counting}
    given = [option for option, value in others.items() if value is not None]
    return [*choices.options_given, *given]


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
