"""``geoaudit devices``: the device table, and one device with the source of every figure."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.output import OutputOptions, output_options, write_outputs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.table import Table

    from geoaudit.devices.spec import DeviceSpec

DEVICES_SCHEMA_VERSION = "1.0"
_WIDTH = 100
_KIB, _MIB = 1024, 1024 * 1024
_LIVE_MARK = "*"
# Every figure shown, with its unit.
_FIGURES = {
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


@dataclass(frozen=True, kw_only=True)
class _Listed:
    """A device in the list.

    Attributes:
        spec: the device.
        live: it is in this machine, and its figures are the driver's.
    """

    spec: DeviceSpec
    live: bool


@click.command()
@click.argument("name", required=False)
@output_options
def devices(
    name: str | None,
    format_name: str,
    output_file: Path | None,
    outputs: tuple[tuple[str, Path], ...],
) -> None:
    """List the known devices, or all of one with the source of every figure.

    Devices of this machine stand first, marked *, with the figures its driver gives.

    \b
    Examples:
      geoaudit devices
      geoaudit devices H200
      geoaudit devices --format csv -o devices.csv
    """
    from geoaudit.devices.live import live_devices
    from geoaudit.devices.table import all_devices

    options = OutputOptions(format=format_name, file=output_file, extra=outputs)
    if name is not None:
        write_outputs(_one_renderers(*_named(name)), options)
        return
    listed = [_Listed(spec=spec, live=True) for spec in live_devices()]
    listed += [_Listed(spec=spec, live=False) for spec in all_devices()]
    write_outputs(
        {
            "table": lambda: _list_table(listed),
            "json": lambda: _list_json(listed),
            "csv": lambda: _delimited(_plain_header(), [_plain_row(one) for one in listed]),
            "markdown": lambda: _markdown(_header(), [_row(one) for one in listed]),
        },
        options,
    )


def _named(name: str) -> tuple[DeviceSpec, Mapping[str, str]]:
    """The device of that name and its sources: of the table, else of this machine."""
    from geoaudit.devices.live import live_devices
    from geoaudit.devices.table import find_entry, lookup

    if lookup(name) is None:
        for spec in live_devices():
            if spec.name.lower() == name.lower():
                return spec, dict.fromkeys(_FIGURES, spec.sm_count_source)
    entry = find_entry(name)
    return entry.spec, entry.sources


def _header() -> list[str]:
    return [
        "device",
        "arch",
        "SMs",
        "thr/SM",
        "warps",
        "blocks",
        "regs/SM",
        "shared",
        "opt-in",
        "resv",
        "L2",
        "TB/s",
    ]


def _row(one: _Listed) -> list[str]:
    spec = one.spec
    bandwidth = spec.memory_bytes_per_second
    return [
        f"{_LIVE_MARK} {spec.name}" if one.live else spec.name,
        spec.architecture,
        str(spec.sm_count),
        str(spec.max_threads_per_sm),
        str(spec.max_warps_per_sm),
        str(spec.max_blocks_per_sm),
        _kib(spec.registers_per_sm),
        _kib(spec.shared_bytes_per_sm),
        _kib(spec.shared_bytes_per_block_optin),
        _kib(spec.shared_bytes_reserved_per_block),
        "?" if spec.l2_bytes is None else f"{spec.l2_bytes / _MIB:.0f}M",
        "?" if bandwidth is None else f"{bandwidth / 1e12:.2f}",
    ]


def _kib(value: int) -> str:
    return f"{value / _KIB:.0f}K"


def _list_table(listed: Sequence[_Listed]) -> str:
    table = _table(_header(), right_from=2)
    for one in listed:
        table.add_row(*_row(one))
    legend = (
        "thr/SM, warps, blocks: resident on one SM. shared: bytes per SM; opt-in: largest for a "
        "block;\nresv: taken from every block. K = 1024, M = 1024 K. AMD: an SM is a compute unit. "
        "?: not known,\n`geoaudit devices NAME` says why and where each figure is from."
    )
    live = f"\n{_LIVE_MARK}: in this machine, figures of its driver."
    return _printed(table) + legend + (live if any(one.live for one in listed) else "")


def _list_json(listed: Sequence[_Listed]) -> str:
    return json.dumps(
        {
            "schema_version": DEVICES_SCHEMA_VERSION,
            "devices": [{**asdict(one.spec), "live": one.live} for one in listed],
        },
        indent=2,
    )


def _plain_header() -> list[str]:
    from dataclasses import fields

    from geoaudit.devices.spec import DeviceSpec

    return [*(field.name for field in fields(DeviceSpec)), "live"]


def _plain_row(one: _Listed) -> list[object]:
    return [*asdict(one.spec).values(), one.live]


def _one_renderers(spec: DeviceSpec, sources: Mapping[str, str]) -> dict[str, Callable[[], str]]:
    header = ["figure", "value", "unit", "source"]
    figures = asdict(spec)
    plain = [[field, figures[field], unit, sources[field]] for field, unit in _FIGURES.items()]
    rows = [
        [field, "?" if value is None else f"{value:,.0f}", unit, source]
        for field, value, unit, source in plain
    ]

    def table() -> str:
        body = _table(header, right_from=1, left_from=2)
        for row in rows:
            body.add_row(*row)
        return f"{spec.name}  {spec.vendor}  {spec.architecture}\n\n" + _printed(body)

    def as_json() -> str:
        document = {
            "schema_version": DEVICES_SCHEMA_VERSION,
            "device": asdict(spec),
            "sources": dict(sources),
        }
        return json.dumps(document, indent=2)

    return {
        "table": table,
        "json": as_json,
        "csv": lambda: _delimited(header, plain),
        "markdown": lambda: _markdown(header, rows),
    }


def _table(header: Sequence[str], *, right_from: int, left_from: int | None = None) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for index, name in enumerate(header):
        is_number = index >= right_from and (left_from is None or index < left_from)
        table.add_column(
            name, justify="right" if is_number else "left", overflow="fold", no_wrap=is_number
        )
    return table


def _printed(table: Table) -> str:
    from rich.console import Console

    text = io.StringIO()
    Console(file=text, width=_WIDTH, color_system=None, markup=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def _delimited(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue()


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    escaped = ([cell.replace("|", r"\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)
