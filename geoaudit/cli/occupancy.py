"""``geoaudit occupancy``: the calculator, what-if, and whole files of launches."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.device_options import device_options
from geoaudit.cli.output import OutputOptions, output_options, write_outputs

if TYPE_CHECKING:
    from geoaudit.devices.spec import DeviceSpec
    from geoaudit.geometry.shape import LaunchShape

DEFAULT_DEVICE = "H200"
# No size is longer; int() refuses texts of thousands of digits.
_MOST_DIGITS = 18


class _PlainBytes(click.ParamType[int]):
    name = "bytes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        text = str(value).strip()
        if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
            wanted = "give plain bytes, a whole number of 0 or more: 163840 for 160 KiB"
            self.fail(f"{text[:40]!r}: {wanted}", param, ctx)
        return int(text)


@dataclass(frozen=True, kw_only=True)
class LaunchOptions:
    """The launch as typed; None where an option was not given."""

    registers: int | None
    shared_bytes: int
    block: str | None
    grid: str | None
    cluster: str | None
    max_active_clusters: int | None
    barriers: int | None


@click.command(short_help="Resident blocks, limiter, waves and tail of one launch.")
@click.option("--registers", type=click.IntRange(min=0), metavar="R", help="Registers per thread.")
@click.option(
    "--shared-bytes",
    type=_PlainBytes(),
    default=0,
    show_default=True,
    metavar="S",
    help="Shared memory of a block, static and dynamic together, in plain bytes.",
)
@click.option("--block", metavar="B", help="Threads of a block: 256, 16x16 or 16,16,1.")
@click.option("--grid", metavar="G", help="Blocks of the grid: 1280 or 32x40x1.")
@click.option("--cluster", metavar="C", help="Blocks of a cluster: 4 or 2x2x1.")
@click.option(
    "--max-active-clusters",
    type=click.IntRange(min=1),
    metavar="N",
    help="Clusters the device holds at once, as cuOccupancyMaxActiveClusters says.",
)
@click.option(
    "--barriers",
    type=click.IntRange(min=0),
    metavar="N",
    help="Block barriers of the kernel, where they are known.",
)
@device_options
@click.option(
    "--what-if",
    "what_ifs",
    multiple=True,
    metavar="KEY=VALUE",
    help="Show a changed launch beside it: registers, shared-bytes, block, grid or "
    "max-active-clusters, several joined by commas. May be repeated.",
)
@click.option(
    "--batch",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.csv",
    help="Calculate every row of a CSV file and write it with the answers added.",
)
@output_options
def occupancy(
    batch: Path | None,
    what_ifs: tuple[str, ...],
    device_name: str | None,
    sms: int | None,
    format_name: str,
    output_file: Path | None,
    outputs: tuple[tuple[str, Path], ...],
    **launch: object,
) -> None:
    """Calculate how many blocks an SM holds at once, what limits them, and the waves of a grid.

    The figures are the driver's own (cuOccupancyMaxActiveBlocksPerMultiprocessor). A kernel that
    needs more than the default shared memory is taken to have opted in.

    \b
    Examples:
      geoaudit occupancy --registers 64 --block 256 --grid 12 --device H200
      geoaudit occupancy --registers 168 --shared-bytes 40000 --block 16x16 \\
          --grid 32x40 --what-if registers=128 --what-if block=128,grid=2560
      geoaudit occupancy --batch launches.csv -o answers.csv --device "RTX 4090"

    \b
    A batch has the columns registers_per_thread, static_shared_bytes,
    dynamic_shared_bytes and block_threads, and maybe grid_blocks, cluster_blocks
    and device. It comes back with resident_blocks_per_sm (0: impossible), limiter
    and theoretical_occupancy (0 to 1) added; other columns pass through.
    """
    options = LaunchOptions(**launch)  # type: ignore[arg-type]
    output = OutputOptions(format=format_name, file=output_file, extra=outputs)
    if batch is not None:
        _refuse_launch_options(options, what_ifs, sms)
        _write_batch(batch, device_name, output)
        return
    device, chosen_by = choose_device(device_name, sms)
    _write_answer(device, chosen_by, _shape_of(options), what_ifs, output)


def choose_device(name: str | None, sms: int | None) -> tuple[DeviceSpec, str]:
    """The device to calculate for, and in a phrase how it was chosen.

    The one named, else the first CUDA device of this machine, else ``DEFAULT_DEVICE``.

    Raises:
        UnknownDeviceError: the table does not know the name.
    """
    from geoaudit.devices.live import live_devices
    from geoaudit.devices.table import find_device

    live = () if name else live_devices()
    if name:
        device, chosen_by = find_device(name), "--device"
    elif live:
        device, chosen_by = live[0], "this machine's; --device names another"
    else:
        device, chosen_by = find_device(DEFAULT_DEVICE), "no --device and no GPU here: the default"
    if sms is None:
        return device, chosen_by
    return _with_sms(device, sms), f"{chosen_by}, --sms {sms}"


def _with_sms(device: DeviceSpec, sms: int) -> DeviceSpec:
    """The device with the SMs that were asked for, by the rule recordings are resolved by."""
    from geoaudit.devices.recorded import RecordedDevice
    from geoaudit.devices.resolve import DeviceOverride, resolve_device

    stated = {field.name for field in fields(RecordedDevice)} - {"index"}
    recorded = RecordedDevice(**{name: getattr(device, name) for name in stated})
    resolved = resolve_device(recorded, DeviceOverride(sms=sms)).spec
    # Only the count of a device whose limits no table has can be changed by itself.
    return resolved or replace(device, sm_count=sms, usable_sm_count=None)


def _shape_of(options: LaunchOptions) -> LaunchShape:
    from geoaudit.geometry.shape import LaunchShape
    from geoaudit.geometry.what_if import parse_dimensions

    if options.registers is None or options.block is None:
        raise click.UsageError("give --registers and --block, or --batch FILE.csv")
    return LaunchShape(
        grid=parse_dimensions(options.grid, "--grid") if options.grid else None,
        block=parse_dimensions(options.block, "--block"),
        cluster=parse_dimensions(options.cluster, "--cluster") if options.cluster else None,
        registers_per_thread=options.registers,
        shared_bytes=options.shared_bytes,
        max_active_clusters=options.max_active_clusters,
        barriers_per_block=options.barriers,
    )


def _write_answer(
    device: DeviceSpec,
    chosen_by: str,
    shape: LaunchShape,
    what_ifs: tuple[str, ...],
    output: OutputOptions,
) -> None:
    from geoaudit.cli.terminal_width import terminal_width
    from geoaudit.geometry.what_if import calculate, changed_shape
    from geoaudit.render import occupancy as render

    changed = [(changes, changed_shape(shape, changes)) for changes in what_ifs]
    answer = render.OccupancyAnswer(
        device=device,
        device_chosen_by=chosen_by,
        launches=(
            calculate(shape, device),
            *(calculate(other, device, name=changes) for changes, other in changed),
        ),
    )
    write_outputs(
        {
            "table": lambda: render.render_table(answer, terminal_width()),
            "json": lambda: render.render_json(answer),
            "csv": lambda: render.render_csv(answer),
            "markdown": lambda: render.render_markdown(answer),
        },
        output,
    )


def _refuse_launch_options(
    options: LaunchOptions, what_ifs: tuple[str, ...], sms: int | None
) -> None:
    if sms is not None:
        raise click.UsageError(
            "--sms changes nothing of a batch: what it adds to a row is per SM. Leave it out."
        )
    given = {
        "--registers": options.registers is not None,
        "--shared-bytes": options.shared_bytes != 0,
        "--block": options.block is not None,
        "--grid": options.grid is not None,
        "--cluster": options.cluster is not None,
        "--max-active-clusters": options.max_active_clusters is not None,
        "--barriers": options.barriers is not None,
        "--what-if": bool(what_ifs),
    }
    refused = [name for name, is_given in given.items() if is_given]
    if refused:
        raise click.UsageError(f"--batch takes its launches from the file, not {refused[0]}")


def _write_batch(batch: Path, device_name: str | None, output: OutputOptions) -> None:
    from geoaudit.cli.occupancy_batch import read_and_calculate
    from geoaudit.devices.table import find_device
    from geoaudit.render import occupancy as render

    def default_device() -> DeviceSpec:
        device, chosen_by = choose_device(device_name, None)
        click.echo(f"Rows without a device: {device.name} ({chosen_by}).", err=True)
        return device

    result = read_and_calculate(batch, find_device, default_device)
    renderers = {
        "csv": lambda: render.render_batch_csv(result),
        "json": lambda: render.render_batch_json(result),
        "markdown": lambda: render.render_batch_markdown(result),
    }
    # The table of a batch is the file itself with its new columns.
    write_outputs({**renderers, "table": renderers["csv"]}, output)
