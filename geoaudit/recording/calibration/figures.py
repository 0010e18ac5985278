"""A calibration out of the recording of its probes. Pure."""

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.devices.calibration import Calibration
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.recording.calibration.probes import EMPTY, WALK, Probes

CONVERSION_NS = 2
"""CUPTI converts the device's clock into ns: durations of so many ticks differ by up to this."""


def calibration_of(recording: Recording, probes: Probes, measured_on: str) -> Calibration:
    """What the recorded durations of the probes say of the device.

    Args:
        recording: of `launch_probes`, on one device.
        probes: what was launched.
        measured_on: date, ISO 8601.
    """
    launches, metadata = recording.launches, recording.metadata
    empty = launches[launches[s.KERNEL_SHORT] == EMPTY]
    in_graph = empty[s.GRAPH_ID].notna()
    driver = metadata.environment.get("cuda_driver")
    return Calibration(
        device_name=next((one.name for one in metadata.devices if one.name), "unknown device"),
        copy_bytes_per_second=_bandwidth(launches, probes.copy_bytes),
        launch_floor_ns=_median(empty[~in_graph]),
        graph_launch_floor_ns=_median(empty[in_graph]),
        latency_ns=_latency(launches, probes.walk_steps),
        timer_tick_ns=timer_tick(_durations(empty)),
        driver_version=f"CUDA {driver}" if driver else "",
        measured_on=measured_on,
    )


def timer_tick(durations_ns: npt.NDArray[np.int64]) -> float | None:
    """The smallest step between durations, ns; None where all of them are one tick count.

    Durations are whole ticks up to the rounding of their conversion: those that lie next to each
    other are of one count of ticks, whose commonest value stands for it.

    Example:
        >>> timer_tick(np.array([1088, 1087, 1088, 1120, 1121, 1120, 1184]))
        32.0
    """
    values, counts = np.unique(durations_ns, return_counts=True)
    if not values.size:
        return None
    borders = np.flatnonzero(np.diff(values) > CONVERSION_NS) + 1
    commonest = [
        int(group[np.argmax(weights)])
        for group, weights in zip(np.split(values, borders), np.split(counts, borders), strict=True)
    ]
    steps = np.diff(commonest)
    return float(steps.min()) if steps.size else None


def _bandwidth(launches: pd.DataFrame, copy_bytes: int | None) -> float | None:
    """Bytes read plus bytes written per second of the fastest copy."""
    if copy_bytes is None:
        return None
    of_size = (launches[s.KIND] == s.KIND_COPY) & (launches[s.COPY_BYTES] == copy_bytes)
    durations = _durations(launches[of_size])
    return 2 * copy_bytes / float(durations.min()) * 1e9 if durations.size else None


def _latency(launches: pd.DataFrame, steps: int | None) -> float | None:
    durations = _durations(launches[launches[s.KERNEL_SHORT] == WALK])
    return float(durations.min()) / steps if steps and durations.size else None


def _median(launches: pd.DataFrame) -> float | None:
    durations = _durations(launches)
    return float(np.median(durations)) if durations.size else None


def _durations(launches: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Durations of the timed launches, of those above 0."""
    known = launches[s.DURATION_NS].dropna()
    durations: npt.NDArray[np.int64] = known[known > 0].to_numpy(dtype=np.int64)
    return durations
