"""The ``--fail-on`` option of every command that can be a gate."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from geoaudit.cli.completion import complete_fail_on

if TYPE_CHECKING:
    from geoaudit.diagnosis.fail_on import FailOn

P = ParamSpec("P")
R = TypeVar("R")

_HELP = (
    "Exit with 1 where the audit holds any of these: rule ids or names, verdicts, severities "
    "(error, warning, note: this or worse) or 'waste>N%' of the kernel time, collectives left out "
    "(with filters: by the rows shown); comma-separated. Exit with 3 where none is found and the "
    "recording does not tell."
)


class _FailOnType(click.ParamType["FailOn"]):
    name = "list"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "FailOn":
        from geoaudit.diagnosis.fail_on import FailOn, parse_fail_on

        if isinstance(value, FailOn):
            return value
        if str(value).strip().casefold() == "none":
            return FailOn()
        if not str(value).strip(", "):
            self.fail("names nothing, so the gate could never close; leave the option out", param)
        return parse_fail_on(str(value))


def _nothing() -> "FailOn":
    from geoaudit.diagnosis.fail_on import FailOn

    return FailOn()


def fail_on_option(
    default: str = "", help_text: str = _HELP
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Add ``--fail-on`` (as ``fail_on``, a FailOn).

    Args:
        default: what the command fails on where the option is not given.
        help_text: what it says of itself.
    """
    return click.option(
        "--fail-on",
        "fail_on",
        type=_FailOnType(),
        default=default or _nothing,
        show_default=default or "nothing",
        metavar="LIST",
        shell_complete=complete_fail_on,
        help=help_text,
    )
