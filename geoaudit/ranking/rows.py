"""Launches joined into rows: one per launch signature, kernel or position in the token."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from geoaudit.devices.spec import DeviceSpec
from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Finding, Verdict
from geoaudit.diagnosis.rules import signature_findings
from geoaudit.diagnosis.verdict import judge
from geoaudit.geometry.shape import LaunchGeometry
from geoaudit.launches import schema as s
from geoaudit.launches.signatures import SIGNATURE, group_ids
from geoaudit.ranking.annotation import AnnotatedKernels, Signature
from geoaudit.ranking.audit import AuditRow
from geoaudit.ranking.counted import measured_waste_ns
from geoaudit.ranking.evidence import EvidenceSources, groups, signature_evidence, timing_of
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
    if group in ("signature", "rank"):
        return group_ids(kernels.launches, SIGNATURE)
    return group_ids(kernels.launches, (*SIGNATURE, s.POSITION))


def build_rows(
    sources: EvidenceSources, row_ids: Integers, devices: Mapping[int, RowDevice]
) -> list[AuditRow]:
    """All rows of an audit, one per number in ``row_ids``, in that order, ranked 0.

    Args:
        sources: the audited kernel launches, and what their evidence is drawn from.
        row_ids: per launch, the number of its row, see `row_ids`.
        devices: device -> what its rows need of it.
    """
    kernels = sources.kernels
    wasted_ns = kernels.attributed_ns * (1.0 - kernels.sm_fill)
    rows = []
    for places in groups(row_ids):
        device = kernels.signatures[kernels.signature[places[0]]].device
        rows.append(_row(sources, places, wasted_ns[places], devices[device]))
    return rows


def _row(
    sources: EvidenceSources, places: Integers, wasted_ns: Reals, device: RowDevice
) -> AuditRow:
    kernels = sources.kernels
    attributed_ns = kernels.attributed_ns[places]
    time, wasted = (_per_token(values, device.divisor) for values in (attributed_ns, wasted_ns))
    judged = [
        _judged(sources, places[part], device.spec) for part in groups(kernels.signature[places])
    ]
    main = judged[_most(kernels.signature[places], wasted_ns, attributed_ns)]
    positions = np.unique(kernels.position[places])
    measured_ns = measured_waste_ns(kernels, places)
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
        timing=main.evidence.timing if len(judged) == 1 else timing_of(kernels, places),
        geometry=_mean_fill(main.signature.geometry, wasted_ns, attributed_ns, len(judged)),
        wasted_sm_time_per_token_ns=wasted,
        wasted_fraction=_share(wasted, device.kernel_time_ns),
        measured_wasted_sm_time_per_token_ns=None
        if measured_ns is None
        else measured_ns / device.divisor,
        verdict=main.verdict,
        evidence=main.evidence,
        findings=tuple({f.rule_id: f for one in judged for f in one.findings}.values()),
    )


@dataclass(frozen=True, kw_only=True)
class _Judged:
    signature: Signature
    evidence: SignatureEvidence
    verdict: Verdict
    findings: tuple[Finding, ...]


def _judged(sources: EvidenceSources, places: Integers, device: DeviceSpec | None) -> _Judged:
    """One signature with its verdict: several together would be a launch nobody made."""
    evidence = signature_evidence(sources, places, device)
    verdict = judge(evidence)
    return _Judged(
        signature=sources.kernels.signatures[sources.kernels.signature[places[0]]],
        evidence=evidence,
        verdict=verdict,
        findings=signature_findings(evidence, verdict),
    )


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


def _per_token(values: Reals, divisor: int) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.sum()) / divisor if known.size else None


def _share(part: float | None, whole: float) -> float | None:
    return None if part is None or whole <= 0 else part / whole
