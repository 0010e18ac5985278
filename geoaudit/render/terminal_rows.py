"""The rows of the terminal's table: two lines each, so that 100 columns hold every figure."""

from collections.abc import Sequence

from geoaudit.ranking.audit import Audit, AuditRow
from geoaudit.render.names import elide, visible
from geoaudit.render.numbers import plural
from geoaudit.render.printing import Line
from geoaudit.render.row_cells import MARK, RowCells, geometry_words, grid_text, row_cells
from geoaudit.render.text_columns import TextColumn, aligned, column_widths, room_left, wrapped
from geoaudit.render.time_sentences import period

SHORTEST_NAME = 24
WIDEST_DIMENSIONS = 14
_INDENT = "    "
_NARROW = (
    TextColumn(heading="#"),
    TextColumn(heading="kernel", right=False),
    TextColumn(heading="grid"),
    TextColumn(heading="time"),
    TextColumn(heading="SM fill  "),
    TextColumn(heading="wasted"),
    TextColumn(heading="share"),
    TextColumn(heading="verdict", right=False),
)


def row_lines(rows: Sequence[AuditRow], audit: Audit, width: int, wide: bool) -> list[Line]:
    """The heading and the rows.

    Args:
        rows: ranked rows, or those of communication.
        audit: the audit they are of.
        width: cells of a line.
        wide: all columns under the whole name; else the name elided, with the columns that
            matter most beside it and the others in words beneath.
    """
    return _wide_lines(rows, audit, width) if wide else _narrow_lines(rows, audit, width)


def _narrow_lines(rows: Sequence[AuditRow], audit: Audit, width: int) -> list[Line]:
    cells = [row_cells(row) for row in rows]
    columns = list(_NARROW)
    figures = [_narrow_figures(row, one) for row, one in zip(rows, cells, strict=True)]
    widths = column_widths(columns, figures)
    beneath = room_left(widths, 1, width) < SHORTEST_NAME
    if beneath:
        # The verdict is the one column that reads as well in the line beneath.
        columns, widths = columns[:-1], widths[:-1]
        figures = [figure[:-1] for figure in figures]
    widths[1] = max(room_left(widths, 1, width), 1)
    lines = [Line(text=aligned([one.heading for one in columns], columns, widths), style="bold")]
    for row, one, figure in zip(rows, cells, figures, strict=True):
        figure[1] = elide(row.kernel_short, widths[1])
        marked = _marked_fill(one) if one.marked else ""
        lines.append(Line(text=aligned(figure, columns, widths), marked=marked))
        details = f"{one.verdict} · " * beneath + _details(row, one, audit)
        lines += [
            Line(text=text, style="dim")
            for text in wrapped(details, width, first=_INDENT, rest=_INDENT)
        ]
    return lines


def _narrow_figures(row: AuditRow, cells: RowCells) -> list[str]:
    return [
        cells.rank,
        "",
        grid_text(row, WIDEST_DIMENSIONS),
        cells.time,
        _marked_fill(cells),
        cells.wasted,
        cells.wasted_share,
        cells.verdict,
    ]


def _marked_fill(cells: RowCells) -> str:
    return f"{cells.sm_fill} {MARK if cells.marked else ' '}"


def _details(row: AuditRow, cells: RowCells, audit: Audit) -> str:
    call_count = plural(row.calls_per_token, "call")
    return " · ".join(
        [
            f"block {elide(cells.block, WIDEST_DIMENSIONS)}",
            f"{call_count} × {cells.median} {cells.spread}",
            *(text for text in (cells.floor_ratio, cells.measured_wasted) if text),
            geometry_words(row, cells),
            *_particulars(row, cells, audit),
        ]
    )


def _particulars(row: AuditRow, cells: RowCells, audit: Audit) -> list[str]:
    particulars = []
    if row.owner != "own":
        particulars.append(elide(row.owner, 20))
    if row.shape.cluster not in (None, (1, 1, 1)):
        particulars.append(f"cluster {cells.cluster}")
    if row.signatures > 1:
        particulars.append(plural(row.signatures, "signature"))
    if audit.group == "position" and row.positions:
        particulars.append(f"position {row.positions[0]}")
    if len(audit.header.devices) > 1:
        particulars.append(f"device {row.device}")
    if cells.findings:
        particulars.append(cells.findings)
    return particulars


def _wide_lines(rows: Sequence[AuditRow], audit: Audit, width: int) -> list[Line]:
    cells = [row_cells(row) for row in rows]
    headings = (
        *("#", "grid", "block", f"calls/{period(audit)}", f"time/{period(audit)}", "median"),
        *(
            "spread",
            "sites ±",
            "floor",
            "SM fill  ",
            "waves",
            "tail",
            "blocks/SM",
            "limiter",
            "occupancy",
        ),
        *("threads", "wasted", "share", "verdict"),
    )
    left = {"limiter", "verdict"}
    columns = [TextColumn(heading=heading, right=heading not in left) for heading in headings]
    figures = [_wide_figures(one) for one in cells]
    widths = column_widths(columns, figures)
    lines = [Line(text=aligned(headings, columns, widths), style="bold")]
    for row, one, figure in zip(rows, cells, figures, strict=True):
        marked = _marked_fill(one) if one.marked else ""
        lines.append(Line(text=aligned(figure, columns, widths), marked=marked))
        particulars = _particulars(row, one, audit)
        tail = f" · {' · '.join(particulars)}" if particulars else ""
        name = wrapped(f"{visible(row.kernel)}{tail}", width, first=_INDENT, rest=_INDENT)
        lines += [Line(text=text, style="dim") for text in name]
    return lines


def _wide_figures(cells: RowCells) -> list[str]:
    return [
        *(cells.rank, cells.grid, cells.block, cells.calls, cells.time, cells.median),
        *(cells.spread, cells.site_spread, cells.floor_ratio.removesuffix(" floor")),
        *(_marked_fill(cells), cells.waves, cells.tail),
        *(cells.resident_blocks, cells.limiter, cells.theoretical_occupancy, cells.thread_fill),
        *(cells.wasted, cells.wasted_share, cells.verdict),
    ]
