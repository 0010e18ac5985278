"""The audit as Markdown, fit for the job summary of a CI run."""

from collections.abc import Sequence

from geoaudit.ranking.arm_gains import gains_of_audit
from geoaudit.ranking.audit import Audit, AuditRow
from geoaudit.render.distance import HEADINGS, NOT_A_SAVING, distance_sentence, distance_table
from geoaudit.render.headline import (
    header_lines,
    left_out_sentences,
    no_rows_sentence,
    order_sentence,
    partial_sentence,
    replay_sentence,
)
from geoaudit.render.interventions import arm_gains_markdown
from geoaudit.render.markdown_table import markdown_table
from geoaudit.render.names import markdown_code, markdown_text
from geoaudit.render.numbers import count, plural
from geoaudit.render.rank_markdown import ranks_markdown
from geoaudit.render.row_cells import row_cells
from geoaudit.render.time_sentences import (
    CEILING,
    blame_sentence,
    gap_sentence,
    period,
    wall_parts,
    wall_sentence,
    waste_sentence,
)

# A CI job summary holds 1,024 KiB: with the widths below, these bounds keep any audit under it.
MAXIMUM_ROWS = 200
MAXIMUM_SENTENCES = 50
SENTENCE_LENGTH = 400
NAME_WIDTH = 72

_HEADINGS = (
    *("#", "kernel", "grid", "block", "calls", "time", "median ± spread", "SM fill", "waves"),
    *("blocks/SM", "wasted", "share", "verdict"),
)
_NUMBER_COLUMNS = frozenset(_HEADINGS) - {"kernel", "verdict", "blocks/SM"}


def render_markdown(audit: Audit, top: int = 20) -> str:
    """Headline, totals, the top rows and the findings as GitHub-flavoured Markdown.

    Args:
        audit: the audit.
        top: ranked rows shown; 0: all, at most ``MAXIMUM_ROWS``.

    Returns:
        Less than 1,024 KiB whatever the names and however many rows, ending with a line feed.
        Nothing in a name is markup, a link or a mention.
    """
    limit = min(top, MAXIMUM_ROWS) if top > 0 else MAXIMUM_ROWS
    blocks = [
        _title(audit),
        _totals(audit),
        *_rows(audit, limit),
        ranks_markdown(audit, limit),
        _findings(audit),
        _distance(audit),
        _gains(audit),
        _header(audit),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _rows(audit: Audit, limit: int) -> list[list[str]]:
    """The ranked rows; where ranks are asked for, their section has them side by side."""
    if audit.group == "rank":
        return []
    return [
        _table(audit, audit.rows[:limit]) if audit.rows else [no_rows_sentence(audit)],
        _left_out(audit, limit),
        _communication(audit, limit),
    ]


def _title(audit: Audit) -> list[str]:
    lines = [f"## Launch geometry per {period(audit)}"]
    replay = replay_sentence(audit.header)
    if replay is not None:
        lines += ["", f"**{markdown_text(replay)}**"]
    if audit.header.partial:
        lines += ["", f"**PARTIAL: {partial_sentence(audit.header)}.**"]
    return lines


def _totals(audit: Audit) -> list[str]:
    parts = " · ".join(f"{one.name} {one.time} ({one.share})" for one in wall_parts(audit))
    gaps, blame = gap_sentence(audit), blame_sentence(audit)
    wall = wall_sentence(audit)
    lines = [f"- **Wall** {wall}: {parts}" if parts else f"- **Wall** {wall}"]
    if gaps is not None:
        lines.append(f"- **Gaps**: {gaps}")
    waste = f"- **Wasted SM-time** per {period(audit)}: {waste_sentence(audit)}."
    if audit.totals.wasted_sm_time_per_token_ns is not None:
        waste += f" It is {CEILING}."
    return [*lines, waste if blame is None else f"{waste} Below, {blame}."]


def _table(audit: Audit, rows: Sequence[AuditRow]) -> list[str]:
    title = order_sentence(audit)
    table = markdown_table(_HEADINGS, map(_cells, rows), right=_NUMBER_COLUMNS)
    return [f"{title[0].upper()}{title[1:]}, share of the kernel time:", "", *table]


def _cells(row: AuditRow) -> list[str]:
    cells = row_cells(row)
    fill = f"**{cells.sm_fill}**" if cells.marked else cells.sm_fill
    limiter = "" if row.geometry.limiter is None else f", {cells.limiter}"
    tail = f", tail {cells.tail}" if row.geometry.tail_blocks and cells.tail else ""
    return [
        cells.rank,
        markdown_code(row.kernel_short, NAME_WIDTH),
        cells.grid,
        cells.block,
        cells.calls,
        cells.time,
        f"{cells.median} {cells.spread}",
        fill,
        f"{cells.waves}{tail}",
        f"{cells.resident_blocks}{limiter}",
        cells.wasted,
        cells.wasted_share,
        cells.verdict.replace("_", "\\_"),
    ]


def _left_out(audit: Audit, limit: int) -> list[str]:
    cut = len(audit.rows) - limit
    lines = [f"{count(cut)} more ranked rows are in rank.json and rank.csv."] if cut > 0 else []
    left_out = "; ".join(left_out_sentences(audit))
    return [*lines, left_out] if left_out else lines


def _communication(audit: Audit, limit: int) -> list[str]:
    if not audit.communication_rows:
        return []
    shown = audit.communication_rows[:limit]
    rows = plural(len(shown), "row")
    title = f"<details><summary>Communication: {rows}, small by design</summary>"
    return [title, "", *_table(audit, shown)[2:], "", "</details>"]


def _findings(audit: Audit) -> list[str]:
    shown = audit.recording_findings[:MAXIMUM_SENTENCES]
    lines = [
        f"- **{one.rule_id}** {one.severity}: {markdown_text(one.message, SENTENCE_LENGTH)}"
        for one in shown
    ]
    more = len(audit.recording_findings) - len(shown)
    if more > 0:
        lines.append(f"- and {count(more)} more")
    return ["### The recording", "", *lines] if lines else []


def _distance(audit: Audit) -> list[str]:
    account = audit.distance
    if account is None:
        return []
    lines = [f"**Distance**: {distance_sentence(account, audit)}"]
    table = distance_table(account, lambda name: markdown_code(name, NAME_WIDTH))
    if table.rows:
        lines += ["", *markdown_table(HEADINGS, table.rows, right=HEADINGS[1:]), ""]
        lines += [f"{table.more}. {NOT_A_SAVING}" if table.more else NOT_A_SAVING]
    return lines


def _gains(audit: Audit) -> list[str]:
    """What other shapes won alone, against the ceilings; where some were tried."""
    gains = gains_of_audit(audit)
    return ["### Ceilings and gains", "", *arm_gains_markdown(gains)] if gains else []


def _header(audit: Audit) -> list[str]:
    lines = header_lines(audit)
    shown = [
        f"- {line.label or 'and'}: {markdown_text(line.text, SENTENCE_LENGTH)}"
        for line in lines[:MAXIMUM_SENTENCES]
    ]
    if len(lines) > len(shown):
        shown.append(f"- and {count(len(lines) - len(shown))} more lines")
    return ["<details><summary>What was audited</summary>", "", *shown, "", "</details>"]
