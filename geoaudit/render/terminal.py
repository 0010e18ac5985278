"""The audit as a table for a terminal: what ``rank`` prints."""

import io
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from geoaudit.ranking.audit import Audit
from geoaudit.render.headline import (
    CEILING,
    header_lines,
    hidden_rows_sentence,
    no_rows_sentence,
    order_sentence,
    period,
    replay_sentence,
    time_splits,
    waste_sentence,
)
from geoaudit.render.names import elide, sentence
from geoaudit.render.numbers import duration, percent
from geoaudit.render.terminal_rows import Line, row_lines
from geoaudit.render.text_columns import TextColumn, aligned, column_widths, wrapped

NARROWEST = 60
WIDE_WIDTH = 160
_LABEL_WIDTH = 10
_BAR_SIGNS = {"kernels": "█", "copies": "▒", "gaps": "░"}
_LEGEND = (
    "! fewer blocks than half of the SMs, ? cannot tell. A wave is a model: it takes all blocks to "
    "run equally long. × is the median call, ± its median absolute deviation within a call site. "
    "Verdicts are suspected from this one recording unless they say confirmed."
)


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
        *_tables(audit, width, wide),
        *_recording_findings(audit, width),
        *_distance(audit, width),
        *_notes(audit, width),
    ]
    return _printed(lines, width, color)


def _printed(lines: Iterable[Line], width: int, color: bool) -> str:
    handle = io.StringIO()
    console = Console(
        file=handle,
        width=width,
        color_system="standard" if color else None,
        force_terminal=color,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
        no_color=not color,
    )
    for line in lines:
        text = Text(line.text, style=line.style)
        if line.marked:
            start = line.text.find(line.marked)
            text.stylize("bold red", start, start + len(line.marked))
        console.print(text, soft_wrap=True)
    return handle.getvalue()


def _labelled(label: str, text: str, width: int, style: str = "") -> list[Line]:
    head = f"{label:<{_LABEL_WIDTH}}"
    lines = wrapped(text, width, first=head, rest=" " * _LABEL_WIDTH)
    return [Line(text=line, style=style) for line in lines]


def _header(audit: Audit, width: int) -> list[Line]:
    lines = []
    replay = replay_sentence(audit.header)
    if replay is not None:
        lines += [Line(text=text, style="bold yellow") for text in wrapped(replay, width)]
    for line in header_lines(audit):
        style = "yellow" if line.alarming else ""
        lines += _labelled(line.label, line.text, width, style)
    return [*lines, Line()]


def _totals(audit: Audit, width: int) -> list[Line]:
    unit = period(audit)
    wall = f"{duration(audit.totals.wall_time_per_token_ns)} per {unit}"
    parts = " · ".join(
        f"{_BAR_SIGNS[split.name]} {split.name} {split.time}, {split.share}"
        for split in time_splits(audit)
    )
    lines = [
        *_labelled("wall", wall, width, "bold"),
        *_bar(audit, width),
        *_labelled("", parts, width),
        *_labelled("wasted", f"SM-time per {unit}: {waste_sentence(audit)}", width, "bold red"),
    ]
    if audit.totals.wasted_sm_time_per_token_ns is not None:
        lines += _labelled("", CEILING, width)
    return [*lines, Line()]


def _bar(audit: Audit, width: int) -> list[Line]:
    splits = time_splits(audit)
    cells = width - _LABEL_WIDTH
    edges = [0]
    reached = 0.0
    for split in splits:
        if split.fraction is None:
            return []
        reached += split.fraction
        edges.append(min(round(reached * cells), cells))
    bar = "".join(
        _BAR_SIGNS[split.name] * max(end - start, 0)
        for split, start, end in zip(splits, edges[:-1], edges[1:], strict=True)
    )
    return [Line(text=" " * _LABEL_WIDTH + bar)]


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
    hidden = hidden_rows_sentence(audit)
    if hidden is not None and audit.rows:
        lines += [Line(), *(Line(text=text) for text in wrapped(hidden, width))]
    return [*lines, Line()]


def _recording_findings(audit: Audit, width: int) -> list[Line]:
    lines = []
    for finding in audit.recording_findings:
        style = "" if finding.severity == "note" else "yellow"
        text = f"{finding.severity}: {sentence(finding.message)} ({finding.rule_name})"
        lines += _labelled(finding.rule_id, text, width, style)
    return [*lines, Line()] if lines else []


def _distance(audit: Audit, width: int) -> list[Line]:
    account = audit.distance
    if account is None:
        return []
    title = (
        f"distance: {duration(account.measured_ns)} measured, {duration(account.target_ns)} aimed "
        f"at, {duration(account.distance_ns)} to go per {period(audit)}"
    )
    if account.distance_ns <= 0:
        return [Line(text=f"{title}: the target is reached", style="bold"), Line()]
    columns = (
        TextColumn(heading="lever", right=False),
        TextColumn(heading="ceiling"),
        TextColumn(heading="together"),
        TextColumn(heading="of the gap"),
    )
    rows = [
        (
            elide(step.kernel_short or "(gaps: nothing runs)", width - 40),
            duration(step.ceiling_ns),
            duration(step.cumulative_ns),
            percent(step.cumulative_fraction),
        )
        for step in account.steps
    ]
    widths = column_widths(columns, rows)
    heading = aligned([column.heading for column in columns], columns, widths)
    return [
        *(Line(text=text, style="bold") for text in wrapped(title, width)),
        Line(text=heading, style="bold"),
        *(Line(text=aligned(row, columns, widths)) for row in rows),
        Line(),
    ]


def _notes(audit: Audit, width: int) -> list[Line]:
    if not audit.rows and not audit.communication_rows:
        return []
    first = (audit.rows or audit.communication_rows)[0]
    step = f"geoaudit explain {first.verdict.name} says what it means and what to try"
    lines = wrapped(_LEGEND, width) + wrapped(f"next: {step}", width)
    return [Line(text=text, style="dim") for text in lines]
