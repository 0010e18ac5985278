"""Saving recordings, and the summary of them that `scan` prints."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoaudit.cli.paths import DEFAULT_SCAN, shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geoaudit.launches.recording import Recording


def save(
    recordings: "Sequence[Recording]",
    output: Path,
    before: "Sequence[str]" = (),
    after: "Sequence[str]" = (),
    *,
    err: bool = False,
) -> None:
    """Write recordings and say so; lines about how they were made stand before and after."""
    from geoaudit.render.names import visible

    write_recordings(recordings, output)
    lines = [visible(line) for line in (*before, *_summary(recordings, output), *after)]
    if err:
        _tell(lines)
        return
    for line in lines:
        click.echo(line)


def say(lines: "Sequence[str]") -> None:
    """Say something on standard error."""
    from geoaudit.render.names import visible

    _tell([f"geoaudit: {visible(line)}" for line in lines])


def _tell(lines: "Sequence[str]") -> None:
    # A terminal that is gone, or a full disk behind standard error, changes no exit code.
    with suppress(OSError):
        for line in lines:
            click.echo(line, err=True)


def write_recordings(recordings: "Sequence[Recording]", output: Path) -> None:
    """Write recordings: a file of one, a folder of several; what is there is replaced."""
    from geoaudit.launches.store import write_dataset, write_recording

    if len(recordings) == 1:
        write_recording(recordings[0], output)
    else:
        write_dataset(recordings, output)


def _summary(recordings: "Sequence[Recording]", output: Path) -> list[str]:
    lines = [line for recording in recordings for line in _recording_lines(recording)]
    shown = "" if output == DEFAULT_SCAN else f" {shell_word(output)}"
    return [*lines, f"wrote {output}", f"next: geoaudit rank{shown}"]


def _recording_lines(recording: "Recording") -> list[str]:
    from geoaudit.launches import schema as s
    from geoaudit.render.numbers import plural

    metadata, launches = recording.metadata, recording.launches
    kernels = int((launches[s.KIND] == s.KIND_KERNEL).sum())
    tokens = int(launches[s.TOKEN].nunique())
    names = sorted({device.name or "unknown device" for device in metadata.devices})
    devices = ", ".join(names) or "unknown device"
    launched = plural(kernels, "kernel launch", "kernel launches")
    parts = [
        f"{metadata.source_name}: {launched} on {devices}",
        plural(tokens, "token") if tokens else "no tokens found",
    ]
    if metadata.untimed:
        parts.append(f"{metadata.untimed:,} untimed")
    if metadata.partial:
        parts.append("PARTIAL")
    replay = (
        f"REPLAYED: recorded on {devices} on {metadata.recorded_on}; no kernel ran on this machine"
    )
    warnings = [f"warning: {warning}" for warning in metadata.warnings]
    return [*([replay] if metadata.replayed else []), ", ".join(parts), *warnings]
