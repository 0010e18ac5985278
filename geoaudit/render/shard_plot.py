"""SM fill against the number of ranks, as lines of an SVG: one picture for each dimension."""

from collections.abc import Sequence
from dataclasses import dataclass

from geoaudit.quantities import percent
from geoaudit.render.names import elide
from geoaudit.render.shard_words import SiteGroup, place, rank_headings, verdict_text
from geoaudit.shardcheck.behaviours import Behaviour
from geoaudit.shardcheck.listing import ListedSite, Listing

WIDTH, HEIGHT = 900, 220
LEFT, RIGHT, TOP, BOTTOM = 48, 260, 12, 28
MOST_LINES = 60
MOST_LABELS = 12
KINDS: dict[Behaviour, str] = {
    "collapses": "starved",
    "small": "shaped",
    "capped_by_constant": "short",
    "compensated": "busy",
    "shrinks": "busy",
    "independent": "communication",
    "constant": "communication",
    "launcher": "open",
    "unknown": "open",
}
"""Behaviour -> class of the page's style, which has its colour."""


def kind_of(site: ListedSite) -> str:
    """The class of a launch's colour; one that shrinks to what is not known is not fine yet."""
    if site.behaviour == "shrinks" and None in site.sm_fill.values():
        return KINDS["unknown"]
    return KINDS[site.behaviour]


@dataclass(frozen=True, kw_only=True)
class PlotLine:
    """Launches with the same fill at every number of ranks.

    Attributes:
        kind: class of its colour.
        title: what the pointer shows on it.
        points: of a polyline, ``x,y x,y``.
        label: at its end; empty: there is no room.
        label_y: where.
    """

    kind: str
    title: str
    points: str
    label: str
    label_y: float


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A mark of the axis of ranks."""

    x: float
    label: str


@dataclass(frozen=True, kw_only=True)
class FillPlot:
    """The picture of a dimension; `left_out`: launches that are not drawn."""

    title: str
    lines: tuple[PlotLine, ...]
    ticks: tuple[Tick, ...]
    left_out: int


def fill_plot(group: SiteGroup, listing: Listing) -> FillPlot | None:
    """The picture of a group; None: there is nothing to draw.

    Launches whose fill is not known at every number of ranks are left out, and counted.
    """
    ranks = listing.ranks
    curves: dict[tuple[str, tuple[float, ...]], list[ListedSite]] = {}
    for site in group.sites:
        fills = [site.sm_fill.get(one) for one in ranks]
        known = tuple(fill for fill in fills if fill is not None)
        if len(known) == len(ranks):
            curves.setdefault((kind_of(site), known), []).append(site)
    drawn = list(curves.items())[:MOST_LINES]
    if not drawn or len(ranks) < 2:
        return None
    ends = _label_heights([fills[-1] for (_, fills), _ in drawn[:MOST_LABELS]])
    lines = tuple(
        _line(kind, fills, sites, ranks, ends[number] if number < len(ends) else None)
        for number, ((kind, fills), sites) in enumerate(drawn)
    )
    return FillPlot(
        title=elide(group.title, 80),
        lines=lines,
        ticks=tuple(
            Tick(x=_x(number, ranks), label=heading)
            for number, heading in enumerate(rank_headings(listing))
        ),
        left_out=len(group.sites) - sum(len(sites) for _, sites in drawn),
    )


def _line(
    kind: str,
    fills: Sequence[float],
    sites: Sequence[ListedSite],
    ranks: Sequence[int],
    label_y: float | None,
) -> PlotLine:
    points = " ".join(
        f"{_x(number, ranks):.1f},{_y(fill):.1f}" for number, fill in enumerate(fills)
    )
    first = sites[0]
    more = f" and {len(sites) - 1} more" if len(sites) > 1 else ""
    shown = ", ".join(percent(fill) for fill in fills)
    title = f"{elide(first.kernel, 60)}{more}, {place(first)}: {verdict_text(first)}, {shown}"
    label = "" if label_y is None else f"{elide(first.kernel, 26)}{more}"
    return PlotLine(kind=kind, title=title, points=points, label=label, label_y=label_y or 0.0)


def _label_heights(fills: Sequence[float]) -> list[float]:
    """Heights of labels beside the ends of lines, at least a line apart, in the lines' order."""
    order = sorted(range(len(fills)), key=lambda number: -fills[number])
    heights = [0.0] * len(fills)
    lowest = TOP - 4.0
    for position, number in enumerate(order):
        below = (len(order) - position - 1) * 14.0
        wanted = max(_y(fills[number]) + 4, lowest + 14)
        heights[number] = min(wanted, max(HEIGHT - BOTTOM + 4 - below, lowest + 14))
        lowest = heights[number]
    return heights


def _x(number: int, ranks: Sequence[int]) -> float:
    return LEFT + number * (WIDTH - LEFT - RIGHT) / (len(ranks) - 1)


def _y(fill: float) -> float:
    return TOP + (1 - min(max(fill, 0.0), 1.0)) * (HEIGHT - TOP - BOTTOM)
