"""A recording: the launches table with everything that is known about how it was made."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pandas as pd

from geoaudit.devices.calibration import Calibration
from geoaudit.devices.recorded import RecordedDevice
from geoaudit.launches.declared import DeclaredKernel
from geoaudit.launches.interventions import Intervention

Instrument = Literal["cupti", "kineto", "nsys", "ncu", "rocprof", "cuda_events"]


@dataclass(frozen=True, kw_only=True)
class TokenOptions:
    """How tokens are to be found; all None: by the period of the launch sequence.

    Attributes:
        token_range: name or regular expression of an NVTX or profiler range, one per token.
        token_kernel: regular expression of a kernel of which each token launches one.
        token_count: how many tokens the recording holds.
    """

    token_range: str | None = None
    token_kernel: str | None = None
    token_count: int | None = None


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """How a recording was made and how far it can be trusted.

    Attributes:
        instrument: what timed the launches.
        source_format: ``kineto``, ``nsys-sqlite``, ``ncu-details``, ``ncu-raw``, ...
        source_name: file name of the source, without its folder.
        devices: the devices, as the source describes them.
        environment: driver, CUDA and profiler versions; no environment variables, no host or
            user names.
        dropped: records the instrument says it lost; None where it cannot tell.
        untimed: launches without a usable time.
        launches_seen: launches the driver saw, where the source counts them apart from records.
        partial: the source was cut; only its complete part was read.
        replayed: the recording ships with geoaudit and was not made on this machine.
        recorded_on: date of a shipped recording, ISO 8601, or None.
        token_options: the default way to find tokens in it.
        warnings: sentences a reader of the audit should see.
        tool_version: the geoaudit version that wrote it.
        calibrations: what was measured of the devices, on the machine of the recording.
        declared: what a manifest says of its kernels.
        interventions: launches that were repeated alone and under other shapes.
        ranks: how many ranks the run has, as its launcher says; None: not known, or no
            distributed run. Which of them this recording holds, the column ``rank`` says.
        missing_ranks: ranks of the run that a data set of several parts lacks; it is partial.
    """

    instrument: Instrument
    source_format: str
    source_name: str
    devices: tuple[RecordedDevice, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    dropped: int | None = None
    untimed: int = 0
    launches_seen: int | None = None
    partial: bool = False
    replayed: bool = False
    recorded_on: str | None = None
    token_options: TokenOptions = TokenOptions()
    warnings: tuple[str, ...] = ()
    tool_version: str = ""
    calibrations: tuple[Calibration, ...] = ()
    declared: tuple[DeclaredKernel, ...] = ()
    interventions: tuple[Intervention, ...] = ()
    ranks: int | None = None
    missing_ranks: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Launches in order of start, with their metadata.

    Attributes:
        launches: the table of ``geoaudit.launches.schema``, all its columns, index 0..n-1.
        metadata: how it was made.
        path: the file it was read from, or None.
    """

    launches: pd.DataFrame
    metadata: Metadata
    path: Path | None = None
