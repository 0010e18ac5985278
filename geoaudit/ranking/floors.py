"""The floor of every launch: its bytes at the device's bandwidth, or the launch itself.

Each launch is held against its own floor, and figures are pooled after that: launches of one
signature may move different bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.devices.calibration import Calibration
from geoaudit.devices.resolve import ResolvedDevice
from geoaudit.diagnosis.evidence import Floor
from geoaudit.diagnosis.thresholds import LAUNCH_FLOOR_NS
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Metadata
from geoaudit.ranking.annotation import AnnotatedKernels

Reals = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

UNKNOWN_BYTES = 0.2
"""Above this share of a token's kernel time without known bytes, nobody says what it touches: the
same fifth as everywhere else (`thresholds.JUDGED_TIME`)."""


@dataclass(frozen=True, kw_only=True)
class DeviceFloors:
    """What the floors of a device's launches are made of. None: unknown.

    Attributes:
        launch_floor_ns, graph_launch_floor_ns: of an empty kernel, eager and in a CUDA graph.
        bandwidth_bytes_per_second: read and written; measured, else of the data sheet.
        latency_ns: of a dependent load from memory, measured.
        is_measured: launch floor and bandwidth were measured on this device.
        launch_floor_is_measured: the launch floor was.
        bytes_per_token: what a token touches; None also where much of it is unknown, and where
            the L2 is emptied before each launch.
    """

    launch_floor_ns: float
    graph_launch_floor_ns: float
    bandwidth_bytes_per_second: float | None
    latency_ns: float | None
    is_measured: bool
    launch_floor_is_measured: bool
    bytes_per_token: float | None


@dataclass(frozen=True, kw_only=True)
class LaunchFloors:
    """The floors of all audited launches.

    Attributes:
        bytes: of each launch, declared or else counted; NaN: unknown.
        is_declared: whether they are declared.
        launch_floor_ns: of each launch, eager or in a graph.
        duration_ns: of each launch, overlap on its stream left to the earlier; NaN: untimed.
        devices: device -> what its floors are made of.
    """

    bytes: Reals
    is_declared: Flags
    launch_floor_ns: Reals
    duration_ns: Reals
    devices: Mapping[int, DeviceFloors]

    def of(self, places: Integers, device: int) -> Floor:
        """The floor of the launches at these places, all of one device.

        Where the bytes of some are declared, those alone count: floors of two kinds are not
        mixed.
        """
        figures = self.devices[device]
        launch_floor_ns = float(np.median(self.launch_floor_ns[places]))
        of_device = Floor(
            floor_ns=launch_floor_ns,
            launch_floor_ns=launch_floor_ns,
            own_time_ns=_median(self.duration_ns[places]),
            is_measured=figures.is_measured,
            launch_floor_is_measured=figures.launch_floor_is_measured,
            latency_ns=figures.latency_ns,
            touched_bytes=figures.bytes_per_token,
        )
        known = places[~np.isnan(self.bytes[places])]
        if not known.size:
            return of_device
        declared = known[self.is_declared[known]]
        known = declared if declared.size else known
        bandwidth = figures.bandwidth_bytes_per_second
        floors = self._floors_ns(known, bandwidth)
        return replace(
            of_device,
            floor_ns=float(np.median(floors)),
            floor_ratio=None if bandwidth is None else _ratio(self.duration_ns[known], floors),
            time_ns=_median(self.duration_ns[known]),
            distinct_floors=len(np.unique(floors)),
            bytes=float(np.median(self.bytes[known])),
            bytes_source="compulsory" if declared.size else "traffic",
            bandwidth_bytes_per_second=bandwidth,
        )

    def _floors_ns(self, places: Integers, bandwidth: float | None) -> Reals:
        launch = self.launch_floor_ns[places]
        if bandwidth is None:
            return launch
        return np.maximum(launch, self.bytes[places] / bandwidth * 1e9)


def launch_floors(
    kernels: AnnotatedKernels,
    devices: Mapping[int, ResolvedDevice],
    metadata: Metadata,
    divisors: Mapping[int, int],
) -> LaunchFloors:
    """The floors of all launches.

    Args:
        kernels: the audited launches.
        devices: the devices they ran on.
        metadata: of the recording, with what was measured; a calibration counts for the devices
            of its name.
        divisors: device -> tokens.
    """
    launches = kernels.launches
    declared = _reals(launches[s.COMPULSORY_BYTES])
    size = np.where(np.isnan(declared), _counted(kernels), declared)
    device = launches[s.DEVICE].to_numpy(dtype=np.int64)
    measured = {one.device_name: one for one in reversed(metadata.calibrations)}
    # Nsight Compute empties the caches before each launch: what lies between tells nothing.
    kept = size if metadata.instrument != "ncu" else np.full_like(size, np.nan)
    figures = {
        int(index): _device_floors(
            devices[int(index)],
            measured.get(devices[int(index)].name),
            _bytes_per_token(kernels, kept, device == index, divisors[int(index)]),
        )
        for index in np.unique(device)
    }
    return LaunchFloors(
        bytes=size,
        is_declared=~np.isnan(declared),
        launch_floor_ns=_launch_floors_ns(launches, figures),
        # What waits for its predecessor does not work yet.
        duration_ns=kernels.attributed_ns,
        devices=figures,
    )


def _launch_floors_ns(launches: pd.DataFrame, figures: Mapping[int, DeviceFloors]) -> Reals:
    """The launch floor of each launch, eager or in a graph."""
    by_launch = [figures[index] for index in launches[s.DEVICE].tolist()]
    eager = np.array([one.launch_floor_ns for one in by_launch], dtype=np.float64)
    of_graph = np.array([one.graph_launch_floor_ns for one in by_launch], dtype=np.float64)
    return np.where(launches[s.GRAPH_ID].notna(), of_graph, eager)


def _counted(kernels: AnnotatedKernels) -> Reals:
    """Counted traffic of each launch's signature: counters look at few launches of it."""
    traffic = kernels.launches[s.DRAM_BYTES]
    return _reals(traffic.groupby(kernels.signature).transform("median"))


def _device_floors(
    device: ResolvedDevice, calibration: Calibration | None, bytes_per_token: float | None
) -> DeviceFloors:
    """Measured figures, else the device table's and the default launch floor."""
    found = calibration or Calibration(device_name=device.name)
    eager, in_graph = found.launch_floor_ns, found.graph_launch_floor_ns
    listed = None if device.spec is None else device.spec.memory_bytes_per_second
    copied = found.copy_bytes_per_second
    return DeviceFloors(
        launch_floor_ns=_first_known(eager, in_graph, LAUNCH_FLOOR_NS),
        graph_launch_floor_ns=_first_known(in_graph, eager, LAUNCH_FLOOR_NS),
        bandwidth_bytes_per_second=listed if copied is None else copied,
        latency_ns=found.latency_ns,
        is_measured=copied is not None and (eager or in_graph) is not None,
        launch_floor_is_measured=(eager or in_graph) is not None,
        bytes_per_token=bytes_per_token,
    )


def _first_known(*figures: float | None) -> float:
    return next(figure for figure in figures if figure is not None)


def _bytes_per_token(
    kernels: AnnotatedKernels, size: Reals, own: Flags, tokens: int
) -> float | None:
    """Bytes that a token touches on a device; None without tokens, or where many are unknown."""
    if not (kernels.position[own] >= 0).any():
        return None
    time = np.nan_to_num(kernels.duration_ns[own])
    weights = time if time.sum() > 0 else np.ones(int(own.sum()))
    unknown = np.isnan(size[own])
    if weights[unknown].sum() > UNKNOWN_BYTES * weights.sum():
        return None
    return float(np.nansum(size[own])) / tokens


def _ratio(durations_ns: Reals, floors_ns: Reals) -> float | None:
    """Median of duration / floor over the timed launches; None where none is, or a floor is 0."""
    timed = ~np.isnan(durations_ns)
    if not timed.any() or (floors_ns[timed] <= 0).any():
        return None
    return float(np.median(durations_ns[timed] / floors_ns[timed]))


def _median(durations_ns: Reals) -> float | None:
    timed = durations_ns[~np.isnan(durations_ns)]
    return float(np.median(timed)) if timed.size else None


def _reals(column: pd.Series) -> Reals:
    values: Reals = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values
