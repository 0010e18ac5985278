"""The audit of a recording, as `rank`, `report` and `explain --scan` make it of their options."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoaudit.cli.bytes_file import read_bytes_file
from geoaudit.cli.counters import with_counters_from
from geoaudit.cli.matching import matching_in_time

if TYPE_CHECKING:
    from geoaudit.launches.recording import Recording
    from geoaudit.ranking.audit import Audit
    from geoaudit.ranking.options import RankOptions


def audited(scan: Path, options: "RankOptions", choices: dict[str, Any]) -> "Audit":
    """The audit of a recording with what files say of its kernels.

    Args:
        scan: the recording.
        options: what the reader chose.
        choices: all values of the options `audit_options` adds, by parameter name.

    Raises:
        GeoauditError: a file cannot be used, or there is nothing to audit.
    """
    from geoaudit.launches.store import read_recording
    from geoaudit.ranking.rank import rank

    recording = with_counters_from(read_recording(scan), choices["counters_from"])
    _check_patterns(recording, options)
    if choices["bytes_file"] is not None:
        recording = _with_bytes(recording, choices["bytes_file"])
    return rank(recording, options)


def _check_patterns(recording: "Recording", options: "RankOptions") -> None:
    """Match the patterns of options with every kernel's name once.

    Raises:
        InputError: one does not come to an end.
    """
    from geoaudit.launches import schema as s

    tokens = options.token_options
    token_kernel = None if tokens is None else tokens.token_kernel
    names = [str(name) for name in recording.launches[s.KERNEL].unique()]
    for pattern in (options.kernel_pattern, token_kernel):
        if pattern is not None:
            matching_in_time(pattern, names)


def _with_bytes(recording: "Recording", file: Path) -> "Recording":
    from geoaudit.ranking.declared_bytes import with_declared_bytes

    return with_declared_bytes(recording, read_bytes_file(file), matching_in_time)
