"""The two instruments of a session: CUPTI, and CUDA events around wrapped kernels."""

import os
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from geoaudit.devices.live import live_devices
from geoaudit.devices.recorded import RecordedDevice
from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Instrument, Metadata, Recording
from geoaudit.recording import in_process, runner
from geoaudit.recording.checks.variables import NVTX_INJECTION
from geoaudit.recording.events import EventTimer
from geoaudit.recording.in_process import StartedRecorder
from geoaudit.recording.processes import read_processes
from geoaudit.recording.requests import RequestLog, timed_by_events, with_requests
from geoaudit.recording.stream import read_stream

SOURCE_FORMAT = "geoaudit"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What an instrument recorded.

    Attributes:
        recording: not yet cut into tokens.
        ranges: how many records of NVTX ranges arrived.
        notes: sentences on what was launched otherwise than asked for.
        troubles: sentences on what is missing from it.
    """

    recording: Recording
    ranges: int
    notes: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()


class CuptiInstrument:
    """Every kernel of the process, by the recorder.

    Attributes:
        log: of wrapped launches.
    """

    name: Instrument = "cupti"

    def __init__(self, recorder: StartedRecorder) -> None:
        self._recorder = recorder
        self.log = RequestLog(recorder.clock)

    def finish(self) -> Measured:
        """Stop recording and read what was recorded.

        Raises:
            NotMeasuredError: no kernel was.
        """
        self._recorder.stop()
        processes = read_processes([self._recorder.stream], _program())
        recording = processes.recordings[0]
        stream = read_stream(self._recorder.stream)
        table, changes = with_requests(recording.launches, stream.launches, self.log.requests())
        devices = recording.metadata.devices or _live(table)
        return Measured(
            recording=replace(
                recording,
                launches=table,
                metadata=replace(recording.metadata, devices=devices),
            ),
            ranges=len(stream.markers),
            notes=tuple(changes),
            troubles=processes.troubles,
        )


class EventsInstrument:
    """Wrapped kernels alone, by CUDA events.

    Attributes:
        log: of wrapped launches.
    """

    name: Instrument = "cuda_events"

    def __init__(self, timer: EventTimer, reason: str) -> None:
        self._timer = timer
        self._reason = reason
        self.log = RequestLog(time.monotonic_ns, timer)

    def finish(self) -> Measured:
        """Read the events.

        Raises:
            NotMeasuredError: no wrapped kernel ran.
        """
        requests = self.log.requests()
        if not requests:
            raise NotMeasuredError(
                f"{self._reason} CUDA events time kernels that geoaudit.recording.wrap wrapped, "
                "and none of them ran."
            )
        table = timed_by_events(requests, self._timer, os.getpid())
        metadata = Metadata(
            instrument=self.name,
            source_format=SOURCE_FORMAT,
            source_name=_program(),
            devices=_live(table),
            untimed=int(table[s.START_NS].isna().sum()),
        )
        return Measured(
            recording=Recording(launches=table, metadata=metadata),
            ranges=0,
            troubles=(
                "CUDA events timed the wrapped kernels, and no others: times are upper bounds, "
                f"with the launch in them, and geometry is what was asked for. {self._reason}",
                *self._captured(),
            ),
        )

    def _captured(self) -> tuple[str, ...]:
        if not self._timer.captured:
            return ()
        return (
            f"{self._timer.captured:,} wrapped launches were captured into CUDA graphs, whose "
            "replays CUDA events do not see",
        )


def start_instrument(folder: Path) -> CuptiInstrument | EventsInstrument:
    """CUPTI where it can be had, else CUDA events.

    Args:
        folder: an empty folder for the recorder's stream.

    Raises:
        NotMeasuredError: there is no CUDA driver either.
    """
    try:
        return CuptiInstrument(in_process.start_recorder(folder))
    except NotMeasuredError as error:
        driver = in_process.cuda_driver()
        if driver is None:
            raise NotMeasuredError(f"{error} Nor is there a CUDA driver.") from error
        return EventsInstrument(EventTimer(driver), str(error))


def missing_ranges() -> str:
    """What to say where ranges were opened, or asked for, and none arrived."""
    return (
        "no NVTX range arrived: none was opened, or NVTX was used before the session began and "
        "found another listener or none. Begin the session before the first NVTX call, or start "
        f"the process with {NVTX_INJECTION}={runner.LIBRARY} (now: "
        f"{os.environ.get(NVTX_INJECTION, 'not set')})"
    )


def _program() -> str:
    return Path(sys.argv[0]).name or "python"


def _live(table: pd.DataFrame) -> tuple[RecordedDevice, ...]:
    """The devices that launched, asked of the driver: CUPTI tells of those it saw coming up."""
    used = set(table[s.DEVICE])
    return tuple(
        RecordedDevice(
            index=index,
            name=device.name,
            architecture=device.architecture,
            sm_count=device.sm_count,
            sm_count_source=device.sm_count_source,
            threads_per_warp=device.threads_per_warp,
            max_threads_per_sm=device.max_threads_per_sm,
            max_blocks_per_sm=device.max_blocks_per_sm,
            registers_per_sm=device.registers_per_sm,
            shared_bytes_per_sm=device.shared_bytes_per_sm,
            shared_bytes_per_block_optin=device.shared_bytes_per_block_optin,
        )
        for index, device in enumerate(live_devices())
        if index in used
    )
