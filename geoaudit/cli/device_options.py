"""The options that say which device a command computes for."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click

from geoaudit.cli.completion import complete_device

MOST_SMS = 65_535

P = ParamSpec("P")
R = TypeVar("R")


def device_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add ``--device`` and ``--sms`` (as device_name, sms; None where not given)."""
    for option in (
        click.option(
            "--sms",
            type=click.IntRange(min=1, max=MOST_SMS),
            metavar="N",
            help="SMs the launches could use, where the input is wrong or says nothing.",
        ),
        click.option(
            "--device",
            "device_name",
            metavar="NAME",
            shell_complete=complete_device,
            help="Compute for this device; `geoaudit devices` lists the names.",
        ),
    ):
        command = option(command)
    return command
