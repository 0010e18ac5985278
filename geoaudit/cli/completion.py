"""What a shell offers to complete. Everything it needs is imported when it is asked."""

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem


def complete_device(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of the device table: each device once, by the spelling that fits what is typed."""
    from geoaudit.devices.table import all_entries, lookup
    from geoaudit.render.devices import short_name

    wanted = incomplete.casefold()
    items = []
    for entry in all_entries():
        short = short_name(entry.spec.name)
        names = (short, short.removeprefix("AMD "), entry.spec.name, *entry.aliases)
        spellings = [name for name in names if lookup(name) == entry]
        fitting = [name for name in spellings if name.casefold().startswith(wanted)]
        if fitting:
            items.append(CompletionItem(fitting[0], help=f"{entry.spec.sm_count} SMs"))
    return items


def complete_page(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of the pages of `geoaudit explain`."""
    from geoaudit.diagnosis.pages import all_pages

    return [
        CompletionItem(name, help=page.summary)
        for page in all_pages()
        for name in ((page.name, *page.aliases) if page.kind == "rule" else (page.name,))
        if name.casefold().startswith(incomplete.casefold())
    ]


def complete_fail_on(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The last word of a comma-separated list of rules, verdicts and severities."""
    from geoaudit.diagnosis.pages import all_pages
    from geoaudit.diagnosis.rule import SEVERITIES

    before, comma, word = incomplete.rpartition(",")
    names = [page.name for page in all_pages() if page.kind in ("rule", "verdict")]
    return _starting((*SEVERITIES, *names, "waste>25%"), word, before + comma)


def complete_verdict(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of the verdicts."""
    from geoaudit.diagnosis.finding import VERDICTS

    return _starting(VERDICTS, incomplete)


def complete_behaviour(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The last word of a comma-separated list of behaviours under sharding."""
    from geoaudit.shardcheck.behaviours import BEHAVIOURS

    before, comma, word = incomplete.rpartition(",")
    return _starting(BEHAVIOURS, word, before + comma)


def complete_owner(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """``own``, ``library``, and the owners that are told by name."""
    from geoaudit.launches.owners import known_owners

    return _starting(dict.fromkeys(("own", "library", *known_owners())), incomplete)


def _starting(names: Iterable[str], word: str, before: str = "") -> list[CompletionItem]:
    return [
        CompletionItem(before + name)
        for name in names
        if name.casefold().startswith(word.casefold())
    ]
