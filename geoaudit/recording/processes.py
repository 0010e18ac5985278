"""The recordings of a command's processes, and how far they can be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from geoaudit.errors import GeoauditError, NotMeasuredError
from geoaudit.launches.recording import Recording
from geoaudit.recording.convert import recording_of
from geoaudit.recording.stream import Stream, read_stream

# CUPTI: CUptiResult of a second subscriber (one at a time up to CUDA 13.2).
MULTIPLE_SUBSCRIBERS = 39
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


def read_processes(streams: Sequence[Path], program: str, *, yields: bool = False) -> Processes:
    """Read the streams of a command.

    Args:
        streams: one file per process that initialised CUDA.
        program: the command's name.
        yields: a profiler in the command may have won over the recorder.

    Raises:
        NotMeasuredError: no process left a kernel record; says which cause the streams show.
    """
    if not streams:
        raise NotMeasuredError(
            f"{program} did not initialise CUDA: no process of it loaded the recorder. If it does "
            "use a GPU, its driver is older than CUDA 11, or it clears its environment."
        )
    recordings, troubles = [], []
    for path in streams:
        try:
            stream = read_stream(path)
        except GeoauditError as error:
            troubles.append(str(error))
            continue
        trouble = _trouble(stream)
        if trouble is not None:
            troubles.append(f"process {stream.process}: {trouble}")
        if len(stream.kernels):
            own = stream.program or program
            name = program if len(streams) == 1 else f"{own} (process {stream.process})"
            recordings.append(recording_of(stream, name))
    if not recordings:
        reasons = "; ".join(troubles) or (YIELDED if yields else "it launched no kernel")
        raise NotMeasuredError(f"{program}: no kernel was recorded: {reasons}")
    return Processes(recordings=tuple(recordings), troubles=tuple(troubles))


def _trouble(stream: Stream) -> str | None:
    """Why a stream cannot be the whole truth, or None."""
    status = stream.status
    if stream.cut is not None:
        return f"what follows in its recording is lost: {stream.cut}"
    if status is None:
        return "it ended before the recorder's first half second, and nothing can be said of it"
    if status["error"] == MULTIPLE_SUBSCRIBERS:
        return "another profiler in the process has CUPTI (one subscriber at a time)"
    if status["error"]:
        return f"CUPTI refused the recorder with error {int(status['error'])}"
    launches = int(status["launches_seen"] + status["graph_launches_seen"])
    if launches and not len(stream.kernels):
        return (
            f"{launches:,} launches were seen and no record arrived: a profiler in the process "
            "(torch.profiler, for one) took CUPTI's records"
        )
    missing = int(status["launches_seen"]) - int((stream.kernels["graph_id"] == 0).sum())
    if missing > 0 and status["finished"]:
        return f"{missing:,} of {int(status['launches_seen']):,} launches seen have no record"
    if status["dropped_records"]:
        return f"CUPTI dropped {int(status['dropped_records']):,} records"
    return None
