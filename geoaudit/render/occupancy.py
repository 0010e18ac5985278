"""The occupancy calculator's answer as a table, JSON, CSV or Markdown."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry.launch import shared_bytes_of
from geoaudit.geometry.what_if import CalculatedLaunch
from geoaudit.render.numbers import byte_count, count, dimensions, percent, waves

OCCUPANCY_SCHEMA_VERSION = "1.0"
WAVES_NOTE = "Waves and tail assume that all blocks take the same time."

_WIDTH = 100
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
    ("limiter", lambda one: ", ".join(one.geometry.limiters).replace("_", " ") or "?"),
    ("theoretical occupancy", lambda one: percent(one.geometry.theoretical_occupancy)),
    ("SM fill", lambda one: percent(one.geometry.sm_fill)),
    ("slot fill", lambda one: percent(one.geometry.slot_fill)),
    ("thread fill", lambda one: percent(one.geometry.thread_fill)),
    ("waves", lambda one: waves(one.geometry.waves)),
    ("full waves", lambda one: count(one.geometry.full_waves)),
    ("tail blocks", lambda one: count(one.geometry.tail_blocks)),
    ("wave efficiency", lambda one: percent(one.geometry.wave_efficiency)),
)
_GRID_FIGURES = frozenset(
    ("grid", "blocks", "SM fill", "slot fill", "thread fill", "waves", "full waves")
    + ("tail blocks", "wave efficiency")
)


def render_table(answer: OccupancyAnswer) -> str:
    """The figures of each launch in a column; what a what-if changes is marked."""
    table = Table(box=None, pad_edge=False, show_header=len(answer.launches) > 1)
    table.add_column("")
    for launch in answer.launches:
        table.add_column(launch.name, justify="right", overflow="fold")
    for figure, cells in _rows(answer):
        first, *others = cells
        marked = (cell + (_CHANGED_MARK if cell != first else _NO_MARK) for cell in others)
        table.add_row(figure, first, *marked)
    handle = io.StringIO()
    Console(file=handle, width=_WIDTH, color_system=None, legacy_windows=False).print(table)
    lines = (line.rstrip() for line in handle.getvalue().splitlines())
    return "\n".join((_heading(answer), "", *lines, *_notes(answer))) + "\n"


def render_markdown(answer: OccupancyAnswer) -> str:
    """The same table in Markdown."""
    names = [launch.name for launch in answer.launches]
    lines = [
        _heading(answer),
        "",
        f"| | {' | '.join(names)} |",
        f"|---|{'---:|' * len(names)}",
        *(f"| {figure} | {' | '.join(cells)} |" for figure, cells in _rows(answer)),
        *_notes(answer, mark=""),
    ]
    return "\n".join(lines) + "\n"


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


def csv_text(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
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
    notes = [
        f"Impossible{'' if launch.name == 'as given' else f' with {launch.name}'}: {reason}."
        for launch in answer.launches
        for reason in launch.reasons
    ]
    if mark and len(answer.launches) > 1:
        notes.append(f"{mark} differs from the launch as given.")
    if any(launch.geometry.waves is not None for launch in answer.launches):
        notes.append(WAVES_NOTE)
    if any(_waves_need_clusters(launch) for launch in answer.launches):
        notes.append(
            "Waves of clusters need --max-active-clusters: what fits depends on the chip, ask "
            "cuOccupancyMaxActiveClusters."
        )
    return ["", *notes] if notes else []


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
