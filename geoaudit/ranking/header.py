"""What was audited: the header of an audit, and the findings about the recording itself."""

from collections.abc import Sequence

from geoaudit.diagnosis.evidence import RecordingEvidence
from geoaudit.diagnosis.finding import Finding
from geoaudit.diagnosis.rules import recording_findings
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.tokens import Segmentation
from geoaudit.ranking.audit import AuditedDevice, AuditHeader, AuditRow, StepClassSummary
from geoaudit.ranking.ranks.comparison import RankComparison
from geoaudit.ranking.ranks.wording import first_difference
from geoaudit.ranking.selection import Selection


def audit_header(
    recording: Recording,
    segmentation: Segmentation,
    selection: Selection,
    devices: tuple[AuditedDevice, ...],
    rows: Sequence[AuditRow],
) -> AuditHeader:
    """The header of an audit.

    Args:
        recording: what was audited.
        segmentation: how it was cut into steps.
        selection: what of it the figures are computed from.
        devices: resolved, the first the one most time was spent on.
        rows: all rows, before any filter.
    """
    metadata = recording.metadata
    is_kernel = recording.launches[s.KIND] == s.KIND_KERNEL
    return AuditHeader(
        source_format=metadata.source_format,
        source_name=metadata.source_name,
        instrument=metadata.instrument,
        devices=devices,
        tokens=selection.tokens,
        token_rule=segmentation.rule,
        step_class=selection.step_class,
        step_classes=_step_classes(segmentation, selection.step_class),
        launches=int(is_kernel.sum()),
        audited_launches=int(is_kernel[selection.counted].sum()),
        untimed=metadata.untimed,
        dropped=metadata.dropped,
        launches_seen=metadata.launches_seen,
        geometry_unknown_fraction=_unknown_fraction(rows),
        partial=metadata.partial,
        replayed=metadata.replayed,
        recorded_on=metadata.recorded_on,
        warnings=_warnings(recording, selection),
        ranks=metadata.ranks,
        missing_ranks=metadata.missing_ranks,
    )


def _warnings(recording: Recording, selection: Selection) -> tuple[str, ...]:
    return (
        *recording.metadata.warnings,
        *_left_out(recording, selection),
        *_below_resolution(recording, selection),
    )


def _left_out(recording: Recording, selection: Selection) -> list[str]:
    """A sentence for each device that has launches and no step of the class."""
    kernels = recording.launches[s.DEVICE][recording.launches[s.KIND] == s.KIND_KERNEL]
    return [
        f"device {device}: {count:,} launches are in no complete step of class "
        f"{selection.step_class} and not audited"
        for device, count in kernels.value_counts(sort=False).sort_index().items()
        if device not in selection.divisors
    ]


def _below_resolution(recording: Recording, selection: Selection) -> list[str]:
    """A sentence where the clock was too coarse: such launches are counted and waste nothing."""
    launches = recording.launches[selection.counted]
    count = int(((launches[s.KIND] == s.KIND_KERNEL) & (launches[s.DURATION_NS] == 0)).sum())
    if not count:
        return []
    return [f"{count:,} audited launches have a duration of 0, below the timer's resolution"]


def _step_classes(segmentation: Segmentation, chosen: str | None) -> tuple[StepClassSummary, ...]:
    return tuple(
        StepClassSummary(
            name=step_class.name,
            steps=step_class.steps,
            complete_steps=step_class.complete_steps,
            launches_per_step=step_class.launches_per_step,
            wall_time_per_step_ns=step_class.wall_time_per_step_ns,
            chosen=step_class.name == chosen,
        )
        for step_class in segmentation.classes
    )


def audit_findings(header: AuditHeader, comparison: RankComparison | None) -> tuple[Finding, ...]:
    """Findings about the recording.

    Args:
        header: of the audit.
        comparison: of its ranks, or None.
    """
    geometry = None if comparison is None else comparison.geometry
    return recording_findings(
        RecordingEvidence(
            launches=header.launches,
            untimed=header.untimed,
            dropped=header.dropped,
            launches_seen=header.launches_seen,
            geometry_unknown_fraction=header.geometry_unknown_fraction,
            replayed=header.replayed,
            partial=header.partial,
            recorded_on=header.recorded_on,
            ranks=header.ranks,
            missing_ranks=header.missing_ranks,
            positions=None if geometry is None else geometry.positions,
            differing_positions=0 if geometry is None else geometry.differing,
            lacking_positions=0 if geometry is None else geometry.lacking,
            first_difference=None if comparison is None else first_difference(comparison),
        )
    )


def _unknown_fraction(rows: Sequence[AuditRow]) -> float:
    """Share of the kernel time whose grid is unknown; of the launches where nothing is timed."""
    timed = any(row.time_per_token_ns for row in rows)
    weights = [(row.time_per_token_ns or 0.0) if timed else row.calls_per_token for row in rows]
    unknown = sum(
        weight
        for row, weight in zip(rows, weights, strict=True)
        if row.geometry.grid_blocks is None
    )
    return unknown / sum(weights) if sum(weights) else 0.0
