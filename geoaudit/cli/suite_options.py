"""The options of `scan` that run the decode suite, or a manifest of the user's own."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

MANIFEST_SUFFIX = ".toml"
SUITE_SECTION = (
    "Running the suite or a MANIFEST",
    (
        "arms",
        "all_arms",
        "list_arms",
        "plan",
        "plan_format",
        "assignments",
        "step",
        "graph",
        "ranks",
        "confirm",
    ),
)

P = ParamSpec("P")
R = TypeVar("R")

SUITE = (
    click.option(
        "--arm",
        "arms",
        multiple=True,
        metavar="NAME[=VALUE]",
        help="Switch an arm on; with VALUE 0, off. Repeatable. GEOAUDIT_NAME=VALUE in the "
        "environment does the same, and the command line wins.",
    ),
    click.option(
        "--all-arms",
        is_flag=True,
        help="Switch on every arm that is meant to stay on; --arm NAME=0 leaves one out.",
    ),
    click.option(
        "--list-arms",
        is_flag=True,
        help="Print the steps and the arms: what each does to the outputs' bytes, why it is there "
        "and which steps it changes, and the settings that restore the baseline. Needs no GPU.",
    ),
    click.option(
        "--plan",
        is_flag=True,
        help="Print the launches of a token with these settings, those of one shape together: "
        "kernel, grid, block, bytes and arguments. Runs nothing and needs no GPU.",
    ),
    click.option(
        "--format",
        "plan_format",
        type=click.Choice(("table", "json")),
        help="Format of --plan.  [default: table]",
    ),
    click.option(
        "--set",
        "assignments",
        multiple=True,
        metavar="NAME=VALUE",
        help="Give a symbol of the manifest another value: --set tp=1, --set context=4096. "
        "Repeatable.",
    ),
    click.option(
        "--step",
        metavar="NAME",
        help="Run this step of the manifest in place of its default one.",
    ),
    click.option(
        "--graph",
        is_flag=True,
        help="Capture the token as one CUDA graph, and record its replays.",
    ),
    click.option(
        "--ranks",
        type=click.IntRange(min=2),
        metavar="N",
        help="Run the step as N ranks, a process on each of N devices, which sum over the group by "
        "NCCL where the manifest says so; all are recorded. The symbol that the manifest shards "
        "by (the suite's tp) is N unless --set gives it another value.",
    ),
    click.option(
        "--confirm",
        is_flag=True,
        help="Afterwards repeat a launch of every kernel that takes 1 % of the kernel time, alone, "
        "with the same arguments and a cold L2, as it is and under each block count that an arm "
        "gives it. `rank` then says confirmed, or something else, where it only suspected: "
        "geoaudit scan --confirm.",
    ),
)

CANNOT_CONFIRM = (
    "--confirm launches kernels again, alone and in other shapes, and only the suite or a "
    "MANIFEST.toml says with which arguments and data: it can do nothing for {what}. Describe the "
    "kernel in a manifest, and scan that."
)


@dataclass(frozen=True, kw_only=True)
class SuiteChoices:
    """What was chosen for a run of the suite.

    Attributes:
        arms: ``NAME`` or ``NAME=VALUE``, in order.
        all_arms: every arm that may be on together with all others.
        list_arms: say what arms there are, and run nothing.
        plan: say what would be launched, and run nothing.
        plan_format: ``table`` or ``json``; None: not said.
        assignments: ``NAME=VALUE`` of symbols.
        step: None: the manifest's default one.
        graph: as a CUDA graph.
        tokens: how many are recorded; None: as many as usual.
        confirm: repeat launches alone and in other shapes.
        ranks: how many run together; None: one, alone.
    """

    arms: tuple[str, ...] = ()
    all_arms: bool = False
    list_arms: bool = False
    plan: bool = False
    plan_format: str | None = None
    assignments: tuple[str, ...] = ()
    step: str | None = None
    graph: bool = False
    tokens: int | None = None
    confirm: bool = False
    ranks: int | None = None

    @property
    def only_prints(self) -> bool:
        """Whether nothing is to be run or replayed."""
        return self.list_arms or self.plan

    @property
    def options_given(self) -> tuple[str, ...]:
        """The options that mean nothing but for a run."""
        given = {
            "--arm": self.arms,
            "--all-arms": self.all_arms,
            "--list-arms": self.list_arms,
            "--plan": self.plan,
            "--format": self.plan_format is not None,
            "--set": self.assignments,
            "--step": self.step is not None,
            "--graph": self.graph,
            "--ranks": self.ranks is not None,
            "--confirm": self.confirm,
        }
        return tuple(option for option, is_given in given.items() if is_given)


def suite_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add the options; their values go to `suite_choices_of` as keywords."""
    for option in reversed(SUITE):
        command = option(command)
    return command


def suite_choices_of(values: dict[str, Any]) -> SuiteChoices:
    """The choices for a run, out of click's keyword values.

    Raises:
        click.UsageError: choices that exclude each other.
    """
    if values["plan"] and values["list_arms"]:
        raise click.UsageError("--plan and --list-arms exclude each other: give one of them.")
    if values["plan_format"] is not None and not values["plan"]:
        raise click.UsageError("--format is for --plan: a recording is always Parquet.")
    return SuiteChoices(
        arms=values["arms"],
        all_arms=values["all_arms"],
        list_arms=values["list_arms"],
        plan=values["plan"],
        plan_format=values["plan_format"],
        assignments=values["assignments"],
        step=values["step"],
        graph=values["graph"],
        tokens=values["tokens"],
        confirm=values["confirm"],
        ranks=values["ranks"],
    )


def manifest_of(traces: tuple[Path, ...]) -> Path | None:
    """The manifest among what `scan` was given, or None where it was given none.

    Raises:
        click.UsageError: it does not stand alone.
    """
    manifests = [trace for trace in traces if trace.suffix.lower() == MANIFEST_SUFFIX]
    if not manifests:
        return None
    if len(traces) > 1:
        raise click.UsageError(f"{manifests[0]} is a manifest: give one, and no TRACE beside it.")
    return manifests[0]


def refuse_suite_options(choices: SuiteChoices, what: str) -> None:
    """Refuse what only makes sense where a manifest is run.

    Args:
        choices: what was given.
        what: what is scanned instead, for the message.

    Raises:
        click.UsageError: names the option.
    """
    if choices.confirm:
        raise click.UsageError(CANNOT_CONFIRM.format(what=what))
    for option in choices.options_given:
        raise click.UsageError(
            f"{option} is for the suite or a MANIFEST.toml: it means nothing for {what}."
        )
