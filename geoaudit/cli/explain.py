"""``geoaudit explain``: a rule, verdict or column in a page of text."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from geoaudit.diagnosis.pages import Page

_HEADINGS = {"rule": "Rules", "verdict": "Verdicts", "column": "Columns"}


@click.command()
@click.argument("name", nargs=-1)
def explain(name: tuple[str, ...]) -> None:
    """Explain a rule (GA101 or its name), a verdict or a column; without NAME list them all.

    \b
    Examples:
      geoaudit explain
      geoaudit explain GA101
      geoaudit explain starved
      geoaudit explain wasted_sm_time_per_token_ns
    """
    from geoaudit.diagnosis.pages import all_pages, pages_named, title

    if not name:
        click.echo(_listing(all_pages()))
        return
    # Headings of a table have spaces (SM fill); whoever types one need not quote it.
    for number, page in enumerate(pages_named(" ".join(name))):
        if number:
            click.echo()
        click.secho(title(page), bold=True)
        click.echo()
        for line in page.text.splitlines():
            click.secho(line, bold=not line.startswith(" "))


def _listing(pages: "tuple[Page, ...]") -> str:
    width = max(len(_listed_name(page)) for page in pages)
    lines = []
    for kind, heading in _HEADINGS.items():
        lines.append(f"{heading}:")
        lines += [
            f"  {_listed_name(page):<{width}}  {page.summary}"
            for page in pages
            if page.kind == kind
        ]
        lines.append("")
    lines.append("geoaudit explain NAME prints the page of one of them.")
    return "\n".join(lines)


def _listed_name(page: "Page") -> str:
    return f"{page.name} {page.aliases[0]}" if page.kind == "rule" else page.name
