"""Measured figures of devices: copy bandwidth, launch floors, latency and the timer's tick."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields

from geoaudit.devices.calibration import Calibration
from geoaudit.quantities import duration
from geoaudit.render.devices import ALL_COLUMNS_WIDTH, short_name
from geoaudit.render.markdown_table import markdown_table
from geoaudit.render.names import elide, spreadsheet_cell
from geoaudit.render.numbers import CANNOT_TELL
from geoaudit.render.text_columns import TextColumn, aligned, column_widths, wrapped

CALIBRATIONS_SCHEMA_VERSION = "1.0"
_TEXT = ("measured device", "driver", "on")
_LEGEND = (
    "copy: bytes read and written per second of a large copy on the device. launch, in a graph: "
    "median recorded duration of an empty kernel. latency: of a load that no cache holds. tick: "
    "smallest step between recorded durations. ?: not measured."
)


def calibrations_table(calibrations: Sequence[Calibration], width: int) -> str:
    """The figures as a table for a terminal; empty where there is none.

    Args:
        calibrations: in their order.
        width: cells of a line; in few, the driver is left out.
    """
    if not calibrations:
        return ""
    rows = [_row(one) for one in calibrations]
    if width < ALL_COLUMNS_WIDTH:
        rows = [{name: cell for name, cell in row.items() if name != "driver"} for row in rows]
    columns = [TextColumn(heading=name, right=name not in _TEXT) for name in rows[0]]
    cells = [list(row.values()) for row in rows]
    widths = column_widths(columns, cells)
    lines = [
        aligned([column.heading for column in columns], columns, widths),
        "─" * (sum(widths) + 2 * (len(widths) - 1)),
        *(aligned(row, columns, widths) for row in cells),
        "",
        *wrapped(_LEGEND, width),
    ]
    return "\n".join(lines) + "\n"


def calibrations_markdown(calibrations: Sequence[Calibration]) -> str:
    """The figures in Markdown; empty where there is none."""
    if not calibrations:
        return ""
    rows = [_row(one) for one in calibrations]
    right = [name for name in rows[0] if name not in _TEXT]
    return (
        "\n".join(markdown_table(list(rows[0]), [[*row.values()] for row in rows], right=right))
        + "\n"
    )


def calibrations_json(calibrations: Sequence[Calibration]) -> str:
    """Every figure, in base units; null: not measured."""
    document = {
        "schema_version": CALIBRATIONS_SCHEMA_VERSION,
        "calibrations": [asdict(one) for one in calibrations],
    }
    return json.dumps(document, indent=2) + "\n"


def calibrations_csv(calibrations: Sequence[Calibration]) -> str:
    """Every figure, in base units; empty: not measured."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Calibration)])
    for one in calibrations:
        writer.writerow(map(_cell, asdict(one).values()))
    return text.getvalue()


def _cell(value: object) -> object:
    return spreadsheet_cell(value) if isinstance(value, str) else value


def _row(one: Calibration) -> dict[str, str]:
    """Heading -> cell."""
    bandwidth = one.copy_bytes_per_second
    return {
        "measured device": elide(short_name(one.device_name), 20),
        "copy": CANNOT_TELL if bandwidth is None else f"{bandwidth / 1e12:.3g} TB/s",
        "launch": duration(one.launch_floor_ns),
        "in a graph": duration(one.graph_launch_floor_ns),
        "latency": duration(one.latency_ns),
        "tick": duration(one.timer_tick_ns),
        "driver": elide(one.driver_version, 12) if one.driver_version else CANNOT_TELL,
        "on": elide(one.measured_on, 10) if one.measured_on else CANNOT_TELL,
    }
