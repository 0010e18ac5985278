"""Launches joined into rows: one per launch signature, kernel or position in the token."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.devices.spec import DeviceSpec
from geoaudit.diagnosis.evidence import SignatureEvidence, Timing
from geoaudit.diagnosis.rules import signature_findings
from geoaudit.diagnosis.spread import timing_of_sites
from geoaudit.diagnosis.verdict import judge
from geoaudit.geometry.launch import launch_geometry
from geoaudit.geometry.shape import Dim3, LaunchGeometry, LaunchShape
from geoaudit.launches import schema as s
from geoaudit.launches.names import is_communication
from geoaudit.launches.signatures import SIGNATURE, group_ids
from geoaudit.ranking.audit import AuditRow
from geoaudit.ranking.options import Group

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SHOWN_POSITIONS = 10


@dataclass(frozen=True, kw_only=True)
class AnnotatedKernels:
    """Kernel launches with what the audit computes for each of them.

    Attributes:
        launches: kernel rows of a selection, index 0..n-1.
        signature: number of each launch's signature.
        shapes, geometries: per signature.
        sm_fill: per launch, NaN where unknown.
        communication: per launch, whether it is a collective.
        attributed_ns: per launch, overlap on a stream counted once; NaN where untimed.
        overlapped_ns: per launch, time under other kernels; NaN where the start is unknown.
    """

    launches: pd.DataFrame
    signature: Integers
    shapes: tuple[LaunchShape, ...]
    geometries: tuple[LaunchGeometry, ...]
    sm_fill: Reals
    communication: npt.NDArray[np.bool_]
    attributed_ns: Reals
    overlapped_ns: Reals


def signature_geometries(
    launches: pd.DataFrame, signature: Integers, devices: Mapping[int, DeviceSpec | None]
) -> tuple[tuple[LaunchShape, ...], tuple[LaunchGeometry, ...]]:
    """Shape and geometry of every signature, in order of their numbers."""
    _, first = np.unique(signature, return_index=True)
    shapes, geometries = [], []
    for row in launches.iloc[first].to_dict("records"):
        shape = _shape(row)
        shapes.append(shape)
        geometries.append(launch_geometry(shape, devices.get(row[s.DEVICE])))
    return tuple(shapes), tuple(geometries)


def communication_flags(launches: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Whether each kernel launch is a collective, by its name and owner."""
    pairs = group_ids(launches, (s.KERNEL, s.OWNER))
    _, first = np.unique(pairs, return_index=True)
    named = launches.iloc[first]
    flags = [
        is_communication(str(kernel), str(owner))
        for kernel, owner in zip(named[s.KERNEL], named[s.OWNER], strict=True)
    ]
    return np.array(flags, dtype=bool)[pairs]


def fill_per_launch(signature: Integers, geometries: tuple[LaunchGeometry, ...]) -> Reals:
    """SM fill of every launch; NaN where unknown."""
    fills = [np.nan if g.sm_fill is None else g.sm_fill for g in geometries]
    return np.array(fills, dtype=np.float64)[signature]


def row_ids(kernels: AnnotatedKernels, group: Group) -> Integers:
    """For every launch the number of the row it belongs to."""
    if group == "kernel":
        return group_ids(kernels.launches, (s.DEVICE, s.KERNEL))
    if group == "signature":
        return kernels.signature
    return group_ids(kernels.launches, (*SIGNATURE, s.POSITION))


def build_rows(
    kernels: AnnotatedKernels,
    row_ids: Integers,
    divisors: Mapping[int, int],
    devices: Mapping[int, DeviceSpec | None],
) -> list[AuditRow]:
    """All rows of an audit, one per number in ``row_ids``, in that order, ranked 0.

    Args:
        kernels: the audited kernel launches.
        row_ids: per launch, the number of its row, see `row_ids`.
        divisors: device -> tokens its sums are divided by.
        devices: device -> its limits, or None.
    """
    total_ns = float(
        sum(
            np.nansum(kernels.attributed_ns[places]) / divisors[int(device)]
            for device, places in kernels.launches.groupby(s.DEVICE).indices.items()
        )
    )
    return [_row(kernels, places, divisors, devices, total_ns) for places in _groups(row_ids)]


def _groups(ids: Integers) -> Iterator[Integers]:
    order = np.argsort(ids, kind="stable")
    borders = np.flatnonzero(np.diff(ids[order])) + 1
    yield from np.split(order, borders)


def _row(
    kernels: AnnotatedKernels,
    places: Integers,
    divisors: Mapping[int, int],
    devices: Mapping[int, DeviceSpec | None],
    total_ns: float,
) -> AuditRow:
    launches = kernels.launches.iloc[places]
    first = launches.iloc[0]
    device = int(first[s.DEVICE])
    attributed = kernels.attributed_ns[places]
    time_ns = _per_token(attributed, divisors[device])
    wasted_ns = _per_token(attributed * (1.0 - kernels.sm_fill[places]), divisors[device])
    evidence = _evidence(kernels, places, devices.get(device))
    verdict = judge(evidence)
    positions = launches[s.POSITION].dropna().unique()
    return AuditRow(
        rank=0,
        kernel=evidence.kernel,
        kernel_short=str(first[s.KERNEL_SHORT]),
        owner=evidence.owner,
        device=device,
        shape=evidence.shape,
        signatures=len(np.unique(kernels.signature[places])),
        positions=tuple(int(position) for position in sorted(positions)[:SHOWN_POSITIONS]),
        calls_per_token=len(places) / divisors[device],
        time_per_token_ns=time_ns,
        time_fraction=_share(time_ns, total_ns),
        timing=evidence.timing,
        geometry=evidence.geometry,
        wasted_sm_time_per_token_ns=wasted_ns,
        wasted_fraction=_share(wasted_ns, total_ns),
        verdict=verdict,
        findings=signature_findings(evidence, verdict),
    )


def _evidence(
    kernels: AnnotatedKernels, places: Integers, device: DeviceSpec | None
) -> SignatureEvidence:
    """Evidence of a row; of several signatures, the shape of the one with the most time."""
    first = kernels.launches.iloc[places[0]]
    time_ns = np.nan_to_num(kernels.attributed_ns[places])
    signatures, inverse = np.unique(kernels.signature[places], return_inverse=True)
    main = int(signatures[np.argmax(np.bincount(inverse, weights=time_ns))])
    return SignatureEvidence(
        kernel=str(first[s.KERNEL]),
        owner=str(first[s.OWNER]),
        shape=kernels.shapes[main],
        geometry=kernels.geometries[main],
        device=device,
        timing=_timing(kernels, places),
    )


def _timing(kernels: AnnotatedKernels, places: Integers) -> Timing | None:
    launches = kernels.launches.iloc[places]
    durations = launches[s.DURATION_NS].to_numpy(dtype=np.float64, na_value=np.nan)
    timed = ~np.isnan(durations)
    if not timed.any():
        return None
    sites = group_ids(launches[timed], (s.POSITION, *s.GRID, *s.BLOCK, s.KERNEL))
    overlapped = kernels.overlapped_ns[places][timed]
    total_ns = float(durations[timed].sum())
    known = total_ns > 0 and not np.isnan(overlapped).any()
    return timing_of_sites(
        [durations[timed][site] for site in _groups(sites)],
        overlapped_fraction=float(overlapped.sum()) / total_ns if known else None,
    )


def _per_token(values: Reals, divisor: int) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.sum()) / divisor if known.size else None


def _share(part: float | None, whole: float) -> float | None:
    return None if part is None or whole <= 0 else part / whole


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
