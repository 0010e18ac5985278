"""The device table, and one device with the source of every figure."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields

from geoaudit.devices.calibration import Calibration
from geoaudit.devices.spec import DeviceSpec
from geoaudit.render.markdown_table import markdown_table
from geoaudit.render.numbers import CANNOT_TELL
from geoaudit.render.text_columns import TextColumn, aligned, column_widths, wrapped

DEVICES_SCHEMA_VERSION = "1.1"
LIVE_MARK = "*"
# From here on a line holds every column.
ALL_COLUMNS_WIDTH = 100
_LEFT_OUT_WHEN_NARROW = ("warps", "opt-in", "resv")
_KIB, _MIB = 1024, 1024 * 1024
# What tells no device from another, and takes the room of what does.
_FILLER = re.compile(r"^NVIDIA (GeForce )?|(?<= )(Blackwell |Instinct )| (Edition|Generation)$")
# Every figure shown, with its unit.
FIGURES = {
    "sm_count": "SMs",
    "threads_per_warp": "threads",
    "max_threads_per_block": "threads",
    "max_threads_per_sm": "threads",
    "max_warps_per_sm": "warps",
    "max_blocks_per_sm": "blocks",
    "registers_per_sm": "registers",
    "registers_per_block": "registers",
    "max_registers_per_thread": "registers",
    "register_allocation_unit": "registers",
    "warp_allocation_granularity": "warps",
    "shared_bytes_per_sm": "bytes",
    "shared_bytes_per_block": "bytes",
    "shared_bytes_per_block_optin": "bytes",
    "shared_bytes_reserved_per_block": "bytes",
    "shared_allocation_unit_bytes": "bytes",
    "l2_bytes": "bytes",
    "memory_bytes_per_second": "bytes/s",
}
_FIGURE_HEADER = ("figure", "value", "unit", "source")


@dataclass(frozen=True, kw_only=True)
class ListedDevice:
    """A device in the list.

    Attributes:
        spec: the device.
        live: it is in this machine, and its figures are the driver's.
    """

    spec: DeviceSpec
    live: bool


def short_name(name: str) -> str:
    """A device's name without what tells it from no other.

    >>> short_name("NVIDIA GeForce RTX 4090"), short_name("AMD Instinct MI300X")
    ('RTX 4090', 'AMD MI300X')
    """
    return _FILLER.sub("", _FILLER.sub("", name)) or name


def list_table(listed: Sequence[ListedDevice], width: int) -> str:
    """The list as a table for a terminal.

    Args:
        listed: devices in their order.
        width: cells of a line; below ``ALL_COLUMNS_WIDTH`` some columns are left out.
    """
    rows = [_row(one) for one in listed]
    left_out = () if width >= ALL_COLUMNS_WIDTH else _LEFT_OUT_WHEN_NARROW
    kept = [heading for heading in rows[0] if heading not in left_out]
    columns = [
        TextColumn(heading=heading, right=heading not in ("device", "arch")) for heading in kept
    ]
    cells = [[row[heading] for heading in kept] for row in rows]
    widths = column_widths(columns, cells)
    legend = (
        "thr/SM, warps, blocks: resident on one SM. regs: registers of an SM; shared: bytes per "
        "SM; opt-in: largest for a block; resv: taken from every block. K = 1024, M = 1024 K. AMD: "
        "an SM is a compute unit. ?: not known; geoaudit devices NAME says why and where each "
        "figure is from."
    )
    more = f"Left out below {ALL_COLUMNS_WIDTH} columns: {', '.join(left_out)}." if left_out else ""
    live = f"{LIVE_MARK}: in this machine, figures of its driver."
    lines = [
        aligned(kept, columns, widths),
        "─" * (sum(widths) + 2 * (len(widths) - 1)),
        *(aligned(row, columns, widths) for row in cells),
        "",
        *wrapped(f"{legend} {more}".rstrip(), width),
        *([live] if any(one.live for one in listed) else []),
    ]
    return "\n".join(lines) + "\n"


def list_markdown(listed: Sequence[ListedDevice]) -> str:
    """The list in Markdown."""
    rows = [_row(one) for one in listed]
    header = list(rows[0])
    table = markdown_table(header, [list(row.values()) for row in rows], right=header[2:])
    return "\n".join(table) + "\n"


def list_json(listed: Sequence[ListedDevice], measured: Sequence[Calibration] = ()) -> str:
    """Every field of every device, and what was measured of devices."""
    document = {
        "schema_version": DEVICES_SCHEMA_VERSION,
        "devices": [{**asdict(one.spec), "live": one.live} for one in listed],
        "calibrations": [asdict(one) for one in measured],
    }
    return json.dumps(document, indent=2) + "\n"


def list_csv(listed: Sequence[ListedDevice]) -> str:
    """Every field of every device; empty: not known."""
    header = [*(field.name for field in fields(DeviceSpec)), "live"]
    return _delimited(header, [[*asdict(one.spec).values(), one.live] for one in listed])


def device_table(spec: DeviceSpec, sources: Mapping[str, str], width: int) -> str:
    """One device as a table for a terminal; the sources are wrapped."""
    rows = _figure_rows(spec, sources)
    columns = [TextColumn(heading=name, right=name == "value") for name in _FIGURE_HEADER]
    widths = column_widths(columns, [(*row[:3], "") for row in rows])
    indent = sum(widths[:3]) + 6
    lines = [
        f"{spec.name}  {spec.vendor}  {spec.architecture}",
        "",
        aligned(_FIGURE_HEADER, columns, widths),
        "─" * width,
    ]
    for row in rows:
        start = aligned(row[:3], columns[:3], widths[:3]).ljust(indent)
        lines += wrapped(row[3], width, first=start, rest=" " * indent)
    return "\n".join(lines) + "\n"


def device_markdown(spec: DeviceSpec, sources: Mapping[str, str]) -> str:
    """One device in Markdown."""
    return (
        "\n".join(markdown_table(_FIGURE_HEADER, _figure_rows(spec, sources), right=["value"]))
        + "\n"
    )


def device_json(
    spec: DeviceSpec, sources: Mapping[str, str], measured: Sequence[Calibration] = ()
) -> str:
    """One device with the source of each figure by its field, and what was measured of it."""
    document = {
        "schema_version": DEVICES_SCHEMA_VERSION,
        "device": asdict(spec),
        "sources": dict(sources),
        "calibrations": [asdict(one) for one in measured],
    }
    return json.dumps(document, indent=2) + "\n"


def device_csv(spec: DeviceSpec, sources: Mapping[str, str]) -> str:
    """One figure a line; empty: not known."""
    figures = asdict(spec)
    rows = [[field, figures[field], unit, sources[field]] for field, unit in FIGURES.items()]
    return _delimited(_FIGURE_HEADER, rows)


def _figure_rows(spec: DeviceSpec, sources: Mapping[str, str]) -> list[tuple[str, str, str, str]]:
    figures = asdict(spec)
    return [
        (field, *_with_unit(figures[field], unit), sources[field])
        for field, unit in FIGURES.items()
    ]


def _with_unit(value: float | None, unit: str) -> tuple[str, str]:
    # Twelve zeros would take the room of the sources.
    unit, divisor = ("GB/s", 1e9) if unit == "bytes/s" else (unit, 1)
    return CANNOT_TELL if value is None else f"{value / divisor:,.0f}", unit


def _row(one: ListedDevice) -> dict[str, str]:
    """Heading -> cell."""
    spec = one.spec
    bandwidth = spec.memory_bytes_per_second
    name = short_name(spec.name)
    return {
        "device": f"{LIVE_MARK} {name}" if one.live else name,
        "arch": spec.architecture,
        "SMs": str(spec.sm_count),
        "thr/SM": str(spec.max_threads_per_sm),
        "warps": str(spec.max_warps_per_sm),
        "blocks": str(spec.max_blocks_per_sm),
        "regs": _kib(spec.registers_per_sm),
        "shared": _kib(spec.shared_bytes_per_sm),
        "opt-in": _kib(spec.shared_bytes_per_block_optin),
        "resv": _kib(spec.shared_bytes_reserved_per_block),
        "L2": CANNOT_TELL if spec.l2_bytes is None else f"{spec.l2_bytes / _MIB:.0f}M",
        "TB/s": CANNOT_TELL if bandwidth is None else f"{bandwidth / 1e12:.2f}",
    }


def _kib(value: int) -> str:
    return f"{value / _KIB:.0f}K"


def _delimited(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue()
