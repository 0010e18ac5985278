"""`geoaudit shard-check`: every launch whose grid derives from a sharded dimension."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geoaudit.cli.audit_gate import end_with
from geoaudit.cli.fail_on import fail_on_option
from geoaudit.cli.output import OutputOptions, output_options_of, write_outputs
from geoaudit.cli.shard_options import refuse_beside_explain, shard_options
from geoaudit.cli.shard_settings import with_settings

if TYPE_CHECKING:
    from geoaudit.diagnosis.gate import FailOn
    from geoaudit.shardcheck.listing import Listing

FORMATS = ("table", "json", "csv", "markdown", "sarif", "html")
_FAIL_ON = (
    "Exit with 1 where the source has any of these: rule ids or names, or severities (error, "
    "warning, note: this or worse); comma-separated. 'none' never fails."
)


@click.command("shard-check")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@shard_options
@fail_on_option("warning", _FAIL_ON)
@output_options_of(FORMATS)
def shard_check(
    paths: tuple[Path, ...],
    format_name: str,
    output_file: Path | None,
    outputs: tuple[tuple[str, Path], ...],
    **choices: Any,
) -> None:
    """List every kernel launch whose grid derives from a dimension that sharding divides.

    The C-family and Python sources under PATHS are read, nothing is run: each grid is followed
    back to what it is made of, and evaluated at each number of ranks on an H200 or the --device.
    [tool.geoaudit.shard-check] in pyproject.toml, or [shard-check] in geoaudit.toml, has settings.
    A remark allows a finding on its line or the next: // geoaudit: allow GA401 reason

    \b
    Examples:
      geoaudit shard-check csrc --dim n_head=96:tp --set head_dim=128
      geoaudit shard-check . --model config.json --shard tp=1,8 --device H100
      geoaudit shard-check . --explain csrc/attention.cu:120
      geoaudit shard-check . --scan geoaudit-scan.parquet --output sarif=shard.sarif
      geoaudit shard-check . --write-baseline known.json
      geoaudit shard-check . --baseline known.json --fail-on GA401
    """
    from geoaudit.cli.shard_formats import shard_renderers
    from geoaudit.cli.shard_run import explained, known_in_baseline, listing_of_choices

    context = click.get_current_context()
    refuse_beside_explain(context, choices["explained"])
    choices = with_settings(context, choices, paths)
    listing, root = listing_of_choices(paths, choices)
    listing = known_in_baseline(listing, choices)
    if choices["explained"] is not None:
        click.echo(explained(listing, root, choices["explained"]), nl=False)
        return
    write_outputs(
        shard_renderers(listing, root, choices),
        OutputOptions(format=format_name, file=output_file, extra=outputs),
    )
    _apply_gate(listing, choices["fail_on"])


def _apply_gate(listing: "Listing", fail_on: "FailOn") -> None:
    from geoaudit.diagnosis.finding import Finding
    from geoaudit.diagnosis.finding_gate import source_gate

    findings = [
        Finding(
            rule_id=one.rule_id,
            rule_name=one.rule_name,
            severity=one.severity,
            message=one.message,
            kernel=f"{site.kernel} at {site.path}:{site.line}",
        )
        for site in listing.sites
        for one in site.findings
    ]
    end_with(source_gate(fail_on, findings))
