"""The audit as a table for a terminal: what ``rank`` prints."""

from geoaudit.ranking.audit import Audit
from geoaudit.render.advice import legend, next_sentence
from geoaudit.render.distance import HEADINGS, NOT_A_SAVING, distance_sentence, distance_table
from geoaudit.render.headline import (
    header_lines,
    left_out_sentences,
    no_rows_sentence,
    order_sentence,
    replay_sentence,
)
from geoaudit.render.names import elide, sentence
from geoaudit.render.printing import LABEL_WIDTH, Line, labelled, printed
from geoaudit.render.rank_rows import rank_lines
from geoaudit.render.rank_tables import RANKS_LEGEND
from geoaudit.render.terminal_rows import row_lines
from geoaudit.render.text_columns import TextColumn, aligned, column_widths, wrapped
from geoaudit.render.time_sentences import (
    CEILING,
    blame_sentence,
    dud_sentence,
    gap_sentence,
    period,
    wall_parts,
    wall_sentence,
    waste_sentence,
)

NARROWEST = 60
WIDE_WIDTH = 160
_BAR_SIGNS = {"kernels": "█", "copies": "▒", "gaps": "░"}


def render_terminal(
    audit: Audit, *, width: int = 100, wide: bool = False, color: bool = False
) -> str:
    """The audit as text, ending with a line feed.

    Args:
        audit: the audit.
        width: terminal cells of a line; kernel names are elided to fit, numbers never are.
        wide: every column, whole kernel names and lines of at least 160 cells.
        color: with ANSI colours.

    Returns:
        Lines without trailing blanks; without colour there is no escape sequence in them,
        whatever the names hold.
    """
    width = max(width, WIDE_WIDTH if wide else NARROWEST)
    lines = [
        *_header(audit, width),
        *_totals(audit, width),
        *(_tables(audit, width, wide) if audit.group != "rank" else rank_lines(audit, width)),
        *_recording_findings(audit, width),
        *_distance(audit, width),
        *_notes(audit, width),
    ]
    return printed(lines, width, color)


def _header(audit: Audit, width: int) -> list[Line]:
    lines = []
    replay = replay_sentence(audit.header)
    if replay is not None:
        lines += [Line(text=text, style="bold yellow") for text in wrapped(replay, width)]
    for line in header_lines(audit):
        style = "yellow" if line.alarming else ""
        lines += labelled(line.label, line.text, width, style)
    return [*lines, Line()]


def _totals(audit: Audit, width: int) -> list[Line]:
    parts = " · ".join(
        f"{_BAR_SIGNS[part.name]} {part.name} {part.time}, {part.share}"
        for part in wall_parts(audit)
    )
    waste = f"SM-time per {period(audit)}: {waste_sentence(audit)}"
    lines = [
        *labelled("wall", wall_sentence(audit), width, "bold"),
        *_bar(audit, width),
        *(labelled("", parts, width) if parts else ()),
        *_optional(gap_sentence(audit), width, "bold yellow"),
        *_optional(dud_sentence(audit), width),
        *labelled("wasted", waste, width, "bold red"),
    ]
    if audit.totals.wasted_sm_time_per_token_ns is not None:
        lines += [*labelled("", CEILING, width), *_optional(blame_sentence(audit), width)]
    return [*lines, Line()]


def _optional(text: str | None, width: int, style: str = "") -> list[Line]:
    return [] if text is None else labelled("", text, width, style)


def _bar(audit: Audit, width: int) -> list[Line]:
    parts = wall_parts(audit)
    cells = width - LABEL_WIDTH
    edges = [0]
    reached = 0.0
    for part in parts:
        if part.fraction is None:
            return []
        reached += part.fraction
        edges.append(min(round(reached * cells), cells))
    bar = "".join(
        _BAR_SIGNS[part.name] * max(end - start, 0)
        for part, start, end in zip(parts, edges[:-1], edges[1:], strict=True)
    )
    return [Line(text=" " * LABEL_WIDTH + bar)] if bar else []


def _tables(audit: Audit, width: int, wide: bool) -> list[Line]:
    lines = []
    if audit.rows:
        lines.append(Line(text=order_sentence(audit), style="bold"))
        lines += row_lines(audit.rows, audit, width, wide)
    else:
        lines += [Line(text=text) for text in wrapped(no_rows_sentence(audit), width)]
    if audit.communication_rows:
        title = "communication: small by design, so not ranked with the rest"
        lines += [Line(), Line(text=title, style="bold")]
        lines += row_lines(audit.communication_rows, audit, width, wide)
    left_out = "; ".join(left_out_sentences(audit))
    if left_out:
        lines += [Line(), *(Line(text=text) for text in wrapped(left_out, width))]
    return [*lines, Line()]


def _recording_findings(audit: Audit, width: int) -> list[Line]:
    lines = []
    for finding in audit.recording_findings:
        style = "" if finding.severity == "note" else "yellow"
        text = f"{finding.severity}: {sentence(finding.message)} ({finding.rule_name})"
        lines += labelled(finding.rule_id, text, width, style)
    return [*lines, Line()] if lines else []


def _distance(audit: Audit, width: int) -> list[Line]:
    account = audit.distance
    if account is None:
        return []
    title = f"distance: {distance_sentence(account, audit)}"
    table = distance_table(account, lambda name: elide(name, width - 44))
    lines = [Line(text=text, style="bold") for text in wrapped(title, width)]
    if table.rows:
        columns = [TextColumn(heading=heading, right=heading != "lever") for heading in HEADINGS]
        widths = column_widths(columns, table.rows)
        lines.append(Line(text=aligned(HEADINGS, columns, widths), style="bold"))
        lines += [Line(text=aligned(row, columns, widths)) for row in table.rows]
        lines += [Line(text=text) for text in wrapped(table.more, width) if text]
        lines += [Line(text=text) for text in wrapped(NOT_A_SAVING, width)]
    return [*lines, Line()]


def _notes(audit: Audit, width: int) -> list[Line]:
    step = next_sentence(audit)
    if step is None:
        return []
    signs = RANKS_LEGEND if audit.group == "rank" else legend(audit)
    lines = wrapped(signs, width) + wrapped(f"next: {step}", width)
    return [Line(text=text, style="dim") for text in lines]
