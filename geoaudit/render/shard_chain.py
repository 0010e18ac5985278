"""How a launch's grid is derived, line by line: what ``--explain FILE:LINE`` prints."""

from collections.abc import Sequence
from itertools import groupby

from geoaudit.quantities import CANNOT_TELL, plural
from geoaudit.render.names import sentence, visible
from geoaudit.render.printing import Line, labelled, printed
from geoaudit.render.shard_words import (
    dimension_sentence,
    fill_cell,
    grid_text,
    launch_text,
    rank_headings,
    reason_sentences,
    verdict_text,
)
from geoaudit.render.text_columns import wrapped
from geoaudit.shardcheck.listing import ListedHop, ListedSite, Listing

AXES = ("x", "y", "z")


def render_shard_chain(
    sites: Sequence[ListedSite], listing: Listing, *, width: int = 100, color: bool = False
) -> str:
    """The whole argument for each of some launches, ending with a line feed.

    Args:
        sites: launches of one place.
        listing: of the check they are of.
        width: terminal cells of a line.
        color: with ANSI colours.
    """
    lines: list[Line] = []
    for site in sites:
        lines += [Line()] * bool(lines)
        lines += _argument(site, listing, width)
    return printed(lines, width, color)


def _argument(site: ListedSite, listing: Listing, width: int) -> list[Line]:
    idiom = "" if site.launcher else f" ({site.idiom})"
    lines = [
        Line(text=f"{visible(site.kernel)}: {verdict_text(site)}", style="bold"),
        *labelled("launch", sentence(launch_text(site) + idiom), width),
        *labelled("grid", sentence(grid_text(site.grid)), width),
    ]
    if site.block is not None:
        lines += labelled("block", sentence(grid_text(site.block)), width)
    lines += _figures(site, listing, width)
    for axis, roots in zip(AXES, site.roots, strict=True):
        if roots:
            lines += labelled(f"{axis} is of", sentence(", ".join(roots)), width)
    for dimension in site.sharded:
        lines += labelled("sharded", sentence(dimension_sentence(dimension)), width)
    for text in reason_sentences(site):
        lines += labelled("", sentence(text), width)
    return [*lines, *_tree(site, width)]


def _figures(site: ListedSite, listing: Listing, width: int) -> list[Line]:
    """Blocks and fill at each number of ranks, numbers under numbers."""
    cells = [fill_cell(site, ranks) for ranks in listing.ranks]
    most, widest = (max(len(cell[part]) for cell in cells) for part in (0, 2))
    lines = []
    for heading, (blocks, bar, fill) in zip(rank_headings(listing), cells, strict=True):
        is_told = bar != CANNOT_TELL
        text = f"{blocks:>{most}} blocks {bar} {fill:>{widest}}" if is_told else CANNOT_TELL
        lines += labelled(heading, text, width)
    return lines


def _tree(site: ListedSite, width: int) -> list[Line]:
    """The hops, those of a file side by side under its name."""
    calls = plural(site.callers_followed, "call")
    depth = f", callers followed {calls} deep" * bool(site.callers_followed)
    lines = [Line(), Line(text=f"derivation from the launch{depth}", style="bold")]
    files = [(path, list(hops)) for path, hops in groupby(site.chain, lambda hop: hop.path)]
    if not files:
        return [*lines, Line(text="└── the grid is written in the launch")]
    for number, (path, hops) in enumerate(files, 1):
        is_last = number == len(files)
        lines.append(Line(text=f"{'└' if is_last else '├'}── {visible(path)}"))
        lines += _hops(hops, "    " if is_last else "│   ", width)
    return lines


def _hops(hops: Sequence[ListedHop], guide: str, width: int) -> list[Line]:
    digits = max(len(str(hop.line)) for hop in hops)
    lines = []
    for number, hop in enumerate(hops, 1):
        is_last = number == len(hops)
        first = f"{guide}{'└' if is_last else '├'}── {hop.line:>{digits}}  "
        rest = f"{guide}{' ' if is_last else '│'}   {' ' * digits}  "
        lines += [
            Line(text=one) for one in wrapped(sentence(hop.text), width, first=first, rest=rest)
        ]
    return lines
