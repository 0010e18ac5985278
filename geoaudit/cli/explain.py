"""``geoaudit explain``: a rule, verdict or column in a page of text."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geoaudit.cli.audited import audited
from geoaudit.cli.completion import complete_page
from geoaudit.cli.grid_text import Dimensions, grid_of
from geoaudit.cli.matching import matching_in_time, pattern_fault
from geoaudit.cli.rank_options import audit_options, audit_options_of
from geoaudit.cli.saving import say

if TYPE_CHECKING:
    from geoaudit.diagnosis.pages import Page
    from geoaudit.ranking.audit import Audit, AuditRow

_HEADINGS = {"rule": "Rules", "verdict": "Verdicts", "column": "Columns"}


def _grid(_: click.Context, __: click.Parameter, value: str | None) -> Dimensions | None:
    if value is None:
        return None
    grid = grid_of(value)
    if grid is None:
        raise click.BadParameter(f"{value[:80]!r} is no grid: write 12, 12x4 or 12x4x1.")
    return grid


@click.command()
@click.argument("name", nargs=-1, shell_complete=complete_page)
@click.option(
    "--scan",
    type=click.Path(path_type=Path),
    metavar="RECORDING",
    help="NAME is a kernel of this recording: print the whole argument for its verdict.",
)
@click.option(
    "--grid",
    callback=_grid,
    metavar="BLOCKS",
    help="Of the kernel's launches only those of this grid, as 12, 12x4 or 12x4x1.",
)
@audit_options
def explain(
    name: tuple[str, ...], scan: Path | None, grid: Dimensions | None, **choices: Any
) -> None:
    """Explain a rule (GA101 or its name), a verdict or a column; without NAME list them all.

    With --scan NAME is a kernel, a part of its name or a regular expression, as in `geoaudit rank
    --kernel`, and what is printed is its verdict with everything it rests on, what is ruled out by
    which number, and what would decide it. The other options are those of `geoaudit rank`: with
    the same ones the verdict is the same.

    \b
    Examples:
      geoaudit explain
      geoaudit explain GA101
      geoaudit explain GA101 starved
      geoaudit explain wasted_sm_time_per_token_ns
      geoaudit explain kda_decode_step --scan geoaudit-scan.parquet
      geoaudit explain projection --grid 64x12 --scan geoaudit-scan.parquet
      geoaudit explain 'gemm|gemv' --scan run.parquet --bytes bytes.csv
    """
    from geoaudit.cli.terminal_width import terminal_width
    from geoaudit.diagnosis.pages import all_pages, title
    from geoaudit.diagnosis.pages.page import wrapped_page, wrapped_text

    width = terminal_width()
    if scan is not None:
        _argue(_Wanted(name=" ".join(name), grid=grid), scan, choices, width)
        return
    _refuse_options_of_a_scan()
    if not name:
        click.echo(_listing(all_pages(), width))
        return
    for number, page in enumerate(_pages(name)):
        if number:
            click.echo()
        for line in wrapped_text(title(page), width):
            click.secho(line, bold=True)
        click.echo()
        for line in wrapped_page(page.text, width):
            click.secho(line, bold=not line.startswith(" "))


def _refuse_options_of_a_scan() -> None:
    """Refuse what says how a recording is audited where there is none.

    Raises:
        click.UsageError: names the option.
    """
    context = click.get_current_context()
    for option in context.command.params:
        if isinstance(option, click.Option) and context.params.get(option.name or "") is not None:
            raise click.UsageError(f"{option.opts[0]} is for --scan RECORDING: give that too.")


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """Which launch signatures are argued for; a grid of None: any."""

    name: str
    grid: Dimensions | None


def _argue(wanted: _Wanted, scan: Path, choices: dict[str, Any], width: int) -> None:
    """Print the argument for every launch signature of a kernel.

    Raises:
        InputError: no kernel is named, or the recording has none of that name.
    """
    from geoaudit.diagnosis.pages.page import wrapped_text
    from geoaudit.errors import InputError
    from geoaudit.render.kernel_argument import kernel_argument
    from geoaudit.render.time_sentences import period

    if not wanted.name:
        raise InputError("explain --scan: name a kernel, or a part of its name.")
    audit = audited(scan, audit_options_of(choices), choices)
    say([f"warning: {one}" for one in audit.header.warnings])
    for number, row in enumerate(_rows_wanted(wanted, scan, audit)):
        if number:
            click.echo()
        heading, sections = kernel_argument(row, period(audit))
        for line in wrapped_text(heading, width):
            click.secho(line, bold=True)
        for title_of_section, sentences in sections:
            click.secho(f"\n{title_of_section}", bold=True)
            for sentence in sentences:
                for line in wrapped_text(sentence, width, first="  ", rest="    "):
                    click.echo(line)


def _rows_wanted(wanted: _Wanted, scan: Path, audit: "Audit") -> "tuple[AuditRow, ...]":
    """The launch signatures of a kernel, the one that wastes most first.

    Raises:
        InputError: the recording has none of that name, or none of that grid.
    """
    from difflib import get_close_matches

    from geoaudit.errors import InputError
    from geoaudit.render.row_cells import grid_text

    rows = (*audit.rows, *audit.communication_rows)
    named = _named(wanted.name, rows)
    if not named:
        shorts = list(dict.fromkeys(row.kernel_short for row in rows))
        near = get_close_matches(wanted.name, shorts, n=5, cutoff=0.3) or shorts[:5]
        raise InputError(
            f"{scan}: no kernel is named {wanted.name!r}. There are {', '.join(near)}."
        )
    found = tuple(row for row in named if wanted.grid in (None, row.shape.grid))
    if not found:
        grids = ", ".join(dict.fromkeys(grid_text(row) for row in named))
        raise InputError(f"{scan}: --grid: no launch of {wanted.name!r} has it. There are {grids}.")
    return found


def _named(name: str, rows: "Sequence[AuditRow]") -> "tuple[AuditRow, ...]":
    """Rows of exactly this short name, else of a name that holds it, else that matches it."""
    named = tuple(row for row in rows if row.kernel_short == name) or tuple(
        row for row in rows if name.casefold() in row.kernel.casefold()
    )
    if named or pattern_fault(name) is not None:
        return named
    matches = matching_in_time(name, [row.kernel for row in rows])
    return tuple(row for row, is_match in zip(rows, matches, strict=True) if is_match)


def _pages(words: tuple[str, ...]) -> "list[Page]":
    """The pages of all names; words that make one name together need no quotes (SM fill).

    Raises:
        InputError: a word is part of no name.
    """
    from geoaudit.diagnosis.pages import pages_named
    from geoaudit.errors import InputError

    found: dict[str, Page] = {}
    rest = words
    while rest:
        for length in range(len(rest), 0, -1):
            try:
                pages = pages_named(" ".join(rest[:length]))
            except InputError:
                if length == 1:
                    raise
                continue
            found |= {page.name: page for page in pages}
            rest = rest[length:]
            break
    return list(found.values())


def _listing(pages: "tuple[Page, ...]", width: int) -> str:
    from geoaudit.diagnosis.pages.page import wrapped_text

    names = max(len(_listed_name(page)) for page in pages)
    lines = []
    for kind, heading in _HEADINGS.items():
        lines.append(f"{heading}:")
        for page in pages:
            if page.kind == kind:
                start = f"  {_listed_name(page):<{names}}  "
                lines += wrapped_text(page.summary, width, first=start, rest=" " * len(start))
        lines.append("")
    lines.append("geoaudit explain NAME... prints the pages of these.")
    return "\n".join(lines)


def _listed_name(page: "Page") -> str:
    return f"{page.name} {page.aliases[0]}" if page.kind == "rule" else page.name
