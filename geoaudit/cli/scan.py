"""`geoaudit scan`: a recording from a profile someone has, or from what ships with geoaudit."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geoaudit.cli.paths import DEFAULT_SCAN
from geoaudit.cli.progress_line import SavingSignals
from geoaudit.cli.record_command import (
    RecordedCommand,
    ScanCommand,
    command_of,
    record_processes,
)
from geoaudit.cli.record_options import (
    record_choices_of,
    record_options,
    refuse_options_without_command,
    selection_of,
)
from geoaudit.cli.token_options import token_options, token_options_of
from geoaudit.errors import EXIT_CLEAN, EXIT_NOT_MEASURED, GeoauditError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geoaudit.launches.recording import Recording, TokenOptions
    from geoaudit.recording.selection import Selection

HELP = """Record a command, or turn a profile into a recording that `rank` and `report` read.

With `-- COMMAND` every kernel that the command and its children launch is recorded: C++, Rust or
Python, eager or in CUDA graphs. Its input and output are its own, and what geoaudit has to say goes
to standard error; its exit code is passed on, after what was recorded is saved. Ctrl-C and SIGTERM
reach the command, and what was recorded until then is saved; a second Ctrl-C kills it.

TRACE is one of five formats, found by the content. Several traces, one per rank, make one
recording.

\b
  PyTorch (Kineto)       export_chrome_trace(...), .json or .json.gz
  Nsight Systems         nsys export --type sqlite
  Nsight Systems, CSV    nsys stats --report cuda_gpu_trace --format csv
  Nsight Compute, CSV    ncu --csv --page raw, or --page details
  rocprofv3, CSV         rocprofv3 --kernel-trace --output-format csv

With neither, the decode capture that ships with geoaudit is replayed: real kernels, recorded on an
H200, and marked as replayed, so that no gate accepts it.

\b
Examples:
  geoaudit scan -- ./engine --prompt hello         record a command
  geoaudit scan -- ./engine | jq .text             its output stays its own
  geoaudit scan --duration 10 -- ./serve           its first ten seconds of CUDA
  geoaudit scan --range generate -- python run.py  only what is launched in an NVTX range
  geoaudit scan --token-range decode --skip-tokens 3 --max-tokens 20 -- python run.py
  geoaudit scan --control 5 -- ./engine            and what recording costs
  geoaudit scan                                    replay the shipped capture
  geoaudit scan trace.json.gz && geoaudit rank     audit a PyTorch profile
  geoaudit scan rank*.json.gz -o run.parquet       all ranks of a run
  geoaudit scan trace.json.gz --token-range 'ProfilerStep#\\d+'
"""


@click.command(cls=ScanCommand, help=HELP)
@click.argument("traces", nargs=-1, type=click.Path(path_type=Path), metavar="[TRACE]...")
@click.option(
    "-o",
    "--output-file",
    "output",
    type=click.Path(path_type=Path),
    default=DEFAULT_SCAN,
    show_default=True,
    help="Where the recording goes; what is there is replaced in one step.",
)
@click.option(
    "--allow-partial",
    is_flag=True,
    help="Read what is complete of a cut file; the recording is marked PARTIAL.",
)
@record_options
@token_options
@click.pass_context
def scan(
    ctx: click.Context,
    /,
    traces: tuple[Path, ...],
    output: Path,
    allow_partial: bool,
    **values: Any,
) -> None:
    """Write a recording; what a user reads of it is `HELP`."""
    from geoaudit.launches.store import refuse_other_files
    from geoaudit.recording.selection import select

    refuse_other_files(output)
    options = token_options_of(values["token_range"], values["token_kernel"], values["tokens"])
    selection = selection_of(values)
    command = command_of(ctx)
    if command is None:
        refuse_options_without_command(values)
        read = _read(traces, allow_partial) if traces else [_replayed()]
        _save([select(recording, options, selection) for recording in read], output)
        return
    if not command or traces or allow_partial:
        raise click.UsageError("give a COMMAND after --, and no TRACE or --allow-partial before it")
    saving = SavingSignals()
    with saving.handled_until_saved():
        recorded = record_processes(command, output, record_choices_of(values), saving)
        code = _save_recorded(recorded, output, options, selection)
    ctx.exit(code if saving.ended_by is None else 128 + saving.ended_by)


def _save_recorded(
    recorded: RecordedCommand, output: Path, options: "TokenOptions", selection: "Selection"
) -> int:
    """Save what was recorded of a command; the exit code.

    Standard output is the command's: all that is said goes to standard error.

    Raises:
        GeoauditError: there is nothing of what was to be kept; the recording is saved whole.
    """
    from geoaudit.recording.selection import select_processes

    recordings = recorded.processes.recordings
    try:
        selected = select_processes(recordings, options, selection)
    except GeoauditError as error:
        _save(recordings, output, err=True)
        _say([*recorded.processes.troubles, *recorded.lines])
        whole = f"{error} The recording is saved whole."
        if not recorded.exit_code:
            raise type(error)(whole) from error
        _say([whole])
        return recorded.exit_code
    _save(selected.recordings, output, err=True)
    troubles = [*recorded.processes.troubles, *selected.troubles]
    _say([*selected.notes, *troubles, *recorded.lines])
    return recorded.exit_code or (EXIT_NOT_MEASURED if troubles else EXIT_CLEAN)


def _say(lines: "Sequence[str]") -> None:
    from geoaudit.render.names import visible

    _tell([f"geoaudit: {visible(line)}" for line in lines])


def _tell(lines: "Sequence[str]") -> None:
    # A terminal that is gone, or a full disk behind standard error, changes no exit code.
    with suppress(OSError):
        for line in lines:
            click.echo(line, err=True)


def _save(recordings: "Sequence[Recording]", output: Path, *, err: bool = False) -> None:
    _write(recordings, output)
    if err:
        _tell(_summary(recordings, output))
        return
    for line in _summary(recordings, output):
        click.echo(line)


def _read(traces: tuple[Path, ...], allow_partial: bool) -> list["Recording"]:
    from geoaudit.cli.progress import progress_bar
    from geoaudit.sources.registry import ReadOptions
    from geoaudit.sources.sniff import read_profile

    files = [trace.resolve() for trace in traces]
    for trace, file in zip(traces, files, strict=True):
        if files.count(file) > 1:
            raise InputError(f"{trace} is given twice: each trace is one rank. Name it once.")
    recordings = []
    for trace in traces:
        with progress_bar(trace.name) as progress:
            read = read_profile(trace, ReadOptions(allow_partial=allow_partial, progress=progress))
        recordings.append(read)
    return recordings


def _replayed() -> "Recording":
    from dataclasses import replace

    from geoaudit.cli.shipped import shipped_capture
    from geoaudit.launches.store import read_recording

    shipped = read_recording(shipped_capture())
    return replace(shipped, metadata=replace(shipped.metadata, replayed=True))


def _write(recordings: "Sequence[Recording]", output: Path) -> None:
    from geoaudit.launches.store import write_dataset, write_recording

    if len(recordings) == 1:
        write_recording(recordings[0], output)
    else:
        write_dataset(recordings, output)


def _summary(recordings: "Sequence[Recording]", output: Path) -> list[str]:
    from geoaudit.render.names import visible

    lines = [line for recording in recordings for line in _recording_lines(recording)]
    shown = "" if output == DEFAULT_SCAN else f" {output}"
    return [visible(line) for line in (*lines, f"wrote {output}", f"next: geoaudit rank{shown}")]


def _recording_lines(recording: "Recording") -> list[str]:
    from geoaudit.launches import schema as s
    from geoaudit.render.numbers import plural

    metadata, launches = recording.metadata, recording.launches
    kernels = int((launches[s.KIND] == s.KIND_KERNEL).sum())
    tokens = int(launches[s.TOKEN].nunique())
    names = sorted({device.name or "unknown device" for device in metadata.devices})
    devices = ", ".join(names) or "unknown device"
    launched = plural(kernels, "kernel launch", "kernel launches")
    parts = [
        f"{metadata.source_name}: {launched} on {devices}",
        plural(tokens, "token") if tokens else "no tokens found",
    ]
    if metadata.untimed:
        parts.append(f"{metadata.untimed:,} untimed")
    if metadata.partial:
        parts.append("PARTIAL")
    replay = (
        f"REPLAYED: recorded on {devices} on {metadata.recorded_on}; no kernel ran on this machine"
    )
    warnings = [f"warning: {warning}" for warning in metadata.warnings]
    return [*([replay] if metadata.replayed else []), ", ".join(parts), *warnings]
