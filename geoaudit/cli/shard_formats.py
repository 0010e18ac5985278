"""The formats of `shard-check`; what renders one is imported when it is asked for."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoaudit.cli.shard_options import shown_behaviours
from geoaudit.cli.terminal_width import has_colors, terminal_width

if TYPE_CHECKING:
    from geoaudit.shardcheck.behaviours import Behaviour
    from geoaudit.shardcheck.listing import Listing


def shard_renderers(
    listing: "Listing", root: Path, choices: dict[str, Any]
) -> "dict[str, Callable[[], str]]":
    """Format -> what renders it.

    Args:
        listing: of the check.
        root: folder that its paths are relative to.
        choices: values of the options, by parameter name.
    """
    behaviours = shown_behaviours(choices["show_all"], choices["behaviours"])
    return {
        "table": lambda: _table(listing, behaviours, choices["unanalysed"]),
        "json": lambda: _json(listing),
        "csv": lambda: _csv(listing),
        "markdown": lambda: _markdown(listing, behaviours),
        "sarif": lambda: _sarif(listing, root),
        "html": lambda: _html(listing, behaviours),
    }


def _table(listing: "Listing", behaviours: "tuple[Behaviour, ...]", unanalysed: bool) -> str:
    from geoaudit.render.shard_terminal import render_shard_terminal

    return render_shard_terminal(
        listing,
        width=terminal_width(),
        color=has_colors(),
        behaviours=behaviours,
        unanalysed=unanalysed,
    )


def _json(listing: "Listing") -> str:
    from geoaudit.render.shard_json import render_shard_json

    return render_shard_json(listing)


def _csv(listing: "Listing") -> str:
    from geoaudit.render.shard_csv import render_shard_csv

    return render_shard_csv(listing)


def _markdown(listing: "Listing", behaviours: "tuple[Behaviour, ...]") -> str:
    from geoaudit.render.shard_markdown import render_shard_markdown

    return render_shard_markdown(listing, behaviours=behaviours)


def _html(listing: "Listing", behaviours: "tuple[Behaviour, ...]") -> str:
    from geoaudit.render.shard_html import render_shard_html

    return render_shard_html(listing, behaviours=behaviours)


def _sarif(listing: "Listing", root: Path) -> str:
    from geoaudit.render.shard_sarif import render_shard_sarif
    from geoaudit.shardcheck.source_rules import source_rules

    return render_shard_sarif(listing, source_rules(), _folder(root))


def _folder(root: Path) -> str:
    """The root from the current folder; elsewhere as a URI."""
    try:
        folder = root.relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return root.as_uri()
    return "" if folder == "." else folder
