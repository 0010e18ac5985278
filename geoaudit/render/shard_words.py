"""Launches of a shard check in words, and which of them a table shows: one place for all."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from geoaudit.diagnosis.rule import SEVERITIES
from geoaudit.quantities import count, duration, percent
from geoaudit.shardcheck.behaviours import BEHAVIOURS, Behaviour
from geoaudit.shardcheck.listing import ListedDimension, ListedNote, ListedSite, Listing, Texts

BARS = " ▁▂▃▄▅▆▇█"
UNSHARDED = "no sharded dimension"
SHARDED_BEHAVIOURS: tuple[Behaviour, ...] = (
    "collapses",
    "small",
    "capped_by_constant",
    "compensated",
    "shrinks",
)
"""What a table lists where nothing else is asked for: whatever a sharded dimension is in."""


@dataclass(frozen=True, kw_only=True)
class SiteGroup:
    """Launches whose grids the same dimensions are in.

    Attributes:
        title: the dimensions, ``n_head``; of several ``n_head × n_expert``.
        dimensions: what is known of each.
        sites: findings first, then the emptiest first.
    """

    title: str
    dimensions: tuple[ListedDimension, ...]
    sites: tuple[ListedSite, ...]


def shown_sites(
    listing: Listing, behaviours: Collection[Behaviour] = SHARDED_BEHAVIOURS
) -> tuple[ListedSite, ...]:
    """Launches of these behaviours, and all with a finding, known or suppressed ones too."""
    return tuple(
        site
        for site in listing.sites
        if site.behaviour in behaviours or site.findings or site.known or site.suppressed
    )


def grouped(sites: Sequence[ListedSite], ranks: Sequence[int]) -> tuple[SiteGroup, ...]:
    """Launches by the dimensions in their grids, groups with most findings first."""
    groups: dict[tuple[str, ...], list[ListedSite]] = {}
    for site in sites:
        names = dict.fromkeys(dimension_name(one.name) for one in site.sharded)
        groups.setdefault(tuple(names), []).append(site)
    ordered = sorted(groups.items(), key=lambda item: (not item[0], -_findings(item[1]), item[0]))
    return tuple(
        SiteGroup(
            title=" × ".join(names) or UNSHARDED,
            dimensions=_told_apart(one for site in several for one in site.sharded),
            sites=tuple(sorted(several, key=lambda site: _urgency(site, ranks))),
        )
        for names, several in ordered
    )


def _told_apart(dimensions: Iterable[ListedDimension]) -> tuple[ListedDimension, ...]:
    """One of all that differ only in what holds them."""
    found: dict[tuple[object, ...], ListedDimension] = {}
    for one in dimensions:
        key = (dimension_name(one.name), one.rounding, one.by, one.total, one.reason)
        found.setdefault(key, one)
    return tuple(found.values())


def dimension_name(name: str) -> str:
    """What a dimension is called wherever it is held; the extent of a tensor is its own.

    >>> dimension_name("params.n_head"), dimension_name("q.shape[1]")
    ('n_head', 'q.shape[1]')
    """
    parts = name.split(".")
    return parts[-1] if all(part.isidentifier() for part in parts) else name


def _findings(sites: Sequence[ListedSite]) -> int:
    return sum(len(site.findings) for site in sites)


def _urgency(site: ListedSite, ranks: Sequence[int]) -> tuple[int, int, float, str, int]:
    worst = min((SEVERITIES.index(one.severity) for one in site.findings), default=9)
    fill = site.sm_fill.get(ranks[-1]) if ranks else None
    behaviour = BEHAVIOURS.index(site.behaviour)
    return worst, behaviour, 2.0 if fill is None else fill, site.path, site.line


def rank_headings(listing: Listing) -> list[str]:
    """Headings of the columns of figures: ``tp 1``, ``tp 8``."""
    return [f"{listing.by} {ranks}" for ranks in listing.ranks]


def fill_cell(site: ListedSite, ranks: int) -> tuple[str, str, str]:
    """Blocks, a bar and SM fill at a number of ranks; ``?`` where they cannot be told."""
    fill = site.sm_fill.get(ranks)
    return count(site.blocks.get(ranks)), fill_bar(fill), percent(fill)


def fill_bar(fill: float | None) -> str:
    """A sign as high as the share of SMs that have a block.

    >>> fill_bar(0.0), fill_bar(0.09), fill_bar(0.5), fill_bar(1.0), fill_bar(None)
    (' ', '▁', '▄', '█', '?')
    """
    if fill is None:
        return "?"
    return BARS[max(round(min(fill, 1.0) * 8), int(fill > 0))]


def behaviour_text(site: ListedSite) -> str:
    """The behaviour in words: ``capped by constant``."""
    return site.behaviour.replace("_", " ")


def verdict_text(site: ListedSite) -> str:
    """The behaviour, with the rules that fired."""
    words = [behaviour_text(site), *(one.rule_id for one in site.findings)]
    words += [f"{one.rule_id} known" for one in site.known]
    words += [f"{one.finding.rule_id} allowed" for one in site.suppressed]
    return " ".join(words)


def place(site: ListedSite) -> str:
    """Where a launch stands: ``csrc/k.cu:12``."""
    return f"{site.path}:{site.line}"


def note_place(note: ListedNote) -> str:
    """What a note is of: ``csrc/k.cu:12``, a file, or the command line."""
    if not note.path:
        return "command line:"
    return f"{note.path}:{note.line}" if note.line else note.path


def launch_text(site: ListedSite) -> str:
    """Where a launch stands, in which function, and by which launcher."""
    within = f" in {site.function}" if site.function else ""
    by = f" by {site.launcher}" if site.launcher else ""
    return f"{place(site)}{within}{by}"


def grid_text(grid: Texts) -> str:
    """A grid's extents without trailing ones.

    >>> grid_text(("n_head", "3", "1")), grid_text(("1", "1", "1"))
    ('(n_head, 3)', '(1)')
    """
    axes = list(grid)
    while len(axes) > 1 and axes[-1] == "1":
        axes.pop()
    return f"({', '.join(axes)})"


def reason_sentences(site: ListedSite, *, in_full: bool = True) -> tuple[str, ...]:
    """What the verdict rests on: findings, conditions, what is allowed and why.

    Not ``in_full`` what the verdict and the figures say already is left out.
    """
    told = [f"{one.rule_id} {one.message}" for one in site.findings]
    told += [f"{one.rule_id}, in the baseline: {one.message}" for one in site.known]
    told += [f"{one.finding.rule_id} is allowed here: {one.reason}" for one in site.suppressed]
    if not told and site.reason and (in_full or site.behaviour not in _SAID_BY_FIGURES):
        told.append(site.reason)
    if site.condition:
        told.append(site.condition)
    if site.measured_ns_per_token is not None:
        told.append(f"{duration(site.measured_ns_per_token)} per token, as recorded")
    return tuple(told)


_SAID_BY_FIGURES = ("shrinks", "constant", "launcher")


def dimension_sentences(dimensions: Sequence[ListedDimension]) -> tuple[str, ...]:
    """What is known of dimensions; those that differ in the reason alone are one sentence."""
    alike: dict[tuple[object, ...], list[ListedDimension]] = {}
    for one in dimensions:
        key = (dimension_name(one.name), one.rounding, one.by, one.total, one.is_certain)
        alike.setdefault(key, []).append(one)
    return tuple(
        dimension_sentence(several[0], list(dict.fromkeys(one.reason for one in several)))
        for several in alike.values()
    )


def dimension_sentence(dimension: ListedDimension, reasons: Sequence[str] = ()) -> str:
    """What is known of a dimension, and why it counts as sharded."""
    total = "" if dimension.total is None else f" of {dimension.total:,}"
    certain = "" if dimension.is_certain else "probably "
    rounding = "" if dimension.rounding == "exact" else f", {_ROUNDINGS[dimension.rounding]}"
    by = f"{certain}divided by {dimension.by}{rounding}"
    told = list(reasons) or [dimension.reason]
    more = len(told) - MOST_REASONS
    why = "; ".join(told[:MOST_REASONS]) + (f"; and {more} more reasons" if more > 0 else "")
    return f"{dimension.name}{total} {by}: {why}"


MOST_REASONS = 3
_ROUNDINGS = {
    "floor": "rounded down",
    "ceil": "rounded up",
    "at_least_one": "at least one a rank",
}
