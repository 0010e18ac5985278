"""Hardware counters: `scan --counters`, and `--counters-from` of `rank` and `report`."""

import signal
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from geoaudit.cli.paths import GivenPath
from geoaudit.devices.recorded import described, may_be_same
from geoaudit.errors import GeoauditError, InputError, NotMeasuredError

if TYPE_CHECKING:
    from geoaudit.launches.counters import CountedRecordings
    from geoaudit.launches.recording import Recording

LIMIT_S = 600.0
EXIT_INTERRUPTED = 128 + signal.SIGINT
ENVIRONMENT = "counters"
"""Under which name a recording says what its counters are of."""

P = ParamSpec("P")
R = TypeVar("R")

COUNTERS_SECTION = ("Counters", ("counters", "ncu", "counting_limit_s"))
COUNTERS = (
    click.option(
        "--counters",
        is_flag=True,
        help="After the timed run, run the same once more under Nsight Compute (ncu), which counts "
        "DRAM bytes and how busy the SMs are: of the first launch of each kernel and launch shape, "
        "collectives left out. COMMAND gets no input there, and its output is dropped; of the "
        "suite or a MANIFEST one token runs, eagerly. The timed recording is kept whatever "
        "becomes of it.",
    ),
    click.option(
        "--ncu",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        metavar="PATH",
        help="Nsight Compute's command line. By default that on PATH, or beside a CUDA toolkit.",
    ),
    click.option(
        "--counting-limit",
        "counting_limit_s",
        type=click.FloatRange(min=0.0, max=1e6, min_open=True),
        metavar="SECONDS",
        help=f"End the run under ncu after so long. Default {LIMIT_S:g}.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class CounterChoices:
    """How counters are read.

    Attributes:
        ncu: the program; None: where it is found.
        limit_s: how long it may take.
        progress: whether a line is shown; None: on a terminal.
    """

    ncu: Path | None
    limit_s: float
    progress: bool | None


def counter_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add the options; their values go to `counter_choices_of` as keywords."""
    for option in reversed(COUNTERS):
        command = option(command)
    return command


def counter_choices_of(values: dict[str, Any]) -> CounterChoices | None:
    """The choices, out of click's keyword values; None where no counters are asked for.

    Raises:
        click.UsageError: an option of the counters without them.
    """
    limit_s = values["counting_limit_s"]
    if not values["counters"]:
        for option, given in (("--ncu", values["ncu"]), ("--counting-limit", limit_s)):
            if given is not None:
                raise click.UsageError(f"{option} is for --counters: give that too.")
        return None
    return CounterChoices(
        ncu=values["ncu"],
        limit_s=LIMIT_S if limit_s is None else limit_s,
        progress=values["progress"],
    )


def refuse_counters(choices: CounterChoices | None) -> None:
    """Refuse counters where nothing is run.

    Raises:
        click.UsageError: says what joins those of a file.
    """
    if choices is not None:
        raise click.UsageError(
            "--counters runs the command, suite or manifest once more, and a TRACE is none: scan "
            "it, and give rank or report --counters-from FILE."
        )


def counters_from_option(command: Callable[P, R]) -> Callable[P, R]:
    """Add ``--counters-from``; its value goes to `with_counters_from` as ``counters_from``."""
    return click.option(
        "--counters-from",
        type=GivenPath(),
        metavar="FILE",
        help="Join the counters of an Nsight Compute CSV (ncu --csv, raw or details page) to the "
        "launches of the same kernel and launch shape; JSON and CSV then hold the measured waste "
        "too.",
    )(command)


def add_counters(
    recordings: "Sequence[Recording]",
    output: Path,
    command: Sequence[str],
    choices: CounterChoices,
) -> None:
    """Run a command under ncu and save the recordings again, with its counters.

    Args:
        recordings: as they were saved.
        output: where.
        command: what makes the same launches.
        choices: how counters are read.

    Raises:
        GeoauditError: nothing was counted; the recordings stay as they were saved.
    """
    from geoaudit.cli.saving import say, write_recordings

    try:
        counted, notes = _counted(recordings, command, choices)
    except KeyboardInterrupt:
        say(["interrupted: the recording is saved without counters"])
        click.get_current_context().exit(EXIT_INTERRUPTED)
    except GeoauditError as error:
        kept = f"{error} The recording is saved without counters."
        raise type(error)(kept, error.details) from error
    sentence = f"{counted_sentence(counted)} (ncu, one launch of each, cold caches)"
    write_recordings([_noted(one, sentence) for one in counted.recordings], output)
    say([f"counters: {sentence}", *notes])


def _counted(
    recordings: "Sequence[Recording]", command: Sequence[str], choices: CounterChoices
) -> "tuple[CountedRecordings, tuple[str, ...]]":
    from geoaudit.cli.progress_line import counting_line
    from geoaudit.recording.ncu import find_ncu, run_counted

    ncu = choices.ncu or find_ncu()
    with tempfile.TemporaryDirectory(prefix="geoaudit-counters-") as folder:
        log = Path(folder) / "ncu.csv"
        with counting_line(choices.progress) as watch:
            notes = run_counted(command, log, ncu=ncu, limit_s=choices.limit_s, watch=watch)
        return _joined(recordings, log, "the run under ncu"), notes


def with_counters_from(recording: "Recording", file: Path | None) -> "Recording":
    """A recording with the counters of a file, and a line on standard error that says how many.

    Args:
        recording: any.
        file: an Nsight Compute CSV; None: the recording as it is.

    Raises:
        InputError: the file cannot be read, or is no such CSV.
        NotMeasuredError: no launch in it has counters and is one of the recording's.
    """
    from geoaudit.cli.saving import say

    if file is None:
        return recording
    counted = _joined([recording], file, str(file))
    say([f"counters: {counted_sentence(counted)}"])
    (joined,) = counted.recordings
    told = other_program_sentence(counted, str(file))
    return joined if told is None else _warned(joined, [told])


def _joined(recordings: "Sequence[Recording]", file: Path, where: str) -> "CountedRecordings":
    from geoaudit.launches.counters import join_counters
    from geoaudit.sources.ncu.reader import SERIALISED, read_ncu_csv
    from geoaudit.sources.registry import ReadOptions

    read = read_ncu_csv(file, ReadOptions())
    _require_same_device(recordings, read, where)
    counted = join_counters(recordings, read.launches)
    # Of times that are not those of the program no audit of the program need be told.
    told = [f"{where}: {one}" for one in read.metadata.warnings if one != SERIALISED]
    if counted.counted_signatures == 0:
        raise NotMeasuredError(
            f"{where}: none of the {len(read.launches):,} launches in it has counters and is of a "
            f"kernel and launch shape of the recording ({counted.signatures:,}). Count the same "
            "command with the same settings: dram__bytes_read.sum, dram__bytes_write.sum, "
            "sm__cycles_active.avg and sm__cycles_elapsed.max."
            + "".join(f" And: {one}." for one in told)
        )
    return replace(counted, recordings=tuple(_warned(one, told) for one in counted.recordings))


def _warned(recording: "Recording", told: Sequence[str]) -> "Recording":
    metadata = recording.metadata
    return replace(recording, metadata=replace(metadata, warnings=(*metadata.warnings, *told)))


def _require_same_device(
    recordings: "Sequence[Recording]", counted: "Recording", where: str
) -> None:
    """Refuse counters of a device that the recordings know nothing of.

    Raises:
        InputError: names both.
    """
    own = [device for one in recordings for device in one.metadata.devices]
    for device in counted.metadata.devices:
        if own and not any(may_be_same(device, one) for one in own):
            raise InputError(
                f"{where}: counted on {described(device)}, and the recording is of "
                f"{', '.join(dict.fromkeys(described(one) for one in own))}. Counters of another "
                "device say nothing of it: count on the device of the recording."
            )


def other_program_sentence(counted: "CountedRecordings", where: str) -> str | None:
    """A warning where most of the kernel time took another time while it was counted."""
    from geoaudit.launches.counters import OTHER_TIME
    from geoaudit.quantities import percent

    share = counted.other_time_fraction
    if share is None or share <= 0.5:
        return None
    return (
        f"{where}: kernels of {percent(share)} of the kernel time took more than {OTHER_TIME:g} "
        "times as long, or as short, while they were counted: counted in another program, or with "
        "other inputs?"
    )


def counted_sentence(counted: "CountedRecordings") -> str:
    """How much of a recording got counters."""
    from geoaudit.quantities import percent, plural

    whole = plural(counted.signatures, "kernel and launch shape", "kernels and launch shapes")
    share = counted.time_fraction
    time = "" if share is None else f", {percent(share)} of the kernel time"
    return f"{counted.counted_signatures:,} of {whole}{time}"


def _noted(recording: "Recording", sentence: str) -> "Recording":
    metadata = recording.metadata
    environment = {**metadata.environment, ENVIRONMENT: sentence}
    return replace(recording, metadata=replace(metadata, environment=environment))
