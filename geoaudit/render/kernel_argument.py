"""The whole argument for one kernel: its verdict, what it rests on and what it rules out."""

from collections.abc import Iterator

from geoaudit.diagnosis.axis_advice import Answer, axis_advice, known_shape
from geoaudit.launches.declared import SourceLine, SplitProperties
from geoaudit.ranking.audit import AuditRow
from geoaudit.render.interventions import tried_sentences
from geoaudit.render.names import visible
from geoaudit.render.numbers import duration, percent, plural
from geoaudit.render.row_cells import grid_text, row_cells, verdict_text

_LONGEST_REASON = 120

_ABOVE_ALL = 1.001
"""A share of the kernel time that is more than all of it, rounding apart."""

Section = tuple[str, tuple[str, ...]]


def kernel_argument(row: AuditRow, period: str) -> tuple[str, tuple[Section, ...]]:
    """A heading, and sections of sentences; sections without a sentence are left out.

    Args:
        row: one launch signature of an audit.
        period: what its figures are per, ``token`` or ``trace``.
    """
    cells = row_cells(row)
    heading = f"{visible(row.kernel_short)}  grid {grid_text(row)} · block {cells.block}"
    verdict = row.verdict
    confidence = f" ({verdict.confidence})" if verdict.confidence == "suspected" else ""
    sections: tuple[Section, ...] = (
        (f"{verdict_text(verdict)}{confidence}", (verdict.reason,)),
        ("Cost", tuple(_cost(row, period))),
        ("Rests on", verdict.rests_on),
        ("Ruled out", verdict.ruled_out),
        ("Would decide", (verdict.would_decide,) if verdict.would_decide else ()),
        ("Tried", tuple(tried_sentences(row, period))),
        ("More blocks", tuple(_more_blocks(row))),
        ("Findings", tuple(f"{one.rule_id} {one.message}" for one in row.findings)),
    )
    return heading, tuple(section for section in sections if section[1])


def _cost(row: AuditRow, period: str) -> Iterator[str]:
    if row.time_per_token_ns is None:
        return
    calls, time = plural(row.calls_per_token, "call"), duration(row.time_per_token_ns)
    cost = f"{calls}, {time} per {period}, {percent(row.time_fraction)} of its kernel time"
    if (row.time_fraction or 0.0) >= _ABOVE_ALL:
        cost += ": its launches run beside one another, and each counts"
    yield cost
    if row.wasted_sm_time_per_token_ns:
        wasted = duration(row.wasted_sm_time_per_token_ns)
        yield f"wasted SM-time {wasted} per {period}: a ceiling on what another shape can win"


def _more_blocks(row: AuditRow) -> Iterator[str]:
    if row.verdict.name not in ("starved", "inconclusive") or (row.geometry.sm_fill or 1) >= 1:
        return
    split = row.evidence.split or SplitProperties()
    advice = axis_advice(split)
    origin = split.from_source
    if origin is not None and origin.axis:
        yield f"along {origin.axis}, by the kernel's source:"
    lines = origin and (
        origin.cross_block_reduction,
        origin.duplicated_reads,
        origin.layout_change,
    )
    answers = (
        ("a reduction across blocks", advice.cross_block_reduction),
        ("duplicated reads", advice.duplicated_reads),
        ("another memory layout", advice.layout_change),
    )
    for (what, answer), line in zip(answers, lines or (None,) * len(answers), strict=True):
        yield f"{what}: {answer}{_origin(answer, line)}"
    yield advice.sentence
    shape = known_shape(row.kernel_short)
    if shape is not None:
        yield f"a reference has {shape.shape} ({shape.source})"


def _origin(answer: Answer, line: SourceLine | None) -> str:
    """Who says so, in brackets."""
    if line is None:
        return "" if answer == "cannot tell" else " (declared)"
    place = "from the source" if line.line is None else f"from the source, line {line.line}"
    return f" ({place}{f': {visible(line.reason[:_LONGEST_REASON])}' if line.reason else ''})"
