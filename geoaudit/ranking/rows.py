"""Launches joined into rows: one per launch signature, kernel or position in the token."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from geoaudit.devices.spec import DeviceSpec
from geoaudit.diagnosis.evidence import SignatureEvidence, Timing
from geoaudit.diagnosis.finding import Finding, Verdict
from geoaudit.diagnosis.rules import signature_findings
from geoaudit.diagnosis.spread import timing_of_sites
from geoaudit.diagnosis.verdict import judge
from geoaudit.geometry.shape import LaunchGeometry
from geoaudit.launches import schema as s
from geoaudit.launches.signatures import SIGNATURE, group_ids
from geoaudit.ranking.annotation import AnnotatedKernels, Signature
from geoaudit.ranking.audit import AuditRow
from geoaudit.ranking.common_factor import with_common_factor
from geoaudit.ranking.concurrency import concurrency
from geoaudit.ranking.options import Group

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class RowDevice:
    """What rows need of their device.

    Attributes:
        spec: its limits, or None.
        divisor: what sums over its launches are divided by.
        kernel_time_ns: its kernel time per token, which shares are shares of.
    """

    spec: DeviceSpec | None
    divisor: int
    kernel_time_ns: float


def row_ids(kernels: AnnotatedKernels, group: Group) -> Integers:
    """For every launch the number of the row it belongs to."""
    if group == "kernel":
        return group_ids(kernels.launches, (s.DEVICE, s.KERNEL))
    if group == "signature":
        return group_ids(kernels.launches, SIGNATURE)
    return group_ids(kernels.launches, (*SIGNATURE, s.POSITION))


def build_rows(
    kernels: AnnotatedKernels, row_ids: Integers, devices: Mapping[int, RowDevice]
) -> list[AuditRow]:
    """All rows of an audit, one per number in ``row_ids``, in that order, ranked 0.

    Args:
        kernels: the audited kernel launches.
        row_ids: per launch, the number of its row, see `row_ids`.
        devices: device -> what its rows need of it.
    """
    sm_fill = kernels.sm_fill
    wasted_ns = kernels.attributed_ns * (1.0 - sm_fill)
    rows = []
    for places in _groups(row_ids):
        device = kernels.signatures[kernels.signature[places[0]]].device
        rows.append(_row(kernels, places, wasted_ns[places], devices[device]))
    return rows


def _groups(ids: Integers) -> Iterator[Integers]:
    order = np.argsort(ids, kind="stable")
    borders = np.flatnonzero(np.diff(ids[order])) + 1
    yield from np.split(order, borders)


def _row(
    kernels: AnnotatedKernels, places: Integers, wasted_ns: Reals, device: RowDevice
) -> AuditRow:
    attributed_ns = kernels.attributed_ns[places]
    time, wasted = (_per_token(values, device.divisor) for values in (attributed_ns, wasted_ns))
    judged = [
        _judged(kernels, places[part], device.spec) for part in _groups(kernels.signature[places])
    ]
    main = judged[_most(kernels.signature[places], wasted_ns, attributed_ns)]
    positions = np.unique(kernels.position[places])
    return AuditRow(
        rank=0,
        kernel=main.signature.kernel,
        kernel_short=main.signature.kernel_short,
        owner=main.signature.owner,
        device=main.signature.device,
        shape=main.signature.shape,
        signatures=len(judged),
        positions=tuple(positions[positions >= 0].tolist()),
        calls_per_token=len(places) / device.divisor,
        time_per_token_ns=time,
        time_fraction=_share(time, device.kernel_time_ns),
        timing=main.timing if len(judged) == 1 else _timing(kernels, places),
        geometry=_mean_fill(main.signature.geometry, wasted_ns, attributed_ns, len(judged)),
        wasted_sm_time_per_token_ns=wasted,
        wasted_fraction=_share(wasted, device.kernel_time_ns),
        verdict=main.verdict,
        findings=tuple({f.rule_id: f for one in judged for f in one.findings}.values()),
    )


@dataclass(frozen=True, kw_only=True)
class _Judged:
    signature: Signature
    timing: Timing | None
    verdict: Verdict
    findings: tuple[Finding, ...]


def _judged(kernels: AnnotatedKernels, places: Integers, device: DeviceSpec | None) -> _Judged:
    """One signature with its verdict: several together would be a launch nobody made."""
    signature = kernels.signatures[kernels.signature[places[0]]]
    evidence = SignatureEvidence(
        kernel=signature.kernel,
        owner=signature.owner,
        shape=signature.shape,
        geometry=signature.geometry,
        device=device,
        timing=_timing(kernels, places),
        concurrency=concurrency(kernels.concurrent, places, kernels.duration_ns),
    )
    verdict = judge(evidence)
    findings = signature_findings(evidence, verdict)
    return _Judged(signature=signature, timing=evidence.timing, verdict=verdict, findings=findings)


def _most(signature: Integers, wasted_ns: Reals, attributed_ns: Reals) -> int:
    """Which of the row's signatures, in order of their numbers, wastes most; ties by time."""
    _, part = np.unique(signature, return_inverse=True)
    wasted = np.bincount(part, weights=np.nan_to_num(wasted_ns))
    time = np.bincount(part, weights=np.nan_to_num(attributed_ns))
    return int(np.lexsort((time, wasted))[-1])


def _mean_fill(
    geometry: LaunchGeometry, wasted: Reals, attributed: Reals, signatures: int
) -> LaunchGeometry:
    """The geometry, with the mean fill over the row's time where it joins several signatures."""
    total = float(np.nansum(np.where(np.isnan(wasted), np.nan, attributed)))
    if signatures == 1 or total <= 0:
        return geometry
    return replace(geometry, sm_fill=1.0 - float(np.nansum(wasted)) / total)


def _timing(kernels: AnnotatedKernels, places: Integers) -> Timing | None:
    places = places[~np.isnan(kernels.duration_ns[places])]
    if not places.size:
        return None
    durations, position = kernels.duration_ns[places], kernels.position[places]
    numbers = kernels.signature[places] * (position.max() + 2) + position
    sites = list(_groups(numbers))
    overlapped = kernels.overlapped_ns[places]
    total_ns = float(durations.sum())
    known = total_ns > 0 and not np.isnan(overlapped).any()
    timing = timing_of_sites(
        [durations[site] for site in sites],
        overlapped_fraction=float(overlapped.sum()) / total_ns if known else None,
    )
    # Without tokens nobody knows which launches are of one call site.
    if position.max() < 0:
        return replace(timing, sites=None, site_spread=None, site_std_ns=None)
    factors = kernels.common_factor[places]
    steady_ns = durations / factors
    return with_common_factor(timing, factors, [steady_ns[site] for site in sites])


def _per_token(values: Reals, divisor: int) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.sum()) / divisor if known.size else None


def _share(part: float | None, whole: float) -> float | None:
    return None if part is None or whole <= 0 else part / whole
