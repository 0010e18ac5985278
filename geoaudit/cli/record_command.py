"""Recording a command: what `geoaudit scan -- COMMAND` does."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.errors import NotMeasuredError

if TYPE_CHECKING:
    from geoaudit.recording.processes import Processes


class ScanCommand(click.Command):
    """A command whose arguments after ``--`` are another command, kept apart from its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before ``--``; keep the rest for `command_of`."""
        if "--" in args:
            place = args.index("--")
            ctx.meta["geoaudit.command"] = args[place + 1 :]
            args = args[:place]
        return super().parse_args(ctx, args)


def command_of(ctx: click.Context) -> list[str] | None:
    """The command after ``--``, or None where there is no ``--``."""
    return ctx.meta.get("geoaudit.command")


def record_processes(
    command: Sequence[str], output: Path, *, yields: bool
) -> "tuple[Processes, int]":
    """Run a command recorded; its processes, and its exit code.

    Raises:
        InputError: it cannot be started.
        NotMeasuredError: nothing could be recorded.
    """
    from geoaudit.recording.processes import read_processes
    from geoaudit.recording.runner import run_recorded

    recorded = run_recorded(command, beside=output.resolve(), yields=yields)
    try:
        processes = read_processes(recorded.streams, Path(command[0]).name)
    except NotMeasuredError as error:
        if recorded.exit_code:
            click.echo(f"geoaudit: {error}", err=True)
            click.get_current_context().exit(recorded.exit_code)
        raise
    finally:
        shutil.rmtree(recorded.folder, ignore_errors=True)
    return processes, recorded.exit_code
