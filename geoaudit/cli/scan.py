"""`geoaudit scan`: a recording of the suite, of a command, or from a profile someone has."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from geoaudit.cli.counters import (
    CounterChoices,
    add_counters,
    counter_choices_of,
    counter_options,
    refuse_counters,
)
from geoaudit.cli.paths import DEFAULT_SCAN
from geoaudit.cli.progress_line import SavingSignals
from geoaudit.cli.record_command import (
    RecordedCommand,
    ScanCommand,
    command_of,
    record_processes,
)
from geoaudit.cli.record_options import (
    RecordChoices,
    record_choices_of,
    record_options,
    refuse_options_without_command,
    selection_of,
)
from geoaudit.cli.saving import save, say
from geoaudit.cli.suite_options import (
    manifest_of,
    refuse_suite_options,
    suite_choices_of,
    suite_options,
)
from geoaudit.cli.suite_scan import KeptPart, scan_suite
from geoaudit.cli.token_options import token_options, token_options_of
from geoaudit.errors import EXIT_CLEAN, EXIT_NOT_MEASURED, GeoauditError, InputError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from geoaudit.launches.recording import Recording, TokenOptions
    from geoaudit.recording.selection import Selection

HELP = """Record the decode suite, a manifest's kernels or a command, or turn a profile into a
recording; `rank` and `report` read it.

Without an argument the decode suite that ships with geoaudit runs on the GPU: the kernels of a
token of an inference engine, each launched as a correct first version launches it, and with --arm
reshaped. 12 tokens are recorded after 3 of warm-up (--tokens N: another number; below 10 no spread
is judged). On a machine without a GPU a recording of it that ships with geoaudit is replayed: made
on an H200 with every arm off, and marked as replayed, so that no gate accepts it.

MANIFEST.toml names kernels of your own: CUDA C++, cubin, fatbin or PTX. kernels/manifest.toml is
one, and `python -c "import geoaudit.manifest as m; help(m)"` documents the format.

With `-- COMMAND` every kernel that the command and its children launch is recorded: C++, Rust or
Python, eager or in CUDA graphs. Its input and output are its own, and what geoaudit has to say goes
to standard error; its exit code is passed on, after what was recorded is saved. Ctrl-C and SIGTERM
reach the command, and what was recorded until then is saved; a second Ctrl-C kills it.

With --counters the same runs once more under Nsight Compute, for the traffic and the busy SMs of
each kernel and launch shape: `rank` then sets measured waste beside what the grid leaves empty.

TRACE is one of five formats, found by the content. Several traces, one per rank, make one
recording.

\b
  PyTorch (Kineto)       export_chrome_trace(...), .json or .json.gz
  Nsight Systems         nsys export --type sqlite
  Nsight Systems, CSV    nsys stats --report cuda_gpu_trace --format csv
  Nsight Compute, CSV    ncu --csv --page raw, or --page details
  rocprofv3, CSV         rocprofv3 --kernel-trace --output-format csv

\b
Examples:
  geoaudit scan && geoaudit rank                   run the suite and audit it
  geoaudit scan --list-arms                        what can be reshaped, and why
  geoaudit scan --arm WIDE_NORM --arm KDA_VALUE_TILE=16
  geoaudit scan --all-arms --graph --set tp=4      reshaped, as a CUDA graph, four ranks
  geoaudit scan --ranks 2 && geoaudit rank --by rank   two ranks on two GPUs
  geoaudit scan --confirm                          and repeat its kernels alone, reshaped
  geoaudit scan --plan --arm PDL                   what would be launched; needs no GPU
  geoaudit scan my_manifest.toml --set context=4096
  geoaudit scan -- ./engine --prompt hello         record a command
  geoaudit scan -- ./engine | jq .text             its output stays its own
  geoaudit scan --duration 10 -- ./serve           its first ten seconds of CUDA
  geoaudit scan --range generate -- python run.py  only what is launched in an NVTX range
  geoaudit scan --token-range decode --skip-tokens 3 --max-tokens 20 -- python run.py
  geoaudit scan --control 5 -- ./engine            and what recording costs
  geoaudit scan --counters -- ./engine             and what its kernels keep busy
  geoaudit scan trace.json.gz && geoaudit rank     audit a PyTorch profile
  geoaudit scan rank*.json.gz -o run.parquet       all ranks of a run
  geoaudit scan trace.json.gz --token-range 'ProfilerStep#\\d+'
"""


class _OutputPath(click.Path):
    """A path that is not empty: an empty one would be the current folder."""

    def convert(
        self,
        value: "str | os.PathLike[str]",
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> "str | bytes | os.PathLike[str]":
        if value == "":
            self.fail("must not be empty: name a file", param, ctx)
        return super().convert(value, param, ctx)


@click.command(cls=ScanCommand, help=HELP)
@click.argument(
    "traces",
    nargs=-1,
    # Not refused by click, whose error would not say what may stand there.
    type=click.Path(path_type=Path, readable=False),
    metavar="[MANIFEST.toml|TRACE...]",
)
@click.option(
    "-o",
    "--output-file",
    "output",
    type=_OutputPath(path_type=Path),
    default=DEFAULT_SCAN,
    show_default=True,
    help="Where the recording goes; what is there is replaced in one step.",
)
@click.option(
    "--allow-partial",
    is_flag=True,
    help="Read what is complete of a cut file; the recording is marked PARTIAL.",
)
@suite_options
@record_options
@counter_options
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

    choices = suite_choices_of(values)
    if choices.only_prints and ctx.get_parameter_source("output") is ParameterSource.COMMANDLINE:
        raise click.UsageError("-o is for a recording: --plan and --list-arms print, use > FILE.")
    refuse_other_files(output)
    options = token_options_of(values["token_range"], values["token_kernel"], values["tokens"])
    selection = selection_of(values)
    kept = KeptPart(output=output, options=options, selection=selection)
    counting = counter_choices_of(values)
    command, manifest = command_of(ctx), manifest_of(traces)
    if command is None:
        refuse_options_without_command(values)
        if traces and manifest is None:
            refuse_suite_options(choices, "a TRACE")
            refuse_counters(counting)
            read = _read(traces, allow_partial)
            save([select(recording, options, selection) for recording in read], output)
        else:
            if allow_partial:
                raise click.UsageError("--allow-partial is for a TRACE: nothing else can be cut.")
            ctx.exit(scan_suite(manifest, choices, kept, counting))
        return
    refuse_suite_options(choices, "a COMMAND")
    if not command or traces or allow_partial:
        raise click.UsageError("give a COMMAND after --, and no TRACE or --allow-partial before it")
    ctx.exit(_scan_command(command, record_choices_of(values), kept, counting))


def _scan_command(
    command: "Sequence[str]",
    choices: RecordChoices,
    kept: KeptPart,
    counting: CounterChoices | None,
) -> int:
    """Record a command, save the recording and read the counters; the exit code."""
    saving = SavingSignals()
    with saving.handled_until_saved():
        recorded = record_processes(command, kept.output, choices, saving)
        saved, code = _save_recorded(recorded, kept.output, kept.options, kept.selection)
    if saving.ended_by is not None:
        return 128 + saving.ended_by
    if counting is not None and recorded.exit_code:
        say(["no counters are read: the command did not end well"])
    elif counting is not None:
        add_counters(saved, kept.output, command, counting)
    return code


def _save_recorded(
    recorded: RecordedCommand, output: Path, options: "TokenOptions", selection: "Selection"
) -> "tuple[Sequence[Recording], int]":
    """Save what was recorded of a command; what was saved, and the exit code.

    Standard output is the command's: all that is said goes to standard error.

    Raises:
        GeoauditError: there is nothing of what was to be kept; the recording is saved whole.
    """
    from geoaudit.recording.selection import select_processes

    recordings = recorded.processes.recordings
    try:
        selected = select_processes(recordings, options, selection)
    except GeoauditError as error:
        save(recordings, output, err=True)
        say([*recorded.processes.troubles, *recorded.lines])
        whole = f"{error} The recording is saved whole."
        if not recorded.exit_code:
            raise type(error)(whole) from error
        say([whole])
        return recordings, recorded.exit_code
    save(selected.recordings, output, err=True)
    troubles = [*recorded.processes.troubles, *selected.troubles]
    say([*selected.notes, *troubles, *recorded.lines])
    code = recorded.exit_code or (EXIT_NOT_MEASURED if troubles else EXIT_CLEAN)
    return selected.recordings, code


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
