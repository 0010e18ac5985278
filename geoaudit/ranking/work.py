"""What an SM that has blocks works with: working warps and bytes of loads in flight."""

import math

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.devices.spec import DeviceSpec
from geoaudit.diagnosis.evidence import WorkPerSm
from geoaudit.geometry.bytes_in_flight import bytes_in_flight, bytes_in_flight_needed_per_sm
from geoaudit.geometry.shape import LaunchGeometry
from geoaudit.launches import schema as s
from geoaudit.ranking.floors import DeviceFloors

Integers = npt.NDArray[np.int64]


def work_per_sm(
    launches: pd.DataFrame,
    places: Integers,
    geometry: LaunchGeometry,
    device: DeviceSpec | None,
    floors: DeviceFloors,
) -> WorkPerSm | None:
    """What an SM that has blocks of a signature works with; None where that cannot be told.

    Args:
        launches: the audited launches, with what is declared of them.
        places: those of the signature.
        geometry: of the signature.
        device: what it ran on.
        floors: latency and bandwidth of the device.
    """
    threads = _middle(launches[s.WORKING_THREADS].iloc[places])
    blocks = blocks_per_sm(geometry)
    if threads is None or blocks is None or device is None:
        return None
    per_thread = _middle(launches[s.BYTES_IN_FLIGHT_PER_THREAD].iloc[places])
    latency_ns, bandwidth = floors.latency_ns, floors.bandwidth_bytes_per_second
    return WorkPerSm(
        working_warps=math.ceil(threads / device.threads_per_warp) * blocks,
        bytes_in_flight=None
        if per_thread is None
        else bytes_in_flight(threads, per_thread, blocks),
        needed_bytes_in_flight=None
        if latency_ns is None or bandwidth is None
        else bytes_in_flight_needed_per_sm(latency_ns, bandwidth, device.usable_sms),
    )


def blocks_per_sm(geometry: LaunchGeometry) -> int | None:
    """Blocks resident on an SM that has any: min(the residency, blocks / SMs rounded up).

    Example:
        >>> blocks_per_sm(LaunchGeometry(grid_blocks=133, usable_sms=132, resident_blocks_per_sm=8))
        2
    """
    grid, sms, limit = geometry.grid_blocks, geometry.usable_sms, geometry.resident_blocks_per_sm
    if not grid or not sms or limit == 0:
        return None
    brought = math.ceil(grid / sms)
    if limit is None:
        return brought if brought == 1 else None
    return min(limit, brought)


def _middle(declared: pd.Series) -> int | None:
    """The middle one of the values declared of a signature's launches; they seldom differ."""
    known = declared.dropna().sort_values()
    return int(known.iloc[len(known) // 2]) if len(known) else None
