"""The entry point: the command group, and the one place where errors become exit codes."""

import sys

import click

from geoaudit import __version__
from geoaudit.cli.devices import devices
from geoaudit.cli.explain import explain
from geoaudit.cli.occupancy import occupancy
from geoaudit.cli.rank import rank
from geoaudit.cli.report import report
from geoaudit.cli.scan import scan
from geoaudit.errors import GeoauditError


class AuditGroup(click.Group):
    """A group whose commands end with the exit code of the GeoauditError they raise.

    The conversion sits here, and not around ``main``, so that tests through click's runner see
    the same exit codes as a shell.
    """

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; turn a GeoauditError into its message and exit code."""
        try:
            return super().invoke(ctx)
        except GeoauditError as error:
            click.echo(f"geoaudit: error: {error}", err=True)
            ctx.exit(error.exit_code)


@click.group(cls=AuditGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="geoaudit")
def main() -> None:
    """Audit the launch geometry of GPU inference engines.

    Which kernels of a token leave the GPU empty, what that costs, and why.
    """


for command in (scan, rank, report, explain, occupancy, devices):
    main.add_command(command)


if __name__ == "__main__":
    sys.exit(main())
