"""The options that choose what is audited, shared by `rank` and `report`."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from geoaudit.cli.completion import complete_owner
from geoaudit.cli.counters import counters_from_option
from geoaudit.cli.device_options import device_options
from geoaudit.cli.token_options import token_options, token_options_of

if TYPE_CHECKING:
    from geoaudit.ranking.options import RankOptions

P = ParamSpec("P")
R = TypeVar("R")


def _finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter("must be a finite number", ctx=ctx, param=param)
    return value


SELECTION = (
    click.option("--step", "step_class", metavar="CLASS", help="Audit this class of steps."),
    click.option(
        "--by",
        "group",
        type=click.Choice(["kernel", "signature", "position"]),
        default="signature",
        show_default=True,
        help="What a row is: all launches of a kernel, of one launch signature, of one slot.",
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


def rank_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add the options; their values go to `rank_options_of` as keywords."""
    for option in reversed(SELECTION):
        command = option(command)
    return token_options(device_options(counters_from_option(command)))


def rank_options_of(values: dict[str, Any]) -> "RankOptions":
    """The choices made on the command line, out of click's keyword values.

    Args:
        values: all values of the options `rank_options` adds, by parameter name.
    """
    from geoaudit.devices.resolve import DeviceOverride
    from geoaudit.launches.recording import TokenOptions
    from geoaudit.ranking.options import RankOptions

    tokens = token_options_of(values["token_range"], values["token_kernel"], values["tokens"])
    target_ms = values["target_ms"]
    return RankOptions(
        token_options=None if tokens == TokenOptions() else tokens,
        step_class=values["step_class"],
        device=DeviceOverride(name=values["device_name"], sms=values["sms"]),
        order=values["order"],
        group=values["group"],
        minimum_time_ns=values["minimum_time_us"] * 1e3,
        kernel_pattern=values["kernel_pattern"],
        owner=values["owner"],
        target_ns=None if target_ms is None else target_ms * 1e6,
    )
