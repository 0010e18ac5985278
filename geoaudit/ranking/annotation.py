"""Kernel launches with all that the audit computes for each of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.devices.resolve import ResolvedDevice
from geoaudit.geometry.launch import launch_geometry
from geoaudit.geometry.shape import Dim3, LaunchGeometry, LaunchShape
from geoaudit.launches import schema as s
from geoaudit.launches.names import is_communication
from geoaudit.launches.signatures import signature_ids
from geoaudit.ranking.common_factor import common_factors
from geoaudit.ranking.concurrency import ConcurrentTime, concurrent_time
from geoaudit.ranking.time_account import (
    Timeline,
    attributed_durations,
    build_timeline,
    overlapped_time,
)

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Signature:
    """What all launches of one signature share.

    Attributes:
        kernel, kernel_short, owner: names.
        device: device index.
        shape: launch configuration.
        geometry: what it amounts to on the device.
        communication: whether it is a collective.
    """

    kernel: str
    kernel_short: str
    owner: str
    device: int
    shape: LaunchShape
    geometry: LaunchGeometry
    communication: bool


@dataclass(frozen=True, kw_only=True)
class AnnotatedKernels:
    """Kernel launches with what the audit computes for each of them.

    Attributes:
        launches: kernel rows, index 0..n-1.
        rows: row of each in the recording's table.
        signatures: all signatures of the recording, by number.
        signature: number of each launch's signature.
        position: position of each launch in the token; -1: none.
        duration_ns: per launch, NaN where untimed.
        attributed_ns: per launch, overlap on a stream counted once; NaN where untimed.
        overlapped_ns: per launch, time under other kernels; NaN where the start is unknown.
        concurrent: per launch, time under kernels of other streams and contexts.
        common_factor: per launch, how far all durations of its token moved; NaN: cannot tell.
    """

    launches: pd.DataFrame
    rows: Integers
    signatures: tuple[Signature, ...]
    signature: Integers
    position: Integers
    duration_ns: Reals
    attributed_ns: Reals
    overlapped_ns: Reals
    concurrent: ConcurrentTime
    common_factor: Reals

    @property
    def sm_fill(self) -> Reals:
        """SM fill of every launch, NaN where unknown."""
        return _fills(self.signatures)[self.signature]

    @property
    def communication(self) -> Flags:
        """Whether each launch is a collective."""
        return _collectives(self.signatures)[self.signature]

    def where(self, chosen: Flags) -> "AnnotatedKernels":
        """The kernels of a mask over them."""
        return replace(
            self,
            launches=self.launches[chosen].reset_index(drop=True),
            rows=self.rows[chosen],
            signature=self.signature[chosen],
            position=self.position[chosen],
            duration_ns=self.duration_ns[chosen],
            attributed_ns=self.attributed_ns[chosen],
            overlapped_ns=self.overlapped_ns[chosen],
            concurrent=self.concurrent.where(chosen),
            common_factor=self.common_factor[chosen],
        )


def annotate(
    launches: pd.DataFrame, devices: Mapping[int, ResolvedDevice]
) -> tuple[AnnotatedKernels, dict[int, Timeline]]:
    """The kernel launches of a recording with their geometry and time, and each device's timeline.

    Args:
        launches: kernels, copies and sets, index 0..n-1.
        devices: the devices of all of them.
    """
    is_kernel = (launches[s.KIND] == s.KIND_KERNEL).to_numpy()
    kernels = launches[is_kernel].reset_index(drop=True)
    signature = signature_ids(kernels)
    signatures = _signatures(kernels, signature, devices)
    fill = np.ones(len(launches))
    fill[is_kernel] = _fills(signatures)[signature]
    communication = np.zeros(len(launches), dtype=bool)
    communication[is_kernel] = _collectives(signatures)[signature]
    timelines, overlapped = _timelines(launches, fill, communication)
    attributed = attributed_durations(kernels)
    annotated = AnnotatedKernels(
        launches=kernels,
        rows=np.flatnonzero(is_kernel),
        signatures=signatures,
        signature=signature,
        position=kernels[s.POSITION].to_numpy(dtype=np.int64, na_value=-1),
        duration_ns=kernels[s.DURATION_NS].to_numpy(dtype=np.float64, na_value=np.nan),
        attributed_ns=attributed,
        overlapped_ns=overlapped[is_kernel],
        concurrent=concurrent_time(kernels, attributed, fill[is_kernel]),
        common_factor=common_factors(kernels, signature),
    )
    return annotated, timelines


def _timelines(
    launches: pd.DataFrame, fill: Reals, communication: Flags
) -> tuple[dict[int, Timeline], Reals]:
    """The timeline of each device, and the overlapped time of every launch."""
    overlapped = np.full(len(launches), np.nan)
    timelines = {}
    timed = (launches[s.START_NS].notna() & launches[s.DURATION_NS].notna()).to_numpy()
    for device, places in launches[timed].groupby(s.DEVICE).indices.items():
        rows = np.flatnonzero(timed)[places]
        timeline = build_timeline(launches.iloc[rows], fill[rows], communication[rows])
        overlapped[rows] = overlapped_time(timeline, launches.iloc[rows])
        timelines[int(device)] = timeline
    return timelines, overlapped


def _signatures(
    kernels: pd.DataFrame, signature: Integers, devices: Mapping[int, ResolvedDevice]
) -> tuple[Signature, ...]:
    _, first = np.unique(signature, return_index=True)
    return tuple(
        _signature(row, devices[row[s.DEVICE]]) for row in kernels.iloc[first].to_dict("records")
    )


def _signature(row: Mapping[str, Any], device: ResolvedDevice) -> Signature:
    shape = _shape(row)
    kernel, owner = str(row[s.KERNEL]), str(row[s.OWNER])
    return Signature(
        kernel=kernel,
        kernel_short=str(row[s.KERNEL_SHORT]),
        owner=owner,
        device=int(row[s.DEVICE]),
        shape=shape,
        geometry=launch_geometry(shape, device.spec, device.usable_sms),
        communication=is_communication(kernel, owner),
    )


def _fills(signatures: Sequence[Signature]) -> Reals:
    fills = [one.geometry.sm_fill for one in signatures]
    return np.array([np.nan if fill is None else fill for fill in fills], dtype=np.float64)


def _collectives(signatures: Sequence[Signature]) -> Flags:
    return np.array([one.communication for one in signatures], dtype=bool)


def _shape(row: Mapping[str, object]) -> LaunchShape:
    return LaunchShape(
        grid=_dim3(row, s.GRID),
        block=_dim3(row, s.BLOCK),
        cluster=_dim3(row, s.CLUSTER),
        registers_per_thread=_integer(row[s.REGISTERS_PER_THREAD]),
        static_shared_bytes=_integer(row[s.STATIC_SHARED_BYTES]),
        dynamic_shared_bytes=_integer(row[s.DYNAMIC_SHARED_BYTES]),
        shared_bytes=_integer(row[s.SHARED_BYTES]),
        shared_config_bytes=_integer(row[s.SHARED_CONFIG_BYTES]),
        max_active_clusters=_integer(row[s.MAX_ACTIVE_CLUSTERS]),
        barriers_per_block=_integer(row[s.BARRIERS_PER_BLOCK]),
    )


def _dim3(row: Mapping[str, object], names: tuple[str, str, str]) -> Dim3 | None:
    x, y, z = (_integer(row[name]) for name in names)
    return None if x is None or y is None or z is None else (x, y, z)


def _integer(value: object) -> int | None:
    return None if pd.isna(value) else int(str(value))
