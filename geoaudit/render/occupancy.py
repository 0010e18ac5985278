"""The occupancy calculator's answer as a table, JSON, CSV or Markdown."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry.batch import BatchResult
from geoaudit.geometry.launch import shared_bytes_of
from geoaudit.geometry.what_if import CalculatedLaunch
from geoaudit.render.markdown_table import markdown_table
from geoaudit.render.names import elide, markdown_text
from geoaudit.render.numbers import byte_count, count, dimensions, percent, waves
from geoaudit.render.row_cells import limiter_text, tail_text
from geoaudit.render.text_columns import TextColumn, aligned, column_widths, wrapped

OCCUPANCY_SCHEMA_VERSION = "1.0"
AS_GIVEN = "as given"
WAVES_NOTE = "Waves and tail assume that all blocks take the same time."

_CHANGED_MARK = " *"
_NO_MARK = "  "


@dataclass(frozen=True, kw_only=True)
class OccupancyAnswer:
    """What the calculator was asked and what it found.

    Attributes:
        device: the device it is computed for.
        device_chosen_by: how that device was chosen, as a phrase.
        launches: the launch as given, then one for each what-if.
    """

    device: DeviceSpec
    device_chosen_by: str
    launches: tuple[CalculatedLaunch, ...]


_FIGURES: tuple[tuple[str, Callable[[CalculatedLaunch], str]], ...] = (
    ("registers per thread", lambda one: count(one.shape.registers_per_thread)),
    ("shared memory per block", lambda one: byte_count(shared_bytes_of(one.shape))),
    ("block", lambda one: dimensions(one.shape.block)),
    ("threads per block", lambda one: count(one.geometry.block_threads)),
    ("grid", lambda one: dimensions(one.shape.grid)),
    ("blocks", lambda one: count(one.geometry.grid_blocks)),
    ("resident blocks per SM", lambda one: count(one.geometry.resident_blocks_per_sm)),
    ("limiter", lambda one: limiter_text(one.geometry)),
    ("theoretical occupancy", lambda one: percent(one.geometry.theoretical_occupancy)),
    ("SM fill", lambda one: percent(one.geometry.sm_fill)),
    ("slot fill", lambda one: percent(one.geometry.slot_fill)),
    ("thread fill", lambda one: percent(one.geometry.thread_fill)),
    ("waves", lambda one: waves(one.geometry.waves)),
    ("full waves", lambda one: count(one.geometry.full_waves)),
    ("tail blocks", lambda one: tail_text(one.geometry)),
    ("wave efficiency", lambda one: percent(one.geometry.wave_efficiency)),
)
_GRID_FIGURES = frozenset(
    ("grid", "blocks", "SM fill", "slot fill", "thread fill", "waves", "full waves")
    + ("tail blocks", "wave efficiency")
)


def render_table(answer: OccupancyAnswer, width: int) -> str:
    """The figures of each launch in a column; what a what-if changes is marked.

    Args:
        answer: what was asked and found.
        width: cells of a line; columns that do not fit stand in a table of their own below.
    """
    rows = [
        (
            figure,
            first,
            *(cell + (_CHANGED_MARK if cell and cell != first else _NO_MARK) for cell in others),
        )
        for figure, (first, *others) in _rows(answer)
    ]
    names = ["", *(launch.name for launch in answer.launches)]
    tables = _tables(names, rows, width)
    texts = [*_wrapped([_heading(answer), *_impossible(answer)], width), "", *tables]
    notes = _wrapped(_notes(answer), width)
    return "\n".join([*texts, *([""] if notes else []), *notes]) + "\n"


def _tables(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The columns side by side, as many as fit; the launch as given stands in each table."""
    widest = max((width - 30) // 2, 12)
    headings = [elide(name, widest) if name else "" for name in names]
    shown: list[int] = [1]
    lines: list[str] = []
    for index in range(2, len(names) + 1):
        if index < len(names) and _width(headings, rows, [*shown, index]) <= width:
            shown.append(index)
            continue
        lines += [*([""] if lines else []), *_table(headings, rows, shown)]
        shown = [1, index]
    return lines


def _width(headings: Sequence[str], rows: Sequence[Sequence[str]], shown: Sequence[int]) -> int:
    columns, cells = _picked(headings, rows, shown)
    return sum(column_widths(columns, cells)) + 2 * len(shown)


def _table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], shown: Sequence[int]
) -> list[str]:
    columns, cells = _picked(headings, rows, shown)
    widths = column_widths(columns, cells)
    named = [aligned([column.heading for column in columns], columns, widths)]
    return [
        *(named if len(headings) > 2 else []),
        *(aligned(row, columns, widths) for row in cells),
    ]


def _picked(
    headings: Sequence[str], rows: Sequence[Sequence[str]], shown: Sequence[int]
) -> tuple[list[TextColumn], list[list[str]]]:
    places = [0, *shown]
    columns = [TextColumn(heading=headings[place], right=place > 0) for place in places]
    if len(headings) == 2:
        columns = [TextColumn(heading="", right=column.right) for column in columns]
    return columns, [[row[place] for place in places] for row in rows]


def _wrapped(texts: Sequence[str], width: int) -> list[str]:
    return [line for text in texts for line in wrapped(text, width)]


def render_markdown(answer: OccupancyAnswer) -> str:
    """The same table in Markdown."""
    names = [markdown_text(launch.name) for launch in answer.launches]
    rows = [[figure, *cells] for figure, cells in _rows(answer)]
    notes = _notes(answer, mark="")
    lines = [
        markdown_text(_heading(answer)),
        *(f"\n**{text}**" for text in _impossible(answer)),
        "",
        *markdown_table(["", *names], rows, right=names),
        *([""] if notes else []),
        *notes,
    ]
    return "\n".join(lines) + "\n"


def render_batch_csv(result: BatchResult) -> str:
    """The file itself with its new columns."""
    return csv_text(result.columns, result.rows)


def render_batch_json(result: BatchResult) -> str:
    """All rows, as text where they were given and as numbers where they were added."""
    document = {"schema_version": OCCUPANCY_SCHEMA_VERSION, "rows": result.rows}
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def render_batch_markdown(result: BatchResult) -> str:
    """All rows as a table; an empty cell: cannot tell."""
    rows = [
        ["" if row[name] is None else markdown_text(str(row[name])) for name in result.columns]
        for row in result.rows
    ]
    return "\n".join(markdown_table([markdown_text(name) for name in result.columns], rows)) + "\n"


def render_json(answer: OccupancyAnswer) -> str:
    """One document: the launch as given at the top, the what-ifs in a list below it."""
    first, *others = (_record(launch) for launch in answer.launches)
    device = answer.device
    document = {
        "schema_version": OCCUPANCY_SCHEMA_VERSION,
        "device": {
            "name": device.name,
            "architecture": device.architecture,
            "sm_count": device.sm_count,
            "usable_sms": device.usable_sms,
            "sm_count_source": device.sm_count_source,
            "chosen_by": answer.device_chosen_by,
        },
        **first,
        "what_if": [
            {**other, "changed": [key for key in other if other[key] != first[key]]}
            for other in others
        ],
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def render_csv(answer: OccupancyAnswer) -> str:
    """One line for each launch, base units."""
    records = [
        {key: _flat(value) for key, value in _record(launch).items()} for launch in answer.launches
    ]
    return csv_text(list(records[0]), records)


def csv_text(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV; None is an empty cell."""
    handle = io.StringIO()
    writer = csv.DictWriter(handle, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return handle.getvalue()


def _rows(answer: OccupancyAnswer) -> list[tuple[str, list[str]]]:
    with_grid = any(launch.shape.grid for launch in answer.launches)
    return [
        (figure, [text(launch) for launch in answer.launches])
        for figure, text in _FIGURES
        if with_grid or figure not in _GRID_FIGURES
    ]


def _heading(answer: OccupancyAnswer) -> str:
    device = answer.device
    sms = f"{device.sm_count} SMs"
    if device.usable_sms != device.sm_count:
        sms = f"{device.usable_sms} of {device.sm_count} SMs"
    kind = "compute capability " if device.vendor == "nvidia" else ""
    return f"{device.name}, {kind}{device.architecture}, {sms} ({answer.device_chosen_by})"


def _notes(answer: OccupancyAnswer, *, mark: str = _CHANGED_MARK.strip()) -> list[str]:
    notes = []
    if mark and len(answer.launches) > 1:
        notes.append(f"{mark} differs from the launch as given.")
    if any(launch.geometry.waves is not None for launch in answer.launches):
        notes.append(WAVES_NOTE)
    if any(_waves_need_clusters(launch) for launch in answer.launches):
        notes.append(
            "Waves of clusters need --max-active-clusters: what fits depends on the chip, ask "
            "cuOccupancyMaxActiveClusters."
        )
    return notes


def _impossible(answer: OccupancyAnswer) -> list[str]:
    """Which launches cannot be made, and what of them is too much."""
    sentences = []
    for launch in answer.launches:
        if launch.geometry.resident_blocks_per_sm != 0:
            continue
        name = "this launch" if launch.name == AS_GIVEN else f"the launch with {launch.name}"
        limits = limiter_text(launch.geometry)
        reasons = "; ".join(launch.reasons) or f"no SM can hold one block of it, {limits}"
        sentences.append(f"IMPOSSIBLE: {name} cannot be made: {reasons}.")
    return sentences


def _waves_need_clusters(launch: CalculatedLaunch) -> bool:
    shape = launch.shape
    clustered = shape.cluster not in (None, (1, 1, 1))
    return clustered and shape.grid is not None and not shape.max_active_clusters


def _record(launch: CalculatedLaunch) -> dict[str, Any]:
    shape, geometry = launch.shape, launch.geometry
    return {
        "name": launch.name,
        "registers_per_thread": shape.registers_per_thread,
        "shared_bytes": shared_bytes_of(shape),
        "block": shape.block,
        "grid": shape.grid,
        "cluster": shape.cluster,
        **asdict(geometry),
        "impossible_because": launch.reasons,
    }


def _flat(value: object) -> object:
    if not isinstance(value, tuple):
        return value
    separator = "x" if all(isinstance(one, int) for one in value) else "; "
    return separator.join(map(str, value))
