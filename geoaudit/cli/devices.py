"""``geoaudit devices``: the device table, and one device with the source of every figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.completion import complete_device
from geoaudit.cli.output import OutputOptions, output_options, write_outputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from geoaudit.devices.spec import DeviceSpec


@click.command()
@click.argument("name", required=False, shell_complete=complete_device)
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
    options = OutputOptions(format=format_name, file=output_file, extra=outputs)
    if name is None:
        _write_list(options)
    else:
        _write_device(name, options)


def _write_list(options: OutputOptions) -> None:
    from geoaudit.cli.terminal_width import terminal_width
    from geoaudit.devices.live import live_devices
    from geoaudit.devices.table import all_devices
    from geoaudit.render import devices as render

    listed = [render.ListedDevice(spec=spec, live=True) for spec in live_devices()]
    listed += [render.ListedDevice(spec=spec, live=False) for spec in all_devices()]
    write_outputs(
        {
            "table": lambda: render.list_table(listed, terminal_width()),
            "json": lambda: render.list_json(listed),
            "csv": lambda: render.list_csv(listed),
            "markdown": lambda: render.list_markdown(listed),
        },
        options,
    )


def _write_device(name: str, options: OutputOptions) -> None:
    from geoaudit.cli.terminal_width import terminal_width
    from geoaudit.render import devices as render

    spec, sources = _named(name)
    write_outputs(
        {
            "table": lambda: render.device_table(spec, sources, terminal_width()),
            "json": lambda: render.device_json(spec, sources),
            "csv": lambda: render.device_csv(spec, sources),
            "markdown": lambda: render.device_markdown(spec, sources),
        },
        options,
    )


def _named(name: str) -> tuple[DeviceSpec, Mapping[str, str]]:
    """The device of that name and its sources: of the table, else of this machine."""
    from geoaudit.devices.live import live_devices
    from geoaudit.devices.table import find_entry, lookup
    from geoaudit.render.devices import FIGURES

    if lookup(name) is None:
        for spec in live_devices():
            if spec.name.lower() == name.lower():
                return spec, dict.fromkeys(FIGURES, spec.sm_count_source)
    entry = find_entry(name)
    return entry.spec, entry.sources
