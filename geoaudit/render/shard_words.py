"""A shard check in sentences, and which of its launches a table shows: one place for all."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from geoaudit.diagnosis.rule import SEVERITIES
from geoaudit.quantities import count, duration, percent, plural, share
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
MOST_TAKEN = 3
_ROUNDINGS = {
    "floor": "rounded down",
    "ceil": "rounded up",
    "at_least_one": "at least one a rank",
}


def header_lines(listing: Listing) -> tuple[tuple[str, str], ...]:
    """Label and text of what was read and what it is held against."""
    ranks = ", ".join(map(str, listing.ranks))
    return (
        ("device", f"{listing.device} · {listing.sms} SMs · {listing.by} = {ranks}"),
        ("assumed", " · ".join(_assumptions(listing))),
        ("files", files_sentence(listing)),
        ("launches", launches_sentence(listing)),
        ("findings", findings_sentence(listing)),
    )


def _assumptions(listing: Listing) -> list[str]:
    """What was told by an option, and which symbols were taken for which reason."""
    told, taken = [], defaultdict[str, dict[str, int]](dict)
    for name, (value, source) in listing.assumed.items():
        if source.startswith("--"):
            told.append(f"{name} {value:,} ({source})")
        else:
            taken[source.partition(",")[0]][name] = value
    told += [f"{_taken(values)} ({source})" for source, values in sorted(taken.items())]
    return told or ["nothing"]


def _taken(values: Mapping[str, int]) -> str:
    """Values of symbols; of more than a few how many they are."""
    if len(values) <= MOST_TAKEN:
        return ", ".join(f"{name} {value:,}" for name, value in values.items())
    most, least = max(values.values()), min(values.values())
    each = f"each {most:,}" if most == least else f"from {least:,} to {most:,}"
    return f"{plural(len(values), 'symbol')} {each}"


def files_sentence(listing: Listing) -> str:
    """Files that were read, left out and not analysed."""
    parts = [f"{plural(listing.read, 'file')} read"]
    skipped = sum(listing.skipped.values())
    if skipped:
        reasons = ", ".join(f"{count(n)} {reason}" for reason, n in listing.skipped.items())
        parts.append(f"{count(skipped)} skipped ({reasons})")
    whole = len(listing.files_not_analysed)
    parts.append(f"{count(whole)} not analysed")
    return ", ".join(parts)


def launches_sentence(listing: Listing) -> str:
    """Launches that a text search finds, and that the analysis recognised."""
    textual, recognised = (sum(counts.values()) for counts in (listing.textual, listing.recognised))
    unknown = sum(site.behaviour == "unknown" for site in listing.sites)
    found = f"{count(recognised)} of {count(textual)} recognised"
    if textual:
        found += f" ({percent(share(recognised, textual))})"
    total = plural(len(listing.sites), "site")
    return f"{found} · {total} · {count(unknown)} of them cannot be told"


def findings_sentence(listing: Listing) -> str:
    """Findings by rule, with those that the baseline or a remark holds back."""
    by_rule = Counter(
        f"{one.rule_id} {one.rule_name}" for site in listing.sites for one in site.findings
    )
    parts = [f"{count(number)} × {rule}" for rule, number in sorted(by_rule.items())] or ["none"]
    known = sum(len(site.known) for site in listing.sites)
    allowed = sum(len(site.suppressed) for site in listing.sites)
    parts += [f"{count(known)} in the baseline"] * bool(known)
    parts += [f"{count(allowed)} allowed in the source"] * bool(allowed)
    return " · ".join(parts)


def left_out_sentence(listing: Listing, shown: Sequence[ListedSite]) -> str:
    """Launches that are not shown, by behaviour; empty: all are."""
    hidden = Counter(site.behaviour for site in listing.sites)
    hidden.subtract(site.behaviour for site in shown)
    parts = [f"{count(hidden[one])} {one}" for one in BEHAVIOURS if hidden[one]]
    if not parts:
        return ""
    more = plural(sum(hidden.values()), "more launch", "more launches")
    return f"{more}: {', '.join(parts)} (--all lists them, --show unknown only those)"


def unanalysed_sentence(listing: Listing) -> str:
    """How much was seen and not understood; empty: nothing."""
    if not listing.unanalysed:
        return ""
    files = len({one.path for one in listing.unanalysed})
    places = plural(len(listing.unanalysed), "place")
    return f"{places} in {plural(files, 'file')} not analysed (--unanalysed lists them)"
