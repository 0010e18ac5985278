"""`geoaudit report`: the folder of files a CI run keeps."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geoaudit.cli.audit_gate import apply_gate
from geoaudit.cli.audited import audited
from geoaudit.cli.fail_on import fail_on_option
from geoaudit.cli.output import write_text
from geoaudit.cli.paths import DEFAULT_REPORT, DEFAULT_SCAN
from geoaudit.cli.rank_options import rank_options, rank_options_of
from geoaudit.errors import InputError

if TYPE_CHECKING:
    from geoaudit.diagnosis.gate import FailOn


@click.command()
@click.argument("scan", type=click.Path(path_type=Path), default=DEFAULT_SCAN, required=False)
@click.option(
    "-o",
    "--output-folder",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=DEFAULT_REPORT,
    show_default=True,
    help="Folder to write into; made where it is missing.",
)
@rank_options
@fail_on_option()
def report(scan: Path, folder: Path, fail_on: "FailOn", **choices: Any) -> None:
    """Write the audit of a recording as files: rank.json, rank.csv, summary.md, report.html.

    report.html is one self-contained page with a picture of the token; summary.md fits a CI job
    summary (cat geoaudit-report/summary.md >> "$GITHUB_STEP_SUMMARY").

    \b
    Examples:
      geoaudit report
      geoaudit report run.parquet -o audit --fail-on warning
      geoaudit report --bytes bytes.csv
      geoaudit report --counters-from ncu.csv
    """
    from geoaudit.render.names import visible
    from geoaudit.render.report_files import report_files

    audit = audited(scan, rank_options_of(choices), choices)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot make the folder {folder}: {error.strerror or error}. Give -o a path that "
            "can be written to."
        ) from error
    files = report_files(audit)
    for name, text in files.items():
        write_text(folder / name, text)
    for name in files:
        click.echo(f"wrote {visible(str(folder / name))}")
    apply_gate(audit, fail_on)
