"""`geoaudit doctor`: what on this machine would stop a recording, and how to mend it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.output import OutputOptions, output_options, write_outputs
from geoaudit.errors import EXIT_CLEAN, EXIT_NOT_MEASURED

if TYPE_CHECKING:
    from geoaudit.render.doctor import DoctorPage


@click.command()
@output_options
@click.pass_context
def doctor(
    ctx: click.Context,
    format_name: str,
    output_file: Path | None,
    outputs: tuple[tuple[str, Path], ...],
) -> None:
    """Say what on this machine would stop a recording, and how to mend it.

    Looks at the CUDA driver and its devices, the recorder, every CUPTI here and its version
    against the driver's, the environment variables that give the recorder's place to another
    tool, MIG, MPS, other profilers and the disk. Changes nothing. Without a GPU it says what
    works all the same.

    \b
    Status of a check:
      problem    a command cannot be recorded until it is mended
      warning    a recording can be made, but something in it may be missing or shared
      ok         nothing to do
      not here   missing and not needed, or hidden by another problem

    \b
    Exit codes:
      0  nothing stops a recording (warnings or not)
      3  something does: no device, no recorder, no CUPTI, its place taken, nowhere to write

    \b
    Examples:
      geoaudit doctor
      geoaudit doctor --format json -o doctor.json
    """
    page = _page()
    _write(page, OutputOptions(format=format_name, file=output_file, extra=outputs))
    ctx.exit(EXIT_CLEAN if page.can_record else EXIT_NOT_MEASURED)


def _write(page: DoctorPage, options: OutputOptions) -> None:
    from geoaudit.cli.terminal_width import terminal_width
    from geoaudit.render import doctor as render

    write_outputs(
        {
            "table": lambda: render.doctor_table(page, terminal_width()),
            "json": lambda: render.doctor_json(page),
            "csv": lambda: render.doctor_csv(page),
            "markdown": lambda: render.doctor_markdown(page),
        },
        options,
    )


def _page() -> DoctorPage:
    from geoaudit.recording.checks import judge as checks
    from geoaudit.recording.checks.probe import probe
    from geoaudit.render.doctor import DoctorPage, DoctorRow

    judged = checks.judge(probe())
    return DoctorPage(
        verdict=checks.verdict(judged),
        can_record=not any(check.stops_recording for check in judged),
        works=checks.WITHOUT_GPU,
        rows=[
            DoctorRow(check=check.name, status=check.status, found=check.found, remedy=check.remedy)
            for check in judged
        ],
    )
