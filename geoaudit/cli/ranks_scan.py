"""Running a manifest on several ranks: what `geoaudit scan --ranks N` does."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from geoaudit.cli.counters import CounterChoices
from geoaudit.cli.progress_line import SavingSignals, progress_line
from geoaudit.cli.ready_suite import ReadySuite, described_run
from geoaudit.cli.saving import save, say
from geoaudit.cli.suite_options import SuiteChoices
from geoaudit.errors import EXIT_CLEAN, EXIT_NOT_MEASURED, GeoauditError, NotMeasuredError

if TYPE_CHECKING:
    from geoaudit.cli.suite_scan import KeptPart
    from geoaudit.recording.suite.ranks.group_run import GroupRun
    from geoaudit.recording.suite.ranks.recorded import GroupRecording

RANKS_NEXT = "then: --by rank sets the ranks side by side"


def refuse_with_ranks(choices: SuiteChoices, counting: CounterChoices | None) -> None:
    """Refuse what launches a kernel of one rank alone: a sum would wait for the others for ever.

    Raises:
        click.UsageError: names the option.
    """
    given = {"--confirm": choices.confirm, "--counters": counting is not None}
    for option in (option for option, is_given in given.items() if is_given):
        raise click.UsageError(
            f"{option} repeats kernels of one rank alone, and --ranks runs several that wait for "
            f"each other: use {option} with --set tp={choices.ranks}, which runs one of them."
        )


def require_devices(suite: ReadySuite, ranks: int) -> None:
    """Refuse ranks that sum on fewer devices: NCCL wants one for each.

    Raises:
        NotMeasuredError: there are fewer.
    """
    from geoaudit.recording.suite.presence import device_count

    devices = device_count()
    if devices < ranks and suite.plan.all_reduces:
        symbol = suite.manifest.ranks_symbol
        alone = f": --set {symbol}={ranks}" if symbol else ""
        raise NotMeasuredError(
            f"--ranks {ranks} needs {ranks} CUDA devices, one for each rank, and {devices} "
            f"{'is' if devices == 1 else 'are'} visible (CUDA_VISIBLE_DEVICES). Leave --ranks out "
            f"to run one rank of them, without what it sums with the others{alone}."
        )


def scan_ranks(suite: ReadySuite, choices: SuiteChoices, kept: "KeptPart") -> int:
    """Run a manifest on several ranks and save what is kept of each; the exit code.

    Raises:
        InputError: a graph cannot repeat the plan.
        NotMeasuredError: CuPy or NCCL is missing, a device cannot run it, or nothing was recorded.
    """
    from geoaudit.recording.suite.captured_token import refuse_changing_scalars
    from geoaudit.recording.suite.ranks.recorded import record_group
    from geoaudit.recording.suite.runtime import import_cupy

    import_cupy()
    if choices.graph:
        refuse_changing_scalars(suite.plan)
    saving = SavingSignals()
    with saving.handled_until_saved(), progress_line(None) as watch:
        group = record_group(
            suite.manifest.name,
            suite.plan,
            _group_run(suite, choices),
            beside=kept.output.resolve(),
            watch=watch,
            afterwards=saving.answer,
        )
        troubles = _save(group, kept, suite, choices)
    stopped_by = saving.ended_by or group.stopped_by
    if stopped_by is not None:
        return 128 + stopped_by
    return EXIT_NOT_MEASURED if troubles else EXIT_CLEAN


def _group_run(suite: ReadySuite, choices: SuiteChoices) -> "GroupRun":
    from geoaudit.recording.suite.ranks.group_run import GroupRun
    from geoaudit.recording.suite.suite_run import DEFAULT_TOKENS, WARM_UP_TOKENS

    assert choices.ranks is not None, "a run of one rank has no group"
    return GroupRun(
        run=described_run(suite, choices),
        ranks=choices.ranks,
        tokens=choices.tokens or DEFAULT_TOKENS,
        warm_up_tokens=WARM_UP_TOKENS,
        is_graph=choices.graph,
    )


def _save(
    group: "GroupRecording", kept: "KeptPart", suite: ReadySuite, choices: SuiteChoices
) -> tuple[str, ...]:
    """Save what is kept of the ranks; what is wrong with it, which is said."""
    from geoaudit.cli.suite_scan import settings_lines
    from geoaudit.recording.selection import select_processes

    lines = [f"{settings_lines(suite, choices)[0]} · {choices.ranks} ranks"]
    # How many tokens there are was said to the ranks, which ran so many.
    options = replace(kept.options, token_count=None)
    try:
        selected = select_processes(group.recordings, options, kept.selection)
    except GeoauditError as error:
        save(group.recordings, kept.output, lines)
        raise type(error)(f"{error} The recording is saved whole.") from error
    save(selected.recordings, kept.output, lines, [RANKS_NEXT])
    troubles = (*group.troubles, *selected.troubles)
    say([*selected.notes, *troubles])
    return troubles
