"""The options that choose what is audited, shared by `rank`, `report` and `explain --scan`."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from geoaudit.cli.completion import complete_owner, complete_verdict
from geoaudit.cli.counters import counters_from_option
from geoaudit.cli.device_options import device_options
from geoaudit.cli.paths import GivenPath
from geoaudit.cli.token_options import regular_expression, token_options, token_options_of

if TYPE_CHECKING:
    from geoaudit.diagnosis.finding import VerdictName
    from geoaudit.ranking.options import RankOptions

P = ParamSpec("P")
R = TypeVar("R")


def _finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter("must be a finite number", ctx=ctx, param=param)
    return value


EVIDENCE = (
    click.option("--step", "step_class", metavar="CLASS", help="Audit this class of steps."),
    click.option(
        "--bytes",
        "bytes_file",
        type=GivenPath(),
        metavar="FILE",
        help="Bytes that a launch cannot do without, for its floor: a CSV of kernel,bytes or "
        "kernel,bytes,grid with a regular expression, a number or its arithmetic (3*4*7168), and "
        "blocks as 12x4. The first line that fits a launch counts.",
    ),
)
ROWS = (
    click.option(
        "--by",
        "group",
        type=click.Choice(["kernel", "signature", "position", "rank"]),
        default="signature",
        show_default=True,
        help="What a row is: all launches of a kernel, of one launch signature, of one slot; rank: "
        "of one launch signature on all ranks, side by side.",
    ),
    click.option(
        "--sort",
        "order",
        type=click.Choice(["wasted", "time", "calls", "fill"]),
        default="wasted",
        show_default=True,
        help="Worst first by this.",
    ),
    click.option(
        "--kernel",
        "kernel_pattern",
        callback=regular_expression,
        metavar="REGEX",
        help="Only kernels whose name matches, in upper or lower case.",
    ),
    click.option(
        "--owner",
        metavar="own|library|NAME",
        shell_complete=complete_owner,
        help="Only your own kernels, only libraries', or those of one owner (cublas, torch, ...).",
    ),
    click.option(
        "--verdict",
        "verdicts",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_verdict,
        help="Only rows of this verdict; may be given again.",
    ),
    click.option(
        "--min-confidence",
        "minimum_confidence",
        type=click.Choice(["suspected", "confirmed"]),
        help="Only rows whose verdict is at least so sure; inconclusive ones are neither.",
    ),
    click.option(
        "--min-time",
        "minimum_time_us",
        type=click.FloatRange(min=0.0),
        callback=_finite,
        default=0.0,
        metavar="MICROSECONDS",
        help="Leave out rows of less time per token.",
    ),
    click.option(
        "--target-ms",
        type=click.FloatRange(min=0.0, min_open=True),
        callback=_finite,
        metavar="T",
        help="Print the distance account to this wall time per token.",
    ),
)


def audit_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add what verdicts are made of; the values go to `audit_options_of` as keywords."""
    for option in reversed(EVIDENCE):
        command = option(command)
    return token_options(device_options(counters_from_option(command)))


def rank_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add that, and which rows are shown; the values go to `rank_options_of` as keywords."""
    for option in reversed(ROWS):
        command = option(command)
    return audit_options(command)


def audit_options_of(values: dict[str, Any]) -> "RankOptions":
    """The choices that verdicts depend on, out of click's keyword values.

    Args:
        values: all values of the options `audit_options` adds, by parameter name.
    """
    from geoaudit.devices.resolve import DeviceOverride
    from geoaudit.launches.recording import TokenOptions
    from geoaudit.ranking.options import RankOptions

    tokens = token_options_of(values["token_range"], values["token_kernel"], values["tokens"])
    return RankOptions(
        token_options=None if tokens == TokenOptions() else tokens,
        step_class=values["step_class"],
        device=DeviceOverride(name=values["device_name"], sms=values["sms"]),
    )


def rank_options_of(values: dict[str, Any]) -> "RankOptions":
    """The choices made on the command line, out of click's keyword values.

    Args:
        values: all values of the options `rank_options` adds, by parameter name.
    """
    target_ms = values["target_ms"]
    return replace(
        audit_options_of(values),
        order=values["order"],
        group=values["group"],
        minimum_time_ns=values["minimum_time_us"] * 1e3,
        kernel_pattern=values["kernel_pattern"],
        owner=values["owner"],
        target_ns=None if target_ms is None else target_ms * 1e6,
        verdicts=_verdicts(values["verdicts"]),
        minimum_confidence=values["minimum_confidence"],
    )


def _verdicts(words: tuple[str, ...]) -> "frozenset[VerdictName]":
    """The verdicts of ``--verdict``; ``-`` and ``_`` are the same, as in ``--fail-on``.

    Raises:
        InputError: a word is no verdict; lists them.
    """
    from geoaudit.diagnosis.finding import VERDICTS
    from geoaudit.errors import InputError

    known = {name: name for name in VERDICTS}
    found = set()
    for word in words:
        name = known.get(word.strip().casefold().replace("-", "_"))  # type: ignore[call-overload]
        if name is None:
            raise InputError(f"--verdict {word!r}: not a verdict. They are {', '.join(VERDICTS)}.")
        found.add(name)
    return frozenset(found)
