"""The entry point: the command group, and the one place where errors become exit codes."""

import errno
import signal
import sys
from collections.abc import Sequence

import click

from geoaudit import __version__
from geoaudit.cli.devices import devices
from geoaudit.cli.doctor import doctor
from geoaudit.cli.explain import explain
from geoaudit.cli.occupancy import occupancy
from geoaudit.cli.rank import rank
from geoaudit.cli.report import report
from geoaudit.cli.scan import scan
from geoaudit.cli.shard_check import shard_check
from geoaudit.errors import EXIT_USAGE, GeoauditError

EXIT_INTERRUPTED = 128 + signal.SIGINT


class AuditGroup(click.Group):
    """A group whose commands end with the exit code of the GeoauditError they raise.

    The conversion sits here, and not around ``main``, so that tests through click's runner see
    the same exit codes as a shell. Click's own code for an interrupt or a full disk is 1, which
    would look like findings.
    """

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; turn an error into its message and exit code."""
        try:
            return super().invoke(ctx)
        except GeoauditError as error:
            _complain(str(error), error.details)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            _complain("interrupted; nothing was changed")
            ctx.exit(EXIT_INTERRUPTED)
        except OSError as error:
            _complain(_explained(error))
            ctx.exit(EXIT_USAGE)


def _explained(error: OSError) -> str:
    """What the system refused: what no command foresaw is still no traceback."""
    if error.errno == errno.ENOSPC:
        return "cannot write the output: no space left. Free some, or write elsewhere."
    reason = error.strerror or str(error)
    named = "" if error.filename is None else f"{error.filename}: "
    return f"{named}{reason}. Give another path, or look at this one and the current folder."


def _complain(message: str, details: Sequence[str] = ()) -> None:
    """Print an error: one paragraph and its lines, whatever names they quote hold."""
    from geoaudit.render.names import visible

    lines = [f"geoaudit: error: {visible(message)}", *(f"  {visible(one)}" for one in details)]
    try:
        click.echo("\n".join(lines), err=True)
    except OSError:
        # Standard error is gone; the exit code still tells.
        sys.stderr = None


@click.group(cls=AuditGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="geoaudit")
def main() -> None:
    """Audit the launch geometry of GPU inference engines.

    Which kernels of a token leave the GPU empty, what that costs, and why.
    """


for command in (scan, rank, shard_check, report, explain, occupancy, devices, doctor):
    main.add_command(command)


def run() -> None:
    """The console script: as `main`, and a reader that goes away ends it as it ends any filter."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()


if __name__ == "__main__":
    run()
