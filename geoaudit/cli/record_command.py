"""Recording a command: what `geoaudit scan -- COMMAND` does."""

import math
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.progress_line import SavingSignals, progress_line
from geoaudit.cli.record_options import HELP_SECTIONS, RecordChoices
from geoaudit.errors import NotMeasuredError
from geoaudit.recording.checks.variables import NVTX_INJECTION

if TYPE_CHECKING:
    from geoaudit.launches.recording import Recording
    from geoaudit.recording.control import ControlRuns, TracingTax
    from geoaudit.recording.processes import Processes
    from geoaudit.recording.runner import Recorded

_INTERPRETER = re.compile(r"(python|pypy)[\d.]*|(ba|da|z)?sh|node|perl|ruby")
_SHORT_NAME = 60
RECORDER_PERIOD_S = 0.5
"""Steps in which the recorder counts time: its flushes."""


class ScanCommand(click.Command):
    """A command whose arguments after ``--`` are another command, kept apart from its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before ``--``; keep the rest for `command_of`."""
        if "--" in args:
            place = args.index("--")
            ctx.meta["geoaudit.command"] = args[place + 1 :]
            args = args[:place]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """The pieces of the usage line, the command to record among them."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND...]"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups; those of no group come last, as ``Options``."""
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in HELP_SECTIONS}
        title_of = {name: title for title, names in HELP_SECTIONS.items() for name in names}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                title = title_of.get(parameter.name or "", "Options")
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def command_of(ctx: click.Context) -> list[str] | None:
    """The command after ``--``, or None where there is no ``--``."""
    return ctx.meta.get("geoaudit.command")


@dataclass(frozen=True, kw_only=True)
class RecordedCommand:
    """What came of a command.

    Attributes:
        processes: its recordings.
        exit_code: the command's, or that of a signal that stopped the runs of a control.
        lines: what the control measured.
    """

    processes: "Processes"
    exit_code: int
    lines: tuple[str, ...] = ()


def record_processes(
    command: Sequence[str], output: Path, choices: RecordChoices, saving: SavingSignals
) -> RecordedCommand:
    """Run a command recorded; its processes, and its exit code.

    Args:
        command: program and arguments.
        output: where the recording will go.
        choices: how it is recorded.
        saving: what handles signals from the command's end on.

    Raises:
        InputError: it cannot be started.
        NotMeasuredError: nothing could be recorded.
    """
    from geoaudit.recording.runner import run_recorded

    if choices.control is not None:
        return _controlled(command, output, choices, choices.control, saving)
    with progress_line(choices.progress) as watch:
        recorded = run_recorded(
            command,
            beside=output.resolve(),
            options=choices.recorder_options,
            watch=watch,
            afterwards=saving.answer,
        )
    processes = _read(recorded, command, choices)
    return RecordedCommand(processes=processes, exit_code=recorded.exit_code)


def _controlled(
    command: Sequence[str],
    output: Path,
    choices: RecordChoices,
    pairs: int,
    saving: SavingSignals,
) -> RecordedCommand:
    from geoaudit.launches import schema as s
    from geoaudit.recording.control import run_interleaved, schedule, tracing_tax
    from geoaudit.recording.runner import require_folder, run_bare, run_recorded

    require_folder(output.resolve())
    runs = run_interleaved(
        pairs,
        lambda: run_bare(command),
        lambda: run_recorded(command, beside=output.resolve(), options=choices.recorder_options),
    )
    saving.take()
    code = runs.exit_code or (0 if runs.stopped_by is None else 128 + runs.stopped_by)
    if runs.last is None:
        click.echo("geoaudit: nothing was recorded: the first bare run did not end well", err=True)
        click.get_current_context().exit(code)
    processes = _read(runs.last, command, choices)
    if len(runs.runs) < len(schedule(pairs)):
        return RecordedCommand(
            processes=processes, exit_code=code, lines=(_unfinished(runs, pairs),)
        )
    launches = sum(
        int((recording.launches[s.KIND] == s.KIND_KERNEL).sum())
        for recording in processes.recordings
    )
    lines = tax_lines(tracing_tax(runs.runs, launches))
    return RecordedCommand(processes=processes, exit_code=code, lines=lines)


def _unfinished(runs: "ControlRuns", pairs: int) -> str:
    why = "was stopped" if runs.stopped_by is not None else "failed"
    return f"control: run {len(runs.runs) + 1} of {2 * pairs} {why}; no tracing tax is known"


def tax_lines(tax: "TracingTax") -> tuple[str, ...]:
    """What recording costs, for a reader: wall times of both ways, and their difference."""
    from geoaudit.quantities import duration, plural

    def signed(nanoseconds: float) -> str:
        return f"{'-' if nanoseconds < 0 else '+'}{duration(abs(nanoseconds))}"

    def times(name: str, walls_ns: tuple[int, ...]) -> str:
        return f"  {name:<9}{', '.join(duration(wall_ns) for wall_ns in walls_ns)}"

    lowest, highest = min(tax.differences_ns), max(tax.differences_ns)
    spread = f", pairs from {signed(lowest)} to {signed(highest)}"
    per_launch = tax.per_launch_ns
    launched = plural(tax.launches, "kernel launch", "kernel launches")
    each = (
        ""
        if per_launch is None
        else f"; {signed(per_launch)} for each of {launched}, start-up included"
    )
    unclear = lowest <= 0 <= highest and len(tax.differences_ns) > 1
    return (
        f"control: {plural(len(tax.bare_ns), 'run')} each way, in turns, wall time",
        times("bare", tax.bare_ns),
        times("recorded", tax.recorded_ns),
        f"tracing tax: {signed(tax.median_ns)} = {tax.fraction:+.1%}, the middle difference"
        f"{spread if len(tax.differences_ns) > 1 else ''}{each}",
        *(("  the pairs differ in sign: no tax can be told from chance",) if unclear else ()),
    )


def _read(recorded: "Recorded", command: Sequence[str], choices: RecordChoices) -> "Processes":
    from geoaudit.recording.calibration.stored import with_stored_calibrations
    from geoaudit.recording.checks.slot import tools_around
    from geoaudit.recording.processes import read_processes

    try:
        processes = read_processes(
            recorded.streams,
            program_name(command),
            yields=choices.yields,
            running=recorded.running,
        )
    except NotMeasuredError as error:
        why = " ".join([str(error), *tools_around(os.environ)])
        if recorded.exit_code:
            click.echo(f"geoaudit: {why}", err=True)
            click.get_current_context().exit(recorded.exit_code)
        raise NotMeasuredError(why) from error
    finally:
        shutil.rmtree(recorded.folder, ignore_errors=True)
    told = tuple(_warnings(choices))
    recordings = tuple(
        with_stored_calibrations(_with_warnings(recording, told))
        for recording in processes.recordings
    )
    return replace(processes, recordings=recordings)


def _warnings(choices: RecordChoices) -> Iterator[str]:
    if choices.yields:
        yield (
            "recorded with --yield: launches were not counted, and launches made under a profiler "
            "of the program's own are missing"
        )
    if choices.duration_s is not None:
        recorded_s = math.ceil(choices.duration_s / RECORDER_PERIOD_S) * RECORDER_PERIOD_S
        yield (
            f"only the first {recorded_s:g} s after each process began to use CUDA are recorded "
            f"(--duration {choices.duration_s:g})"
        )
    listener = os.environ.get(NVTX_INJECTION)
    if listener:
        yield f"{NVTX_INJECTION} named {listener}: the command's ranges went to geoaudit instead"


def _with_warnings(recording: "Recording", told: tuple[str, ...]) -> "Recording":
    metadata = recording.metadata
    return replace(recording, metadata=replace(metadata, warnings=(*metadata.warnings, *told)))


def program_name(command: Sequence[str]) -> str:
    """What a command is called in reports: its program, or the script that it interprets.

    Folders and arguments are left out: they say more of the machine than of the program.
    """
    name = Path(command[0]).name
    if not _INTERPRETER.fullmatch(name):
        return name[:_SHORT_NAME]
    for place, argument in enumerate(command[1:], start=1):
        if argument == "-m" and place + 1 < len(command):
            return f"{name} -m {command[place + 1]}"[:_SHORT_NAME]
        if argument == "-c":
            return name
        if not argument.startswith("-"):
            return f"{name} {Path(argument).name}"[:_SHORT_NAME]
    return name
