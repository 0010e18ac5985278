"""Kernel launches with all that the audit computes for each of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.devices.resolve import ResolvedDevice
from geoaudit.geometry.launch import launch_geometry
from geoaudit.geometry.shape import Dim3, LaunchGeometry, LaunchShape
from geoaudit.launches import schema as s
from geoaudit.launches.names import is_communication
from geoaudit.launches.signatures import group_ids, signature_ids
from geoaudit.ranking.time_account import (
    Timeline,
    attributed_durations,
    build_timeline,
    overlapped_time,
)

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class AnnotatedKernels:
    """Kernel launches with what the audit computes for each of them.

    Attributes:
        launches: kernel rows, index 0..n-1.
        rows: row of each in the recording's table.
        signature: number of each launch's signature; counted over the whole recording.
        shapes, geometries: per signature.
        sm_fill: per launch, NaN where unknown.
        communication: per launch, whether it is a collective.
        attributed_ns: per launch, overlap on a stream counted once; NaN where untimed.
        overlapped_ns: per launch, time under other kernels; NaN where the start is unknown.
    """

    launches: pd.DataFrame
    rows: Integers
    signature: Integers
    shapes: tuple[LaunchShape, ...]
    geometries: tuple[LaunchGeometry, ...]
    sm_fill: Reals
    communication: npt.NDArray[np.bool_]
    attributed_ns: Reals
    overlapped_ns: Reals

    def where(self, chosen: npt.NDArray[np.bool_]) -> "AnnotatedKernels":
        """The kernels of a mask over them."""
        return replace(
            self,
            launches=self.launches[chosen].reset_index(drop=True),
            rows=self.rows[chosen],
            signature=self.signature[chosen],
            sm_fill=self.sm_fill[chosen],
            communication=self.communication[chosen],
            attributed_ns=self.attributed_ns[chosen],
            overlapped_ns=self.overlapped_ns[chosen],
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
    shapes, geometries = _signature_geometries(kernels, signature, devices)
    fill = np.ones(len(launches))
    fill[is_kernel] = _fill_per_launch(signature, geometries)
    communication = np.zeros(len(launches), dtype=bool)
    communication[is_kernel] = _communication_flags(kernels)
    timelines, overlapped = _timelines(launches, fill, communication)
    annotated = AnnotatedKernels(
        launches=kernels,
        rows=np.flatnonzero(is_kernel),
        signature=signature,
        shapes=shapes,
        geometries=geometries,
        sm_fill=fill[is_kernel],
        communication=communication[is_kernel],
        attributed_ns=attributed_durations(kernels),
        overlapped_ns=overlapped[is_kernel],
    )
    return annotated, timelines


def _timelines(
    launches: pd.DataFrame, fill: Reals, communication: npt.NDArray[np.bool_]
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


def _signature_geometries(
    launches: pd.DataFrame, signature: Integers, devices: Mapping[int, ResolvedDevice]
) -> tuple[tuple[LaunchShape, ...], tuple[LaunchGeometry, ...]]:
    """Shape and geometry of every signature, in order of their numbers."""
    _, first = np.unique(signature, return_index=True)
    shapes, geometries = [], []
    for row in launches.iloc[first].to_dict("records"):
        shape = _shape(row)
        shapes.append(shape)
        device = devices[row[s.DEVICE]]
        geometries.append(launch_geometry(shape, device.spec, device.usable_sms))
    return tuple(shapes), tuple(geometries)


def _communication_flags(launches: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Whether each kernel launch is a collective, by its name and owner."""
    pairs = group_ids(launches, (s.KERNEL, s.OWNER))
    _, first = np.unique(pairs, return_index=True)
    named = launches.iloc[first]
    flags = [
        is_communication(str(kernel), str(owner))
        for kernel, owner in zip(named[s.KERNEL], named[s.OWNER], strict=True)
    ]
    return np.array(flags, dtype=bool)[pairs]


def _fill_per_launch(signature: Integers, geometries: tuple[LaunchGeometry, ...]) -> Reals:
    """SM fill of every launch; NaN where unknown."""
    fills = [np.nan if g.sm_fill is None else g.sm_fill for g in geometries]
    return np.array(fills, dtype=np.float64)[signature]


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
    )


def _dim3(row: Mapping[str, object], names: tuple[str, str, str]) -> Dim3 | None:
    x, y, z = (_integer(row[name]) for name in names)
    return None if x is None or y is None or z is None else (x, y, z)


def _integer(value: object) -> int | None:
    return None if pd.isna(value) else int(str(value))
