"""``geoaudit explain``: a rule, verdict or column in a page of text."""

from typing import TYPE_CHECKING

import click

from geoaudit.cli.completion import complete_page

if TYPE_CHECKING:
    from geoaudit.diagnosis.pages import Page

_HEADINGS = {"rule": "Rules", "verdict": "Verdicts", "column": "Columns"}


@click.command()
@click.argument("name", nargs=-1, shell_complete=complete_page)
def explain(name: tuple[str, ...]) -> None:
    """Explain a rule (GA101 or its name), a verdict or a column; without NAME list them all.

    \b
    Examples:
      geoaudit explain
      geoaudit explain GA101
      geoaudit explain GA101 starved
      geoaudit explain wasted_sm_time_per_token_ns
    """
    from geoaudit.cli.terminal_width import terminal_width
    from geoaudit.diagnosis.pages import all_pages, title
    from geoaudit.diagnosis.pages.page import wrapped_page, wrapped_text

    width = terminal_width()
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
