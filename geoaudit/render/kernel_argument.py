"""The whole argument for one kernel: its verdict, what it rests on and what it rules out."""

from collections.abc import Iterator

from geoaudit.diagnosis.axis_advice import axis_advice, known_shape
from geoaudit.ranking.audit import AuditRow
from geoaudit.render.names import visible
from geoaudit.render.numbers import duration, percent, plural
from geoaudit.render.row_cells import grid_text, row_cells, verdict_text

Section = tuple[str, tuple[str, ...]]


def kernel_argument(row: AuditRow) -> tuple[str, tuple[Section, ...]]:
    """A heading, and sections of sentences; sections without a sentence are left out.

    Args:
        row: one launch signature of an audit.
    """
    cells = row_cells(row)
    heading = f"{visible(row.kernel_short)}  grid {grid_text(row)} · block {cells.block}"
    verdict = row.verdict
    confidence = f" ({verdict.confidence})" if verdict.confidence == "suspected" else ""
    sections: tuple[Section, ...] = (
        (f"{verdict_text(verdict)}{confidence}", (verdict.reason,)),
        ("Cost", tuple(_cost(row))),
        ("Rests on", verdict.rests_on),
        ("Ruled out", verdict.ruled_out),
        ("Would decide", (verdict.would_decide,) if verdict.would_decide else ()),
        ("More blocks", tuple(_more_blocks(row))),
        ("Findings", tuple(f"{one.rule_id} {one.message}" for one in row.findings)),
    )
    return heading, tuple(section for section in sections if section[1])


def _cost(row: AuditRow) -> Iterator[str]:
    if row.time_per_token_ns is None:
        return
    calls, time = plural(row.calls_per_token, "call"), duration(row.time_per_token_ns)
    yield f"{calls}, {time} per token, {percent(row.time_fraction)} of its kernel time"
    if row.wasted_sm_time_per_token_ns:
        wasted = duration(row.wasted_sm_time_per_token_ns)
        yield f"wasted SM-time {wasted} per token: a ceiling on what another shape can win"


def _more_blocks(row: AuditRow) -> Iterator[str]:
    if row.verdict.name not in ("starved", "inconclusive") or (row.geometry.sm_fill or 1) >= 1:
        return
    advice = axis_advice(row.evidence.split)
    yield f"a reduction across blocks: {advice.cross_block_reduction}"
    yield f"duplicated reads: {advice.duplicated_reads}"
    yield f"another memory layout: {advice.layout_change}"
    yield advice.sentence
    shape = known_shape(row.kernel_short)
    if shape is not None:
        yield f"a reference has {shape.shape} ({shape.source})"
