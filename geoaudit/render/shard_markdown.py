"""A shard check as Markdown, for a pull request or a job's summary."""

from collections.abc import Collection, Sequence

from geoaudit.quantities import duration, plural
from geoaudit.render.markdown_table import markdown_table
from geoaudit.render.names import markdown_code, markdown_text
from geoaudit.render.shard_agreement import (
    AGREEMENT_TITLE,
    LEGEND,
    agreement_headings,
    agreement_rows,
    agreement_sentences,
)
from geoaudit.render.shard_rows import SiteRow, rows_of
from geoaudit.render.shard_summary import header_lines, left_out_sentence, unanalysed_sentence
from geoaudit.render.shard_words import (
    SHARDED_BEHAVIOURS,
    SiteGroup,
    dimension_sentences,
    fill_cell,
    grouped,
    note_place,
    rank_headings,
    reason_sentences,
    shown_sites,
    verdict_text,
)
from geoaudit.shardcheck.behaviours import Behaviour
from geoaudit.shardcheck.listing import Listing

MOST_ROWS = 200
NAME_WIDTH = 80


def render_shard_markdown(
    listing: Listing, *, behaviours: Collection[Behaviour] = SHARDED_BEHAVIOURS
) -> str:
    """The check as Markdown, ending with a line feed.

    Args:
        listing: of the check.
        behaviours: launches to list, besides those with a finding.
    """
    shown = shown_sites(listing, behaviours)
    lines = ["## Grids that sharding shrinks", ""]
    lines += [f"- **{label}**: {markdown_text(text)}" for label, text in header_lines(listing)]
    left = MOST_ROWS
    for group in grouped(shown, listing.ranks):
        rows = rows_of(group.sites)
        if left > 0:
            lines += ["", *_group(group, listing, rows[:left])]
        left -= len(rows)
    if left < 0:
        lines += ["", f"{plural(-left, 'more row')} in the table and JSON."]
    for text in (left_out_sentence(listing, shown), unanalysed_sentence(listing)):
        lines += ["", markdown_text(text)] * bool(text)
    lines += _agreement(listing)
    lines += _unmatched(listing)
    lines += [""] * bool(listing.notes)
    lines += [
        f"- {note.severity}: {markdown_code(note_place(note), NAME_WIDTH)} "
        f"{markdown_text(note.text)}"
        for note in listing.notes
    ]
    return "\n".join(lines) + "\n"


def _group(group: SiteGroup, listing: Listing, found: Sequence[SiteRow]) -> list[str]:
    figures = rank_headings(listing)
    headings = ["kernel", "launch", "grid", *figures, "verdict"]
    rows = [_row(row, listing.ranks) for row in found]
    told = [markdown_text(one) + "  " for one in dimension_sentences(group.dimensions)]
    return [
        f"### {markdown_text(group.title)}",
        "",
        *told,
        *([""] if told else []),
        *markdown_table(headings, rows, right=figures),
    ]


def _row(row: SiteRow, ranks: Sequence[int]) -> list[str]:
    site = row.first
    # Of a fill that cannot be told every cell says the same.
    figures = [" ".join(dict.fromkeys(fill_cell(site, one))) for one in ranks]
    verdict = f"**{verdict_text(site)}**" if site.findings else verdict_text(site)
    reasons = "<br>".join(markdown_text(text) for text in reason_sentences(site, in_full=False))
    return [
        f"{markdown_code(site.kernel, NAME_WIDTH)}{row.times}",
        markdown_code(row.places, NAME_WIDTH),
        markdown_code(row.grids, NAME_WIDTH),
        *figures,
        f"{verdict}<br>{reasons}" if reasons else verdict,
    ]


def _agreement(listing: Listing) -> list[str]:
    told = [markdown_text(one) for one in agreement_sentences(listing)]
    if not told:
        return []
    headings = agreement_headings(listing)
    rows = [
        [markdown_code(cells[0], NAME_WIDTH), markdown_code(cells[1], NAME_WIDTH), *cells[2:]]
        for cells in agreement_rows(listing)
    ]
    title = AGREEMENT_TITLE.capitalize()
    lines = ["", f"### {title}", "", *[f"- {one}" for one in told], ""]
    return [*lines, *markdown_table(headings, rows, right=headings[2:]), "", LEGEND]


def _unmatched(listing: Listing) -> list[str]:
    if not listing.unmatched_kernels:
        return []
    names = ", ".join(
        f"{markdown_code(name, NAME_WIDTH)} {duration(time_ns)}"
        for name, time_ns in listing.unmatched_kernels[:10]
    )
    count = plural(len(listing.unmatched_kernels), "recorded kernel")
    return ["", f"{count} without a launch in this source, longest first: {names}"]
