"""A shard check as a table for a terminal: launches by the dimensions in their grids."""

from collections.abc import Collection, Sequence

from geoaudit.quantities import CANNOT_TELL, duration, plural
from geoaudit.render.names import elide, sentence, visible
from geoaudit.render.printing import Line, labelled, printed
from geoaudit.render.shard_agreement import (
    AGREEMENT_TITLE,
    LEGEND,
    agreement_headings,
    agreement_rows,
    agreement_sentences,
    is_disagreeing,
)
from geoaudit.render.shard_rows import SiteRow, rows_of
from geoaudit.render.shard_summary import header_lines, left_out_sentence, unanalysed_sentence
from geoaudit.render.shard_words import (
    SHARDED_BEHAVIOURS,
    SiteGroup,
    behaviour_text,
    dimension_sentences,
    fill_cell,
    grouped,
    note_place,
    rank_headings,
    reason_sentences,
    shown_sites,
)
from geoaudit.render.text_columns import TextColumn, aligned, column_widths, room_left, wrapped
from geoaudit.shardcheck.behaviours import Behaviour
from geoaudit.shardcheck.listing import ListedSite, Listing

NARROWEST = 80
SHORTEST_NAME = 16
NARROWEST_NAME = 8
MOST_KERNELS = 10
MOST_CONDITIONS = 3
_INDENT = "    "


def render_shard_terminal(
    listing: Listing,
    *,
    width: int = 100,
    color: bool = False,
    behaviours: Collection[Behaviour] = SHARDED_BEHAVIOURS,
    unanalysed: bool = False,
) -> str:
    """The check as text, ending with a line feed.

    Args:
        listing: of the check.
        width: terminal cells of a line; names are elided to fit, numbers never are.
        color: with ANSI colours.
        behaviours: launches to list, besides those with a finding.
        unanalysed: list every place that was not understood.
    """
    width = max(width, NARROWEST)
    shown = shown_sites(listing, behaviours)
    lines = [line for label, text in header_lines(listing) for line in labelled(label, text, width)]
    for group in grouped(shown, listing.ranks):
        lines += [Line(), *_group(group, listing, width)]
    lines += _sentences([left_out_sentence(listing, shown)], width)
    lines += _agreement(listing, width)
    lines += _unmatched(listing, width)
    lines += _unanalysed(listing, width, unanalysed)
    lines += _notes(listing, width)
    if shown:
        lines += _sentences([_legend(listing)], width, "dim")
    return printed(lines, width, color)


def _group(group: SiteGroup, listing: Listing, width: int) -> list[Line]:
    lines = [Line(text=elide(group.title, width), style="bold")]
    for told in dimension_sentences(group.dimensions):
        text = sentence(told)
        lines += [
            Line(text=one, style="dim") for one in wrapped(text, width, first="  ", rest="  ")
        ]
    return [*lines, *_rows(rows_of(group.sites), listing, width)]


def _rows(rows: Sequence[SiteRow], listing: Listing, width: int) -> list[Line]:
    columns = [
        TextColumn(heading=" "),
        TextColumn(heading="kernel", right=False),
        *(TextColumn(heading=one) for one in rank_headings(listing)),
        TextColumn(heading="verdict", right=False),
    ]
    sites = [row.first for row in rows]
    figures = _figures(sites, listing.ranks)
    widths = column_widths(columns, figures)
    beneath = room_left(widths, 1, width) < SHORTEST_NAME
    if beneath:
        # The verdict is the one column that reads as well in the line beneath.
        columns, widths = columns[:-1], widths[:-1]
        figures = [figure[:-1] for figure in figures]
    widths[1] = max(room_left(widths, 1, width), NARROWEST_NAME)
    headings = [column.heading for column in columns]
    lines = [Line(text=aligned(headings, columns, widths), style="bold")]
    for row, figure in zip(rows, figures, strict=True):
        site = row.first
        figure[1] = elide(site.kernel, widths[1] - len(row.times)) + row.times
        text = aligned(figure, columns, widths)
        is_marked = bool(site.findings) and not beneath
        lines.append(Line(text=text, marked=behaviour_text(site) if is_marked else ""))
        # A name with a gap in it is told in full where there is room.
        name = f"{visible(site.kernel)}: " * (elide(site.kernel, width) not in figure[1])
        lines += _details(row, width, f"{name}{behaviour_text(site)} · " if beneath else name)
    return lines


def _figures(sites: Sequence[ListedSite], ranks: Sequence[int]) -> list[list[str]]:
    """The cells of each site; the name is put in where its room is known."""
    by_ranks = [[fill_cell(site, one) for site in sites] for one in ranks]
    columns = []
    for cells in by_ranks:
        room = max(len(fill) for _, _, fill in cells)
        columns.append(
            [
                CANNOT_TELL if bar == CANNOT_TELL else f"{blocks} {bar} {fill:>{room}}"
                for blocks, bar, fill in cells
            ]
        )
    return [
        ["!" if site.findings else " ", "", *cells, behaviour_text(site)]
        for site, *cells in zip(sites, *columns, strict=True)
    ]


def _details(row: SiteRow, width: int, verdict: str) -> list[Line]:
    told = [f"{verdict}{row.launches} · grid {row.grids}"]
    told += [*reason_sentences(row.first, in_full=False), *row.conditions[1:MOST_CONDITIONS]]
    return [
        Line(text=line, style="dim")
        for text in told
        for line in wrapped(sentence(text), width, first=_INDENT, rest=_INDENT)
    ]


def _sentences(texts: Sequence[str], width: int, style: str = "") -> list[Line]:
    return [
        line
        for text in texts
        if text
        for line in (Line(), *(Line(text=one, style=style) for one in wrapped(text, width)))
    ]


def _agreement(listing: Listing, width: int) -> list[Line]:
    """What was predicted beside what was recorded; nothing without a recording."""
    rows = agreement_rows(listing)
    sentences = [sentence(one) for one in agreement_sentences(listing)]
    if not sentences:
        return []
    headings = agreement_headings(listing)
    columns = [TextColumn(heading=one, right=place > 1) for place, one in enumerate(headings)]
    widths = column_widths(columns, rows)
    for place in (1, 0):
        widths[place] = min(widths[place], max(room_left(widths, place, width), NARROWEST_NAME))
    lines = [Line(), Line(text=AGREEMENT_TITLE, style="bold")]
    for cells in [headings, *rows]:
        names = [elide(cell, room) for cell, room in zip(cells[:2], widths, strict=False)]
        style = "bold" if cells is headings else "yellow" if is_disagreeing(cells) else ""
        lines.append(Line(text=aligned([*names, *cells[2:]], columns, widths), style=style))
    for text in sentences:
        lines += [Line(text=one) for one in wrapped(text, width, rest=_INDENT)]
    return [*lines, *(Line(text=one, style="dim") for one in wrapped(LEGEND, width))]


def _unmatched(listing: Listing, width: int) -> list[Line]:
    kernels = listing.unmatched_kernels
    if not kernels:
        return []
    title = f"{plural(len(kernels), 'recorded kernel')} without a launch in this source:"
    lines = [Line(), *(Line(text=one) for one in wrapped(title, width))]
    for name, time_ns in kernels[:MOST_KERNELS]:
        lines.append(Line(text=f"{duration(time_ns):>10}  {elide(name, width - 12)}"))
    more = len(kernels) - MOST_KERNELS
    if more > 0:
        rest = duration(sum(time_ns for _, time_ns in kernels[MOST_KERNELS:]))
        lines.append(Line(text=f"{rest:>10}  in {more} more"))
    return lines


def _unanalysed(listing: Listing, width: int, in_full: bool) -> list[Line]:
    lines = _sentences([unanalysed_sentence(listing)], width, "yellow")
    if not in_full:
        return lines
    for one in listing.unanalysed:
        where = f"{one.path}:{one.line}" if one.line else one.path
        text = f"{visible(where)} {sentence(one.reason)}"
        lines += [Line(text=line) for line in wrapped(text, width, first="  ", rest=_INDENT)]
    return lines


def _notes(listing: Listing, width: int) -> list[Line]:
    lines = [Line()] if listing.notes else []
    for note in listing.notes:
        text = f"{note.severity}: {visible(note_place(note))} {sentence(note.text)}"
        style = "yellow" if note.severity != "note" else ""
        lines += [Line(text=line, style=style) for line in wrapped(text, width, rest=_INDENT)]
    return lines


def _legend(listing: Listing) -> str:
    return (
        f"Blocks, and the share of {listing.sms} SMs that have one, by {listing.by} ranks; ! a "
        "finding, ? cannot tell. --explain FILE:LINE shows how a grid is derived."
    )
