"""`geoaudit scan`: a recording from a profile someone has, or from what ships with geoaudit."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.paths import DEFAULT_SCAN
from geoaudit.cli.record_command import ScanCommand, command_of, record_processes
from geoaudit.cli.token_options import token_options, token_options_of
from geoaudit.errors import EXIT_CLEAN, EXIT_NOT_MEASURED, InputError

if TYPE_CHECKING:
    from geoaudit.launches.recording import Recording, TokenOptions


@click.command(cls=ScanCommand)
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
@click.option(
    "--yield",
    "yields",
    is_flag=True,
    help="Let a profiler inside COMMAND win: its records, not ours, where it starts.",
)
@token_options
@click.pass_context
def scan(
    ctx: click.Context,
    traces: tuple[Path, ...],
    output: Path,
    allow_partial: bool,
    yields: bool,
    token_range: str | None,
    token_kernel: str | None,
    tokens: int | None,
) -> None:
    """Record a command, or turn a profile into a recording that `rank` and `report` read.

    With `-- COMMAND` every kernel that the command and its children launch is recorded: C++, Rust
    or Python, eager or in CUDA graphs. Its exit code is passed on, after what was recorded is
    saved.

    TRACE is one of five formats, found by the content. Several traces, one per rank, make one
    recording.

    \b
      PyTorch (Kineto)       export_chrome_trace(...), .json or .json.gz
      Nsight Systems         nsys export --type sqlite
      Nsight Systems, CSV    nsys stats --report cuda_gpu_trace --format csv
      Nsight Compute, CSV    ncu --csv --page raw, or --page details
      rocprofv3, CSV         rocprofv3 --kernel-trace --output-format csv

    Without TRACE the decode capture that ships with geoaudit is replayed: real kernels, recorded
    on an H200, and marked as replayed, so that no gate accepts it.

    \b
    Examples:
      geoaudit scan -- ./engine --prompt hello         record a command
      geoaudit scan                                    replay the shipped capture
      geoaudit scan trace.json.gz && geoaudit rank     audit a PyTorch profile
      geoaudit scan rank*.json.gz -o run.parquet       all ranks of a run
      geoaudit scan trace.json.gz --token-range 'ProfilerStep#\\d+'
    """
    from geoaudit.launches.store import refuse_other_files

    refuse_other_files(output)
    options = token_options_of(token_range, token_kernel, tokens)
    command = command_of(ctx)
    if command is not None:
        _record(ctx, command, traces, output, options, yields)
        return
    recordings = _read(traces, allow_partial, options) if traces else [_replayed(options)]
    _save(recordings, output)


def _record(
    ctx: click.Context,
    command: list[str],
    traces: tuple[Path, ...],
    output: Path,
    options: "TokenOptions",
    yields: bool,
) -> None:
    if not command or traces:
        raise click.UsageError("give a COMMAND after --, and no TRACE before it")
    processes, code = record_processes(command, output, yields=yields)
    _save([_segmented(recording, options) for recording in processes.recordings], output)
    for trouble in processes.troubles:
        click.echo(f"geoaudit: {trouble}", err=True)
    ctx.exit(code or (EXIT_NOT_MEASURED if processes.troubles else EXIT_CLEAN))


def _save(recordings: list["Recording"], output: Path) -> None:
    _write(recordings, output)
    for line in _summary(recordings, output):
        click.echo(line)


def _read(
    traces: tuple[Path, ...], allow_partial: bool, options: "TokenOptions"
) -> list["Recording"]:
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
        recordings.append(_segmented(read, options))
    return recordings


def _replayed(options: "TokenOptions") -> "Recording":
    from dataclasses import replace

    from geoaudit.cli.shipped import shipped_capture
    from geoaudit.launches.store import read_recording

    shipped = read_recording(shipped_capture())
    marked = replace(shipped, metadata=replace(shipped.metadata, replayed=True))
    return _segmented(marked, options)


def _segmented(recording: "Recording", options: "TokenOptions") -> "Recording":
    """The recording with its tokens cut, and the way they were cut as its default."""
    from dataclasses import replace

    from geoaudit.launches.recording import TokenOptions
    from geoaudit.launches.tokens import segment

    if options == TokenOptions():
        options = recording.metadata.token_options
    return replace(
        recording,
        launches=segment(recording.launches, options).launches,
        metadata=replace(recording.metadata, token_options=options),
    )


def _write(recordings: list["Recording"], output: Path) -> None:
    from geoaudit.launches.store import write_dataset, write_recording

    if len(recordings) == 1:
        write_recording(recordings[0], output)
    else:
        write_dataset(recordings, output)


def _summary(recordings: list["Recording"], output: Path) -> list[str]:
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
