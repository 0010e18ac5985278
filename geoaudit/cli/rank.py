"""`geoaudit rank`: the audit table, sorted by wasted SM-time per token."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geoaudit.cli.audit_gate import apply_gate
from geoaudit.cli.audited import audited
from geoaudit.cli.fail_on import fail_on_option
from geoaudit.cli.output import OutputOptions, output_options, write_outputs
from geoaudit.cli.paths import DEFAULT_SCAN
from geoaudit.cli.rank_options import rank_options, rank_options_of
from geoaudit.cli.terminal_width import has_colors, terminal_width

if TYPE_CHECKING:
    from collections.abc import Callable

    from geoaudit.diagnosis.gate import FailOn
    from geoaudit.ranking.audit import Audit

TABLE_ROWS = 20
WIDE_COLUMNS = 180


@click.command()
@click.argument("scan", type=click.Path(path_type=Path), default=DEFAULT_SCAN, required=False)
@rank_options
@click.option(
    "--top",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Rows to print; 0: all. Default {TABLE_ROWS} in a table, all in JSON and CSV.",
)
@click.option("--wide", is_flag=True, help="Whole kernel names and all columns.")
@fail_on_option()
@output_options
def rank(
    scan: Path,
    top: int | None,
    wide: bool,
    fail_on: "FailOn",
    format_name: str,
    output_file: Path | None,
    outputs: tuple[tuple[str, Path], ...],
    **choices: Any,
) -> None:
    """Rank the kernels of a recording by the SM-time they waste per token.

    SCAN is a recording of `geoaudit scan`; by default geoaudit-scan.parquet in this folder. The
    waste of a kernel is its time per token times the share of SMs its grid leaves empty: a
    ceiling on what another launch shape can win, not a promise.

    \b
    Examples:
      geoaudit rank
      geoaudit rank --owner own --sort time --top 10
      geoaudit rank --by kernel --format json -o rank.json
      geoaudit rank --step decode_token
      geoaudit rank --token-range decode_token
      geoaudit rank --counters-from ncu.csv
      geoaudit rank --target-ms 18 --fail-on starved,waste>25%
      geoaudit rank --bytes bytes.csv

    Exit codes: 0; 1 something --fail-on names; 2 unusable input; 3 could not measure, which
    includes a replayed recording under --fail-on.
    """
    audit = audited(scan, rank_options_of(choices), choices)
    write_outputs(
        _renderers(audit, top, wide),
        OutputOptions(format=format_name, file=output_file, extra=outputs),
    )
    _say_where_no_row_is(audit)
    apply_gate(audit, fail_on)


def _say_where_no_row_is(audit: "Audit") -> None:
    """A file of a heading alone looks like a clean bill, so standard error says what it is."""
    from geoaudit.render.headline import no_rows_sentence

    if not audit.rows:
        click.echo(f"geoaudit: {no_rows_sentence(audit)}", err=True)


def _renderers(audit: "Audit", top: int | None, wide: bool) -> "dict[str, Callable[[], str]]":
    from geoaudit.ranking.audit import top_rows
    from geoaudit.render.csv_table import render_csv
    from geoaudit.render.json_document import render_json
    from geoaudit.render.markdown import render_markdown
    from geoaudit.render.terminal import render_terminal

    shown = top_rows(audit, TABLE_ROWS if top is None else top)
    everything = top_rows(audit, top or 0)
    width, color = max(terminal_width(), WIDE_COLUMNS if wide else 0), has_colors()
    return {
        "table": lambda: render_terminal(shown, width=width, wide=wide, color=color),
        "json": lambda: render_json(everything),
        "csv": lambda: render_csv(everything),
        "markdown": lambda: render_markdown(shown),
    }
