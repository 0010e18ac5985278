"""``geoaudit devices``: the device table, and one device with the source of every figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.completion import complete_device
from geoaudit.cli.output import OutputOptions, output_options, write_outputs
from geoaudit.errors import NotMeasuredError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from geoaudit.devices.calibration import Calibration
    from geoaudit.devices.spec import DeviceSpec


@click.command()
@click.argument("name", required=False, shell_complete=complete_device)
@click.option(
    "--measure",
    "is_measured",
    is_flag=True,
    help="Measure the CUDA device of this machine, and store the figures.",
)
@output_options
def devices(
    name: str | None,
    is_measured: bool,
    format_name: str,
    output_file: Path | None,
    outputs: tuple[tuple[str, Path], ...],
) -> None:
    """List the known devices, or all of one with the source of every figure.

    Devices of this machine stand first, marked *, with the figures its driver gives; what was
    measured of devices stands below.

    --measure takes a second or two: bandwidth of a copy, an empty kernel launched eagerly and in a
    CUDA graph, latency of a load from memory, tick of the timer, as they are recorded. The figures
    are stored by the device's name in geoaudit/calibrations.json in XDG_DATA_HOME (else
    ~/.local/share); the environment variable GEOAUDIT_CALIBRATIONS names another file. Recordings
    made on a device of that name then carry them, and kernels are held against floors of that
    device and not of a data sheet. CUDA_VISIBLE_DEVICES chooses one of several devices.

    \b
    Examples:
      geoaudit devices
      geoaudit devices --measure
      geoaudit devices H200
      geoaudit devices --format csv -o devices.csv
    """
    options = OutputOptions(format=format_name, file=output_file, extra=outputs)
    if is_measured and name is not None:
        raise click.UsageError("--measure measures the device of this machine: give no NAME.")
    if is_measured:
        _measure(options)
    elif name is None:
        _write_list(options)
    else:
        _write_device(name, options)


def _measure(options: OutputOptions) -> None:
    from geoaudit.cli.saving import say
    from geoaudit.cli.terminal_width import terminal_width
    from geoaudit.devices.calibration_store import store_calibration
    from geoaudit.recording.calibration.measure import measure
    from geoaudit.recording.suite import presence
    from geoaudit.recording.suite.runtime import CupyRuntime, import_cupy
    from geoaudit.render import calibrations as render

    if not presence.has_device():
        raise NotMeasuredError(
            "--measure: no CUDA device was found. Run it on the machine that kernels are recorded "
            "on; `geoaudit doctor` says what is missing."
        )
    # Before the session begins: it would report, besides, that nothing was recorded.
    import_cupy()
    measured = [measure(CupyRuntime)]
    write_outputs(
        {
            "table": lambda: render.calibrations_table(measured, terminal_width()),
            "json": lambda: render.calibrations_json(measured),
            "csv": lambda: render.calibrations_csv(measured),
            "markdown": lambda: render.calibrations_markdown(measured),
        },
        options,
    )
    say([f"stored in {store_calibration(measured[0])}"])


def _stored(name: str | None = None) -> tuple[Calibration, ...]:
    """What is stored of all devices, or of those of the table's device ``name``."""
    from geoaudit.cli.saving import say
    from geoaudit.devices.calibration_store import read_calibrations
    from geoaudit.devices.table import lookup

    stored = read_calibrations()
    if stored.warning is not None:
        say([f"warning: {stored.warning}"])
    if name is None:
        return stored.calibrations
    entries = [(one, lookup(one.device_name)) for one in stored.calibrations]
    return tuple(
        one
        for one, entry in entries
        if name in (one.device_name, None if entry is None else entry.spec.name)
    )


def _write_list(options: OutputOptions) -> None:
    from geoaudit.cli.terminal_width import terminal_width
    from geoaudit.devices.live import live_devices
    from geoaudit.devices.table import all_devices
    from geoaudit.render import devices as render
    from geoaudit.render.calibrations import calibrations_markdown, calibrations_table

    measured, width = _stored(), terminal_width()
    listed = [render.ListedDevice(spec=spec, live=True) for spec in live_devices()]
    listed += [render.ListedDevice(spec=spec, live=False) for spec in all_devices()]
    write_outputs(
        {
            "table": lambda: _joined(
                render.list_table(listed, width), calibrations_table(measured, width)
            ),
            "json": lambda: render.list_json(listed, measured),
            "csv": lambda: render.list_csv(listed),
            "markdown": lambda: _joined(
                render.list_markdown(listed), calibrations_markdown(measured)
            ),
        },
        options,
    )


def _write_device(name: str, options: OutputOptions) -> None:
    from geoaudit.cli.terminal_width import terminal_width
    from geoaudit.render import devices as render
    from geoaudit.render.calibrations import calibrations_markdown, calibrations_table

    spec, sources = _named(name)
    measured, width = _stored(spec.name), terminal_width()
    write_outputs(
        {
            "table": lambda: _joined(
                render.device_table(spec, sources, width), calibrations_table(measured, width)
            ),
            "json": lambda: render.device_json(spec, sources, measured),
            "csv": lambda: render.device_csv(spec, sources),
            "markdown": lambda: _joined(
                render.device_markdown(spec, sources), calibrations_markdown(measured)
            ),
        },
        options,
    )


def _joined(*tables: str) -> str:
    """The tables that are there, an empty line between them."""
    return "\n".join(table for table in tables if table)


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
