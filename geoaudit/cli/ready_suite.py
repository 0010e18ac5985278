"""A manifest with the settings of a run, and what of it is refused before it runs."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from geoaudit.cli.suite_options import SuiteChoices
from geoaudit.errors import NotMeasuredError

if TYPE_CHECKING:
    from geoaudit.manifest.model import Manifest
    from geoaudit.manifest.planned import StepPlan
    from geoaudit.manifest.settings import Settings
    from geoaudit.recording.suite.described_run import DescribedRun


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
        assignments=assignments_of(manifest, choices),
        arms=choices.arms,
        all_arms=choices.all_arms,
        environment=os.environ,
    )
    worked_out = plan(manifest, settings, choices.step)
    check_tokens(worked_out, WARM_UP_TOKENS + (choices.tokens or DEFAULT_TOKENS))
    return ReadySuite(manifest=manifest, settings=settings, plan=worked_out, file=file)


def assignments_of(manifest: "Manifest", choices: SuiteChoices) -> tuple[str, ...]:
    """The symbols that have another value: those that were given, and the number of ranks."""
    symbol = manifest.ranks_symbol
    given = {one.partition("=")[0].strip() for one in choices.assignments}
    if choices.ranks is None or symbol is None or symbol in given:
        return choices.assignments
    return (f"{symbol}={choices.ranks}", *choices.assignments)


def described_run(suite: ReadySuite, choices: SuiteChoices) -> "DescribedRun":
    """The same for a process of its own."""
    from geoaudit.cli.shipped import shipped_manifest
    from geoaudit.recording.suite.described_run import DescribedRun

    return DescribedRun(
        manifest=str((suite.file or shipped_manifest()).resolve()),
        step=suite.plan.step,
        arms=choices.arms,
        assignments=assignments_of(suite.manifest, choices),
        all_arms=choices.all_arms,
    )


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


def require_device(suite: ReadySuite, asked: list[str]) -> None:
    """Refuse to go on without a CUDA device: a replay would not be what was asked for.

    Args:
        suite: what is to be run.
        asked: the options that ask for it.

    Raises:
        NotMeasuredError: there is none.
    """
    from geoaudit.manifest.settings import VARIABLE_PREFIX
    from geoaudit.quantities import byte_count, plural
    from geoaudit.recording.suite.presence import has_device

    if has_device():
        return
    on = [f"{VARIABLE_PREFIX}{name}={n}" for name, n in suite.settings.arms_on.items()]
    what = suite.file or f"a run with {' and '.join(asked or on)}"
    launches = plural(len(suite.plan.launches), "launch", "launches")
    raise NotMeasuredError(
        f"{what} needs a CUDA device, and none was found. Nothing is wrong with the settings as "
        f"far as can be told without one: a token is {launches}, in "
        f"{byte_count(suite.plan.device_bytes)} of device memory, and --plan shows them."
    )
