"""The ranks of a run as a section of Markdown."""

from dataclasses import replace

from geoaudit.ranking.audit import Audit
from geoaudit.render.headline import no_rows_sentence, order_sentence
from geoaudit.render.markdown_table import markdown_table
from geoaudit.render.names import markdown_code, markdown_text
from geoaudit.render.numbers import plural
from geoaudit.render.rank_tables import (
    RANKS_LEGEND,
    RankTable,
    collectives_table,
    communication_sentence,
    difference_sentences,
    geometry_sentence,
    left_out_of_ranks,
    ranks_table,
    signatures_table,
)

NAME_WIDTH = 72
SENTENCE_LENGTH = 400
MAXIMUM_RANKS = 64


def ranks_markdown(audit: Audit, limit: int) -> list[str]:
    """The ranks, whether they launch the same and the collectives; where asked for the kernels.

    Args:
        audit: the audit; nothing is said where it has no ranks to compare.
        limit: rows of each table of kernels.
    """
    ranks = audit.ranks
    if ranks is None:
        return []
    shown = replace(ranks, ranks=ranks.ranks[:MAXIMUM_RANKS])
    lines = ["### Ranks", "", *_table(ranks_table(shown, _name)), ""]
    if len(ranks.ranks) > MAXIMUM_RANKS:
        lines += [f"and {plural(len(ranks.ranks) - MAXIMUM_RANKS, 'more rank')}", ""]
    lines.append(f"- {geometry_sentence(ranks)}; {communication_sentence(audit)}")
    lines += [f"- {markdown_text(one, SENTENCE_LENGTH)}" for one in difference_sentences(ranks)]
    if audit.group == "rank":
        table = signatures_table(replace(ranks, signatures=ranks.signatures[:limit]), _name)
        title = f"{order_sentence(audit)}, time on each rank:"
        lines += ["", f"{title[0].upper()}{title[1:]}", ""]
        lines += _table(table) if table.rows else [no_rows_sentence(audit)]
    if ranks.collectives:
        table = collectives_table(replace(ranks, collectives=ranks.collectives[:limit]), _name)
        lines += ["", "Communication, own time and how long each rank waits:", "", *_table(table)]
    left_out = "; ".join(left_out_of_ranks(audit))
    if left_out and audit.group == "rank":
        lines += ["", left_out]
    return [*lines, "", markdown_text(RANKS_LEGEND, len(RANKS_LEGEND))]


def _name(name: str) -> str:
    return markdown_code(name, NAME_WIDTH)


def _table(table: RankTable) -> list[str]:
    """A table; the mark of the slowest rank is no emphasis."""
    headings = [heading.strip() for heading in table.headings]
    named = headings.index(table.named)
    rows = [
        [
            cell if place == named else markdown_text(cell.strip()) if cell.strip() else ""
            for place, cell in enumerate(row)
        ]
        for row in table.rows
    ]
    return markdown_table(headings, rows, right=[one for one in headings if one != table.named])
