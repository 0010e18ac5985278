"""The options of `scan` that record a command, and those that keep a part of a recording."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from geoaudit.cli.counters import COUNTERS_SECTION
from geoaudit.cli.suite_options import SUITE_SECTION
from geoaudit.cli.token_options import MOST_TOKENS, regular_expression

if TYPE_CHECKING:
    from geoaudit.recording.runner import RecorderOptions
    from geoaudit.recording.selection import Selection

LONGEST_S = 1e6
MOST_CONTROL_RUNS = 1000

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class RecordChoices:
    """What was chosen for the recording of a command.

    Attributes:
        yields: a profiler inside the command wins.
        duration_s: seconds after which no more is recorded; None: to the end.
        control: how often the command is run each way to measure the tracing tax; None: it is
            run once, recorded.
        progress: whether the line is shown; None: where it disturbs nothing.
    """

    yields: bool
    duration_s: float | None
    control: int | None
    progress: bool | None

    @property
    def recorder_options(self) -> "RecorderOptions":
        """The same for the runner."""
        from geoaudit.recording.runner import RecorderOptions

        milliseconds = None if self.duration_s is None else math.ceil(self.duration_s * 1e3)
        return RecorderOptions(yields=self.yields, duration_ms=milliseconds)


def _seconds(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter("must be a finite number", ctx=ctx, param=param)
    return value


RECORDING = (
    click.option(
        "--duration",
        "duration_s",
        type=click.FloatRange(min=0.0, max=LONGEST_S, min_open=True),
        callback=_seconds,
        metavar="SECONDS",
        help="Record so long from when a process of COMMAND first uses CUDA, in steps of half a "
        "second; COMMAND runs on to its end.",
    ),
    click.option(
        "--control",
        type=click.IntRange(min=1, max=MOST_CONTROL_RUNS),
        metavar="N",
        help="Run COMMAND N times bare and N times recorded, in turns, and print what recording "
        "costs. The last recorded run is saved.",
    ),
    click.option(
        "--yield",
        "yields",
        is_flag=True,
        help="Let a profiler inside COMMAND win: where one starts (torch.profiler), it gets the "
        "records. Without it the recorder wins, and the profiler inside gets none.",
    ),
    click.option(
        "--progress/--no-progress",
        default=None,
        help="A line with the launches so far while COMMAND runs. By itself it is shown on a "
        "terminal that COMMAND's own output does not go to.",
    ),
)
SELECTION = (
    click.option(
        "--range",
        "launch_range",
        callback=regular_expression,
        metavar="NAME|REGEX",
        help="Only launches inside an NVTX or profiler range of this name.",
    ),
    click.option(
        "--skip-tokens",
        type=click.IntRange(min=0, max=MOST_TOKENS),
        default=0,
        metavar="N",
        help="Drop the first N complete tokens, and what comes before the next.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1, max=MOST_TOKENS),
        metavar="N",
        help="Keep at most N complete tokens, and nothing after them.",
    ),
)
# Titles of the groups of `scan --help`, and the parameters that stand there.
HELP_SECTIONS: dict[str, tuple[str, ...]] = {
    **dict([SUITE_SECTION]),
    "Recording a COMMAND": ("duration_s", "control", "yields", "progress"),
    **dict([COUNTERS_SECTION]),
    "Reading a TRACE": ("allow_partial",),
    "What a token is": ("token_range", "token_kernel", "tokens"),
    "What is kept": ("launch_range", "skip_tokens", "max_tokens"),
}


def record_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add the options; their values go to `record_choices_of` and `selection_of` as keywords."""
    for option in reversed((*RECORDING, *SELECTION)):
        command = option(command)
    return command


def record_choices_of(values: dict[str, Any]) -> RecordChoices:
    """The choices for the recording of a command, out of click's keyword values.

    Raises:
        click.UsageError: choices that exclude each other.
    """
    if values["control"] is not None and values["duration_s"] is not None:
        raise click.UsageError(
            "--control and --duration exclude each other: --control times whole runs."
        )
    return RecordChoices(
        yields=values["yields"],
        duration_s=values["duration_s"],
        control=values["control"],
        progress=values["progress"],
    )


def selection_of(values: dict[str, Any]) -> "Selection":
    """What is kept of a recording, out of click's keyword values."""
    from geoaudit.recording.selection import Selection

    return Selection(
        launch_range=values["launch_range"],
        skip_tokens=values["skip_tokens"],
        max_tokens=values["max_tokens"],
    )


def refuse_options_without_command(values: dict[str, Any]) -> None:
    """Refuse what only makes sense where a command is recorded.

    Raises:
        click.UsageError: names the option.
    """
    given = {
        "--duration": values["duration_s"] is not None,
        "--control": values["control"] is not None,
        "--yield": values["yields"],
        "--progress": values["progress"] is not None,
    }
    for option in (option for option, is_given in given.items() if is_given):
        raise click.UsageError(f"{option} is for a recorded command: give `-- COMMAND`.")
