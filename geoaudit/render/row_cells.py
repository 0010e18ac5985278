"""A row of the audit as text, the same words in every renderer a person reads."""

from dataclasses import dataclass

from geoaudit.diagnosis.finding import Verdict
from geoaudit.diagnosis.thresholds import SMALL_GRID_SM_FILL
from geoaudit.geometry.shape import LaunchGeometry
from geoaudit.ranking.audit import AuditRow
from geoaudit.render.names import elide
from geoaudit.render.numbers import CANNOT_TELL, count, dimensions, duration, percent, waves

MARK = "!"


@dataclass(frozen=True, kw_only=True)
class RowCells:
    """The printed figures of one row; names are not in it, each renderer makes them safe itself.

    Attributes:
        rank, grid, block, cluster, calls, time, median, spread, site_spread, sm_fill, waves, tail,
        resident_blocks, limiter, theoretical_occupancy, slot_fill, thread_fill, wasted,
        wasted_share, verdict, findings: as text.
        floor_ratio: ``28.8 × floor``; empty where no bytes are known.
        measured_wasted: ``6.75 ms wasted as counted``; empty where nothing was counted.
        marked: fewer blocks than half of the SMs.
    """

    rank: str
    grid: str
    block: str
    cluster: str
    calls: str
    time: str
    median: str
    spread: str
    site_spread: str
    sm_fill: str
    marked: bool
    waves: str
    tail: str
    resident_blocks: str
    limiter: str
    theoretical_occupancy: str
    slot_fill: str
    thread_fill: str
    wasted: str
    wasted_share: str
    verdict: str
    findings: str
    floor_ratio: str = ""
    measured_wasted: str = ""


def row_cells(row: AuditRow) -> RowCells:
    """All figures of a row as text; whatever is None reads as cannot-tell."""
    geometry, timing = row.geometry, row.timing
    spread = percent(timing.relative_mad) if timing else CANNOT_TELL
    return RowCells(
        rank=str(row.rank),
        grid=grid_text(row),
        block=dimensions(row.shape.block),
        cluster=dimensions(row.shape.cluster),
        calls=count(row.calls_per_token),
        time=duration(row.time_per_token_ns),
        median=duration(timing.median_ns if timing else None),
        spread=f"±{spread}",
        site_spread=percent(timing.site_spread if timing else None),
        sm_fill=percent(geometry.sm_fill),
        marked=is_marked(geometry.sm_fill),
        waves=waves(geometry.waves),
        tail=tail_text(geometry),
        resident_blocks=count(geometry.resident_blocks_per_sm),
        limiter=limiter_text(geometry),
        theoretical_occupancy=percent(geometry.theoretical_occupancy),
        slot_fill=percent(geometry.slot_fill),
        thread_fill=percent(geometry.thread_fill),
        wasted=duration(row.wasted_sm_time_per_token_ns),
        wasted_share=percent(row.wasted_fraction),
        verdict=verdict_text(row.verdict),
        findings=" ".join(dict.fromkeys(finding.rule_id for finding in row.findings)),
        floor_ratio=floor_ratio_text(row),
        measured_wasted=measured_text(row),
    )


def grid_text(row: AuditRow, widest: int = 40) -> str:
    """The grid, and how many more signatures the row joins.

    Args:
        row: a row; where it joins several signatures, its grid is that of the worst.
        widest: cells of the grid.
    """
    others = f" +{row.signatures - 1}" if row.signatures > 1 else ""
    return f"{elide(dimensions(row.shape.grid), widest)}{others}"


def floor_ratio_text(row: AuditRow) -> str:
    """How many times its floor a launch takes; empty where no bytes are known."""
    floor = row.evidence.floor
    if floor is None or floor.floor_ratio is None:
        return ""
    traffic = "traffic " if floor.bytes_source == "traffic" else ""
    return f"{count(floor.floor_ratio)} × {traffic}floor"


def measured_text(row: AuditRow) -> str:
    """The waste that counters measured; empty where nothing was counted."""
    wasted = row.measured_wasted_sm_time_per_token_ns
    return "" if wasted is None else f"{duration(wasted)} wasted as counted"


def limiter_text(geometry: LaunchGeometry) -> str:
    """What bounds the resident blocks; all bounds where several tie.

    >>> limiter_text(LaunchGeometry(limiter="registers", limiters=("registers", "shared_memory")))
    'registers + shared memory'
    """
    if geometry.limiter is None:
        return CANNOT_TELL
    names = [name.replace("_", " ") for name in geometry.limiters or (geometry.limiter,)]
    if names[0] == "impossible":
        return f"impossible ({' + '.join(names[1:])})" if names[1:] else names[0]
    return " + ".join(names)


def tail_text(geometry: LaunchGeometry) -> str:
    """Blocks of the partial last wave; empty below one wave, where the grid has no tail."""
    return "" if geometry.full_waves == 0 else count(geometry.tail_blocks)


def is_marked(sm_fill: float | None) -> bool:
    """Whether a fill is below half of the SMs; an unknown fill is not marked."""
    return sm_fill is not None and sm_fill < SMALL_GRID_SM_FILL


def verdict_text(verdict: Verdict) -> str:
    """The verdict's name, with ``confirmed`` where an intervention confirmed it."""
    return f"{verdict.name} (confirmed)" if verdict.confidence == "confirmed" else verdict.name


def geometry_words(row: AuditRow, cells: RowCells) -> str:
    """Waves, tail and resident blocks of a row in words."""
    wave_count = "waves: cannot tell" if row.geometry.waves is None else f"{cells.waves} waves"
    return f"{wave_count}{_tail_words(row)} · {_resident_words(row, cells)}"


def _tail_words(row: AuditRow) -> str:
    tail = row.geometry.tail_blocks
    # A single wave that is not full is what the fill already says.
    if not row.geometry.full_waves or tail is None:
        return ""
    return f", tail of {count(tail)}" if tail else ", no tail"


def _resident_words(row: AuditRow, cells: RowCells) -> str:
    if row.geometry.resident_blocks_per_sm is None:
        return "blocks/SM: cannot tell"
    noun = "block" if row.geometry.resident_blocks_per_sm == 1 else "blocks"
    by = "" if row.geometry.limiter is None else f" by {cells.limiter}"
    return f"{cells.resident_blocks} {noun}/SM{by}"
