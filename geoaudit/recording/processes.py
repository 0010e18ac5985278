"""The recordings of a command's processes, and how far they can be trusted."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from geoaudit.errors import GeoauditError, NotMeasuredError
from geoaudit.launches.recording import Recording
from geoaudit.recording.checks import sentences
from geoaudit.recording.convert import recording_of
from geoaudit.recording.stream import Stream, read_stream

NO_CUDA = (
    "no process of it loaded the recorder, so none initialised CUDA, or the driver is older than "
    "CUDA 11, or the command runs elsewhere (a container, a service, sudo) or clears its "
    "environment. `geoaudit doctor` says whether there is a driver and a device here."
)
YIELDED = (
    "with --yield launches are not counted, and a profiler inside that starts (torch.profiler, "
    "for one) gets the records in the recorder's place: it did, or no kernel was launched. "
    "Without --yield the recorder wins"
)


@dataclass(frozen=True, kw_only=True)
class Processes:
    """What was recorded of a command.

    Attributes:
        recordings: of the processes that launched kernels.
        troubles: sentences on processes that could not be recorded.
    """

    recordings: tuple[Recording, ...]
    troubles: tuple[str, ...]


def read_processes(
    streams: Sequence[Path],
    program: str,
    *,
    yields: bool = False,
    running: Collection[int] = (),
) -> Processes:
    """Read the streams of a command.

    Args:
        streams: one file per process that initialised CUDA.
        program: the command's name.
        yields: a profiler in the command may have won over the recorder.
        running: processes that were still there when the command ended.

    Raises:
        NotMeasuredError: no process left a kernel record; says which cause the streams show.
    """
    if not streams:
        raise NotMeasuredError(f"{program}: {NO_CUDA}")
    recordings: list[Recording] = []
    troubles: list[str] = []
    for path in streams:
        try:
            stream = read_stream(path)
        except GeoauditError as error:
            troubles.append(str(error))
            continue
        is_running = stream.process in running
        troubles += [f"process {stream.process}: {text}" for text in _troubles(stream, is_running)]
        if len(stream.kernels):
            own = stream.program or program
            name = program if len(streams) == 1 else f"{own} (process {stream.process})"
            recordings.append(recording_of(stream, name))
    if not recordings:
        reasons = "; ".join(troubles) or (YIELDED if yields else "it launched no kernel")
        raise NotMeasuredError(f"{program}: no kernel was recorded: {reasons}")
    return Processes(recordings=tuple(recordings), troubles=tuple(troubles))


def _troubles(stream: Stream, is_running: bool) -> list[str]:
    """Why a stream cannot be the whole truth; none where it is."""
    status = stream.status
    if stream.cut is not None:
        return [f"what follows in its recording is lost: {stream.cut}"]
    if status is None:
        return [
            "it ended before the recorder's first half second, and how much is missing cannot be "
            "told"
        ]
    if status["error"]:
        return [sentences.refused(int(status["error"]))]
    running = ["it was still running when the command ended: recorded up to then"]
    return [*(running if is_running else ()), *_missing(stream, status)]


def _missing(stream: Stream, status: np.void) -> list[str]:
    """Launches that the driver saw and CUPTI gave no record, or no time, of."""
    seen, graphs = int(status["launches_seen"]), int(status["graph_launches_seen"])
    if seen + graphs and not len(stream.kernels):
        return [
            f"{seen + graphs:,} launches were seen and no record arrived: a profiler in the "
            "process (torch.profiler, for one) took CUPTI's records. Run without it, or record "
            "without --yield"
        ]
    from_graphs = stream.kernels["graph_id"] > 0
    missing = seen - int(np.count_nonzero(~from_graphs))
    dropped = int(status["dropped_records"])
    untimed = (stream.kernels["start_ns"] == 0) & (stream.kernels["end_ns"] == 0)
    found = {
        f"{missing:,} of {seen:,} launches seen have no record": missing > 0,
        f"{graphs:,} launches of graphs were seen, and no record of a node arrived": (
            graphs and not from_graphs.any() and not (stream.copies["graph_id"] > 0).any()
        ),
        f"CUPTI dropped {dropped:,} records": dropped,
        "no kernel record has a time": len(untimed) and untimed.all(),
    }
    return [text for text, holds in found.items() if holds]
