"""The recordings that `shard-check` is given: their ranks, their blocks, their times."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from geoaudit.errors import InputError

if TYPE_CHECKING:
    from geoaudit.launches.recording import Metadata, Recording
    from geoaudit.shardcheck.listing import Listing
    from geoaudit.shardcheck.sharding.options import ShardOptions

_TOLD = re.compile(r"(?P<kind>\w+)=(?P<ranks>[1-9]\d{0,5}):(?P<file>.+)", re.DOTALL)
_NO_NUMBER = re.compile(r"(?P<kind>\w+)=(?P<ranks>-?\d*):.*", re.DOTALL)
_SYMBOL = re.compile(r"\b(?P<name>[A-Za-z_]\w*)=(?P<value>\d{1,6})\b")
ARMS_OFF = "all off"
"""What a recorded suite says of its arms where none is on."""


@dataclass(frozen=True, kw_only=True)
class Scan:
    """A recording and the number of ranks that its shapes are of; None: nothing says."""

    recording: "Recording"
    ranks: int | None
    source: str


def read_scans(given: Sequence[Path], options: "ShardOptions") -> tuple[Scan, ...]:
    """The recordings of ``--scan``.

    What is said with the file counts first, then the symbol that the recorded suite was run with,
    then the number of ranks that the recording knows of its run.

    Args:
        given: ``FILE`` or ``KIND=N:FILE``.
        options: the parallelism that is varied.

    Raises:
        InputError: one cannot be read, or is said to be of another kind of parallelism.
    """
    return tuple(_scan(str(one), options) for one in given)


def _scan(given: str, options: "ShardOptions") -> Scan:
    from geoaudit.launches.store import read_recording

    told = _TOLD.fullmatch(given)
    if told is not None and told["kind"] != options.by:
        raise InputError(
            f"--scan {given}: the check varies {options.by}. Write {options.by}=N:FILE, or "
            f"--shard {told['kind']}=N,N,... to vary that."
        )
    file = Path(told["file"] if told else given)
    wrong = None if told else _NO_NUMBER.fullmatch(given)
    if wrong is not None and not file.exists():
        raise InputError(
            f"--scan {given}: {wrong['ranks'] or 'nothing'} is no number of ranks. Write "
            f"{options.by}=N:FILE with N from 1 to 999999."
        )
    recording = read_recording(file)
    ranks = int(told["ranks"]) if told else _ranks(recording.metadata, options)
    return Scan(recording=recording, ranks=ranks, source=str(file))


def _ranks(metadata: "Metadata", options: "ShardOptions") -> int | None:
    from geoaudit.shardcheck.words import parallel_kind

    symbols = _SYMBOL.finditer(metadata.environment.get("symbols", ""))
    by_kind = {parallel_kind(one["name"]) or "": int(one["value"]) for one in symbols}
    varied = [kind for kind in by_kind if kind and options.ranks_of(kind, 2) == 2]
    if varied:
        found = by_kind[options.by if options.by in varied else varied[0]]
        return found or None
    return metadata.ranks


def ranks_of_scans(scans: Sequence[Scan]) -> frozenset[int]:
    """The numbers of ranks that recordings are of."""
    return frozenset(scan.ranks for scan in scans if scan.ranks is not None)


def with_scans(listing: "Listing", scans: Sequence[Scan]) -> "Listing":
    """The listing with the times of the first recording, and held against all of known ranks."""
    from msgspec.structs import replace

    from geoaudit.launches.block_counts import block_counts
    from geoaudit.shardcheck.agreement import RecordedRun, with_recorded
    from geoaudit.shardcheck.listing import ListedNote

    if not scans:
        return listing
    notes = [
        ListedNote(path="", line=0, severity="note", text=f"--scan {scan.source}: {text}")
        for scan in scans
        for text in _remarks(scan, listing.by)
    ]
    counted = [
        (scan.source, scan.ranks, block_counts(scan.recording.launches))
        for scan in scans
        if scan.ranks is not None
    ]
    runs = [
        RecordedRun(
            ranks=ranks,
            source=source,
            launches=counts.own,
            communication=counts.communication,
            libraries=counts.libraries,
            without_grid=counts.without_grid,
        )
        for source, ranks, counts in counted
    ]
    listing = replace(listing, notes=(*listing.notes, *notes))
    return with_recorded(_with_times(listing, scans[0].recording), runs)


def _remarks(scan: Scan, by: str) -> list[str]:
    """What a reader of the comparison has to know of a recording."""
    if scan.ranks is None:
        return [
            "it does not say its number of ranks, so nothing is held against it; write --scan "
            f"{by}=N:{scan.source}"
        ]
    arms = scan.recording.metadata.environment.get("arms", ARMS_OFF)
    return [f"recorded with {arms}; a manifest is read with all arms off"] * (arms != ARMS_OFF)


def _with_times(listing: "Listing", recording: "Recording") -> "Listing":
    """The listing with times per token of a recording's kernels."""
    from geoaudit.ranking.options import RankOptions
    from geoaudit.ranking.rank import rank
    from geoaudit.shardcheck.measured import with_measured

    audit = rank(recording, RankOptions(group="kernel"))
    times: dict[str, float] = {}
    own = set()
    for row in (*audit.rows, *audit.communication_rows):
        if row.time_per_token_ns is not None:
            times[row.kernel_short] = times.get(row.kernel_short, 0.0) + row.time_per_token_ns
            own |= {row.kernel_short} if row.owner == "own" else set()
    return with_measured(listing, times, own)
