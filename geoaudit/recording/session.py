"""Recording the process itself: ``with geoaudit.record("scan.parquet"):``."""

import os
import shutil
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from geoaudit.errors import GeoauditError, InputError
from geoaudit.launches.recording import Instrument, Recording, TokenOptions
from geoaudit.launches.store import refuse_other_files, write_recording
from geoaudit.launches.tokens import segment
from geoaudit.recording import in_process, wrappers
from geoaudit.recording.calibration.stored import with_stored_calibrations
from geoaudit.recording.instruments import (
    CuptiInstrument,
    EventsInstrument,
    Measured,
    missing_ranges,
    start_instrument,
)

# In the environment of a recording, so that a reader knows what it can hold.
SCOPE = "scope"
FROM_INSIDE = "from inside the process: what it launched between start and end of the session"
BEFORE = (
    "the process used CUDA before the session began: kernels launched before are not in the "
    "recording"
)


class IncompleteRecordingWarning(UserWarning):
    """A recording was saved, and does not hold all that was asked for."""


def record(
    path: str | os.PathLike[str] = "geoaudit-scan.parquet",
    *,
    token_range: str | None = None,
    token_kernel: str | None = None,
    tokens: int | None = None,
) -> "Session":
    """Record the kernels that this process launches inside a ``with`` block.

    CUPTI records every kernel of the process, of any library, eager or in CUDA graphs. Where it
    cannot be had (it is missing, another profiler has it), CUDA events time the kernels that
    `geoaudit.recording.wrap` wrapped, and no others; recording and warning say so.

    Enter the block before the first NVTX call of the process: NVTX looks for its listener then.
    Leaving the block waits for the devices and writes the recording, also when an exception ends
    it.

    Args:
        path: the recording; what is there is replaced in one step.
        token_range: name or regular expression of an NVTX range, one per token.
        token_kernel: regular expression of a kernel of which each token launches one.
        tokens: how many tokens are generated. At most one of these three; with none of them
            tokens are found by the period of the launches.

    Raises:
        InputError: the path holds something else or cannot be written, or several ways to find
            tokens are given.
    """
    if sum(value is not None for value in (token_range, token_kernel, tokens)) > 1:
        raise InputError("give one of token_range, token_kernel and tokens.")
    target = Path(path)
    refuse_other_files(target)
    if not os.access(target.absolute().parent, os.W_OK):
        raise InputError(
            f"cannot write {target}: its folder does not exist or cannot be written to. Make the "
            "folder, or give another path."
        )
    options = TokenOptions(token_range=token_range, token_kernel=token_kernel, token_count=tokens)
    return Session(target, options)


class Session:
    """A recording of this process, from ``__enter__`` to ``__exit__``.

    Attributes:
        path: where the recording goes.
        recording: what was recorded; None until the block is left.
        troubles: sentences on what the recording lacks; each was a warning as well.
    """

    def __init__(self, path: Path, options: TokenOptions) -> None:
        self.path = path
        self.recording: Recording | None = None
        self.troubles: tuple[str, ...] = ()
        self._options = options
        self._instrument: CuptiInstrument | EventsInstrument | None = None
        self._folder: Path | None = None
        self._process = 0
        self._began_late = False

    @property
    def instrument(self) -> Instrument | None:
        """What times the launches; None before the block is entered."""
        return self._instrument.name if self._instrument else None

    def __enter__(self) -> Self:
        """Start.

        Raises:
            InputError: a session records this process already, or this one was used before.
            NotMeasuredError: neither CUPTI nor a CUDA driver is there.
        """
        if wrappers.is_noting() or self._instrument:
            raise InputError("one session at a time, and each once: call geoaudit.record anew.")
        self._began_late = in_process.is_cuda_used()
        in_process.listen_to_nvtx()
        self._process = os.getpid()
        self._folder = Path(tempfile.mkdtemp(prefix="geoaudit-recording-"))
        try:
            self._instrument = start_instrument(self._folder)
        except GeoauditError:
            self._remove_folder()
            raise
        wrappers.start_log(self._instrument.log)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop, and write the recording.

        Raises:
            NotMeasuredError: nothing was recorded. Where an exception ended the block, this and
                the next become notes of it.
            InputError: the recording cannot be written.
        """
        wrappers.stop_log()
        if self._process not in (0, os.getpid()):
            return  # a fork leaves the block: the session is its parent's
        try:
            self._finish()
        except GeoauditError as own:
            if error is None:
                raise
            error.add_note(f"geoaudit: the session was not recorded: {own}")
        finally:
            self._remove_folder()
        for trouble in self.troubles:
            warnings.warn(trouble, IncompleteRecordingWarning, stacklevel=2)

    def _finish(self) -> None:
        if self._instrument is None:
            raise InputError("this session was not started: use it in a `with` statement.")
        measured = self._instrument.finish()
        recording, troubles = _segmented(measured.recording, self._options)
        self.troubles = (*measured.troubles, *troubles, *self._unheard(measured))
        before = (BEFORE,) if self._began_late else ()
        metadata = recording.metadata
        metadata = replace(
            metadata,
            environment={**metadata.environment, SCOPE: FROM_INSIDE},
            warnings=(*metadata.warnings, *before, *self.troubles, *measured.notes),
        )
        complete = replace(recording, metadata=metadata, path=self.path)
        self.recording = with_stored_calibrations(complete)
        write_recording(self.recording, self.path)

    def _unheard(self, measured: Measured) -> tuple[str, ...]:
        """Whether ranges that were asked for, or that wrapped kernels opened, never arrived."""
        expected = self._options.token_range is not None or bool(
            self._instrument and len(self._instrument.log)
        )
        by_cupti = self.instrument == CuptiInstrument.name
        silent = by_cupti and expected and not measured.ranges
        return (missing_ranges(),) if silent else ()

    def _remove_folder(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = None


def _segmented(recording: Recording, options: TokenOptions) -> tuple[Recording, tuple[str, ...]]:
    """The recording cut into tokens; uncut, with the reason, where that cannot be done as asked.

    What was recorded is kept whatever the options: it cannot be recorded again.
    """
    try:
        launches = segment(recording.launches, options).launches
    except InputError as error:
        launches = segment(recording.launches, TokenOptions()).launches
        return replace(recording, launches=launches), (f"tokens are not as asked for: {error}",)
    metadata = replace(recording.metadata, token_options=options)
    return replace(recording, launches=launches, metadata=metadata), ()
