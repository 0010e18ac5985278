"""The ranks of a run for a terminal: a line each, then kernels and collectives side by side."""

from geoaudit.ranking.audit import Audit
from geoaudit.ranking.ranks.comparison import RankComparison
from geoaudit.render.headline import no_rows_sentence, order_sentence
from geoaudit.render.names import elide, sentence
from geoaudit.render.printing import Line, labelled
from geoaudit.render.rank_tables import (
    COLLECTIVES_TITLE,
    SLOWEST,
    RankTable,
    collectives_table,
    difference_sentences,
    geometry_sentence,
    left_out_of_ranks,
    ranks_table,
    signatures_table,
)
from geoaudit.render.text_columns import TextColumn, aligned, column_widths, room_left, wrapped
from geoaudit.render.time_sentences import period

SHORTEST_NAME = 14


def rank_lines(audit: Audit, width: int) -> list[Line]:
    """The ranks, whether they launch the same, the kernels and the collectives.

    Args:
        audit: of a recording with several ranks.
        width: cells of a line.
    """
    ranks = audit.ranks
    if ranks is None:
        return []
    lines = [Line(text=f"ranks, figures per {period(audit)}", style="bold")]
    lines += _table_lines(ranks_table(ranks, str), width)
    lines += [Line(), *_geometry_lines(ranks, width), Line()]
    if ranks.signatures:
        lines += _title(f"{order_sentence(audit)}, time on each rank", width)
        lines += _table_lines(signatures_table(ranks, str), width)
    else:
        lines += [Line(text=text) for text in wrapped(no_rows_sentence(audit), width)]
    if ranks.collectives:
        lines += [Line(), *_title(COLLECTIVES_TITLE, width)]
        lines += _table_lines(collectives_table(ranks, str), width)
    left_out = "; ".join(left_out_of_ranks(audit))
    if left_out:
        lines += [Line(), *(Line(text=text) for text in wrapped(left_out, width))]
    return [*lines, Line()]


def _title(text: str, width: int) -> list[Line]:
    return [Line(text=line, style="bold") for line in wrapped(text, width)]


def _geometry_lines(ranks: RankComparison, width: int) -> list[Line]:
    geometry = ranks.geometry
    differs = geometry is not None and geometry.differing + geometry.lacking > 0
    said = geometry_sentence(ranks).removeprefix("geometry").lstrip(" :")
    lines = labelled("geometry", said, width, "yellow" if differs else "")
    for text in difference_sentences(ranks):
        lines += labelled("", sentence(text), width)
    return lines


def _table_lines(table: RankTable, width: int) -> list[Line]:
    """A table, its names elided to fit, without the dispensable columns that have no room."""
    for dropped in range(len(table.dispensable) + 1):
        left_out = table.dispensable[:dropped]
        kept = [place for place, one in enumerate(table.headings) if one not in left_out]
        headings = [table.headings[place] for place in kept]
        named = headings.index(table.named)
        rows = [[row[place] for place in kept] for row in table.rows]
        columns = [TextColumn(heading=one, right=one != table.named) for one in headings]
        bare = [[*row[:named], "", *row[named + 1 :]] for row in rows]
        widths = column_widths(columns, bare)
        if room_left(widths, named, width) >= SHORTEST_NAME:
            break
    widths[named] = max(room_left(widths, named, width), len(table.named))
    lines = [Line(text=aligned(headings, columns, widths), style="bold")]
    for row in rows:
        row[named] = elide(row[named], widths[named])
        marked = next((cell for cell in row if cell.endswith(SLOWEST)), "")
        lines.append(Line(text=aligned(row, columns, widths), marked=marked))
    return lines
