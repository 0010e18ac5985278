"""What the HTML report shows, as values a template only has to place."""

from dataclasses import dataclass

from geoaudit.ranking.audit import Audit, AuditRow
from geoaudit.render.names import elide, visible
from geoaudit.render.numbers import CANNOT_TELL, duration, known, percent, share
from geoaudit.render.row_cells import RowCells, row_cells
from geoaudit.render.time_sentences import period, wall_range, waste_sentence
from geoaudit.render.token_picture import Bar, Strip, TokenPicture

CHART_ROWS = 12
_WALL_NOTE = "kernels, copies and gaps"
_WASTED = "Wasted SM-time, a ceiling"
NAME_WIDTH = 56

# One colour per kind of verdict: what to do about it is what tells the kinds apart.
VERDICT_KINDS = {
    "starved": "starved",
    "tail": "shaped",
    "occupancy_limited": "shaped",
    "imbalanced": "shaped",
    "serial": "short",
    "launch_bound": "short",
    "dud": "short",
    "contended": "short",
    "bandwidth_bound": "busy",
    "compute_bound": "busy",
    "healthy": "busy",
    "communication": "communication",
    "inconclusive": "open",
}
KIND_NAMES = {
    "starved": "starved",
    "shaped": "tail, occupancy limited, imbalanced",
    "short": "launch bound, serial, dud, contended",
    "busy": "healthy, bandwidth or compute bound",
    "communication": "communication",
    "open": "inconclusive, mixed or not listed",
}


@dataclass(frozen=True, kw_only=True)
class Card:
    """One figure of the headline."""

    label: str
    value: str
    note: str
    alarming: bool = False


@dataclass(frozen=True, kw_only=True)
class RowView:
    """One row of the table and of the chart.

    Attributes:
        cells: the printed figures.
        name, whole_name, owner: made visible.
        kind: colour class of the verdict.
        reason, particulars: sentences behind the row.
        sort: value of each sortable column by its name; empty: unknown, sorted last.
        fill_width: width of the fill's bar in per cent; None: unknown.
        used_width, wasted_width: of the chart's bar, in per cent of the longest; None: unknown.
        time_width: both together.
    """

    cells: RowCells
    name: str
    whole_name: str
    owner: str
    kind: str
    reason: str
    particulars: tuple[str, ...]
    sort: dict[str, str]
    fill_width: float | None
    used_width: float | None
    wasted_width: float | None
    time_width: float | None


def verdict_kind(verdict: str) -> str:
    """The colour class of a verdict; ``unknown`` stays apart, since its height is unknown."""
    return verdict if verdict == "unknown" else VERDICT_KINDS.get(verdict, "open")


def cards(audit: Audit) -> tuple[Card, ...]:
    """The figures of the headline."""
    totals = audit.totals
    wall, kernels = totals.wall_time_per_token_ns, totals.kernel_time_per_token_ns
    gaps, copies = totals.gap_time_per_token_ns, totals.copy_time_per_token_ns
    wasted = _or_cannot_tell(totals.wasted_sm_time_per_token_ns)
    return (
        Card(
            label=f"Wall per {period(audit)}", value=_or_cannot_tell(wall), note=_wall_note(audit)
        ),
        Card(label="Kernels", value=_or_cannot_tell(kernels), note=_of_wall(kernels, wall)),
        Card(label="Copies", value=_or_cannot_tell(copies), note=_of_wall(copies, wall)),
        Card(label="Gaps", value=_or_cannot_tell(gaps), note=_of_wall(gaps, wall)),
        Card(label=_WASTED, value=wasted, note=waste_sentence(audit), alarming=True),
    )


def row_views(rows: tuple[AuditRow, ...]) -> tuple[RowView, ...]:
    """All rows; the chart bars of the first ``CHART_ROWS`` are on one scale."""
    charted = [row.time_per_token_ns for row in rows[:CHART_ROWS] if row.time_per_token_ns]
    longest = max(charted, default=None)
    return tuple(_row_view(row, longest) for row in rows)


def pictured_kinds(pictures: tuple[TokenPicture, ...]) -> dict[str, str]:
    """Colour class -> name of those that the pictures hold, in the legend's order."""
    bars = _bars(pictures)
    kinds = {verdict_kind(bar.verdict) for _, bar in bars}
    names = {kind: name for kind, name in KIND_NAMES.items() if kind in kinds}
    if any(bar.verdict != "unknown" and bar.y > strip.y for strip, bar in bars):
        names["waste"] = "wasted SM-time"
    if "unknown" in kinds:
        names["unknown"] = "grid unknown"
    if any(picture.gaps for picture in pictures):
        names["gap"] = "gap or copy"
    return names


def _bars(pictures: tuple[TokenPicture, ...]) -> list[tuple[Strip, Bar]]:
    return [(strip, bar) for picture in pictures for strip in picture.strips for bar in strip.bars]


def _wall_note(audit: Audit) -> str:
    if audit.totals.wall_time_per_token_ns is None:
        return "the recording has no start times"
    return wall_range(audit) or _WALL_NOTE


def _or_cannot_tell(time_ns: float | None) -> str:
    return "cannot tell" if time_ns is None else duration(time_ns)


def _of_wall(part: float | None, wall: float | None) -> str:
    return "" if part is None or wall is None else f"{percent(share(part, wall))} of wall"


def _row_view(row: AuditRow, longest: float | None) -> RowView:
    fill = row.geometry.sm_fill
    time_width = share(row.time_per_token_ns, longest)
    wasted_width = share(row.wasted_sm_time_per_token_ns, longest)
    used = None if time_width is None or wasted_width is None else time_width - wasted_width
    return RowView(
        cells=row_cells(row),
        name=elide(row.kernel_short, NAME_WIDTH),
        whole_name=visible(row.kernel),
        owner=elide(row.owner, 24) if row.owner else CANNOT_TELL,
        kind=verdict_kind(row.verdict.name),
        reason=visible(row.verdict.reason),
        particulars=_particulars(row),
        sort=_sort_values(row),
        fill_width=_per_cent(fill),
        used_width=_per_cent(used),
        wasted_width=_per_cent(wasted_width),
        time_width=_per_cent(time_width),
    )


def _particulars(row: AuditRow) -> tuple[str, ...]:
    sentences = [f"ruled out: {text}" for text in row.verdict.ruled_out]
    if row.verdict.would_decide:
        sentences.append(f"would decide it: {row.verdict.would_decide}")
    sentences += [f"{one.rule_id} {one.rule_name}: {one.message}" for one in row.findings]
    return tuple(visible(text) for text in sentences)


def _sort_values(row: AuditRow) -> dict[str, str]:
    values = {
        "rank": row.rank,
        "grid": row.geometry.grid_blocks,
        "block": row.geometry.block_threads,
        "calls": row.calls_per_token,
        "time": row.time_per_token_ns,
        "median": row.timing.median_ns if row.timing else None,
        "fill": row.geometry.sm_fill,
        "waves": row.geometry.waves,
        "resident": row.geometry.resident_blocks_per_sm,
        "wasted": row.wasted_sm_time_per_token_ns,
        "share": row.wasted_fraction,
    }
    return {name: f"{value:.9g}" if known(value) else "" for name, value in values.items()}


def _per_cent(fraction: float | None) -> float | None:
    return None if fraction is None or not known(fraction) else round(100 * max(fraction, 0.0), 3)
