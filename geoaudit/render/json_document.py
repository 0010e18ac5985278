"""The audit as JSON: the field names are a promise, new ones may be added."""

import json

from geoaudit.diagnosis.finding import Finding
from geoaudit.diagnosis.interventions import rank_correlation
from geoaudit.ranking.arm_gains import gains_of_audit
from geoaudit.ranking.audit import (
    AUDIT_SCHEMA_VERSION,
    Audit,
    AuditedDevice,
    AuditHeader,
    AuditTotals,
    DistanceAccount,
    StepClassSummary,
)
from geoaudit.render.rank_record import ranks_record
from geoaudit.render.row_record import Plain, plain_number, row_record
from geoaudit.render.time_sentences import period


def render_json(audit: Audit) -> str:
    """The whole audit as one JSON document, the same bytes for the same audit.

    Names are whole and unchanged; every character beyond ASCII is escaped, so that no name can
    act on the terminal it is printed to. What cannot be told is null. The pictured token is left
    out: its launches are in the scan.
    """
    document = audit_document(audit)
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def audit_document(audit: Audit) -> dict[str, Plain]:
    """The audit as plain values: times in ns, shares as fractions from 0 to 1."""
    header = audit.header
    return {
        "schema_version": AUDIT_SCHEMA_VERSION,
        "per": period(audit),
        "order": audit.order,
        "group": audit.group,
        "scan": _scan(header),
        "device": _device(header.devices[0] if header.devices else None),
        "devices": [_device(device) for device in header.devices],
        "totals": _totals(audit.totals),
        "rows": [row_record(row) for row in audit.rows],
        "communication_rows": [row_record(row) for row in audit.communication_rows],
        "hidden_rows": audit.hidden_rows,
        "filtered_rows": audit.filtered_rows,
        "recording_findings": [_finding(finding) for finding in audit.recording_findings],
        "distance": None if audit.distance is None else _distance(audit.distance),
        "gains": _gains(audit),
        "ranks": None if audit.ranks is None else ranks_record(audit.ranks),
    }


def _scan(header: AuditHeader) -> dict[str, Plain]:
    return {
        "instrument": header.instrument,
        "source_format": header.source_format,
        "source_name": header.source_name,
        "tokens": plain_number(header.tokens),
        "token_rule": header.token_rule,
        "step_class": header.step_class,
        "step_classes": [_step_class(one) for one in header.step_classes],
        "launches": header.launches,
        "audited_launches": header.audited_launches,
        "launches_seen": plain_number(header.launches_seen),
        "untimed": header.untimed,
        "dropped": plain_number(header.dropped),
        "geometry_unknown_fraction": plain_number(header.geometry_unknown_fraction),
        "partial": header.partial,
        "replayed": header.replayed,
        "recorded_on": header.recorded_on,
        "warnings": list(header.warnings),
    }


def _step_class(one: StepClassSummary) -> dict[str, Plain]:
    return {
        "name": one.name,
        "steps": one.steps,
        "complete_steps": one.complete_steps,
        "launches_per_step": one.launches_per_step,
        "wall_time_per_step_ns": plain_number(one.wall_time_per_step_ns),
        "chosen": one.chosen,
    }


def _device(device: AuditedDevice | None) -> dict[str, Plain]:
    spec = None if device is None else device.spec
    nvidia = spec is not None and spec.vendor == "nvidia"
    return {
        "index": None if device is None else device.index,
        "name": None if device is None else device.name,
        "vendor": None if spec is None else spec.vendor,
        "architecture": None if spec is None else spec.architecture,
        "compute_capability": spec.architecture if spec is not None and nvidia else None,
        "sm_count": plain_number(_sm_count(device)),
        "usable_sm_count": None if device is None else plain_number(device.usable_sms),
        "sm_count_source": None if device is None else device.sm_count_source,
        "disagreements": [] if device is None else list(device.disagreements),
    }


def _sm_count(device: AuditedDevice | None) -> int | None:
    """SMs of the device; of a device of which no more is known, those launches can use."""
    if device is None:
        return None
    return device.usable_sms if device.spec is None else device.spec.sm_count


def _totals(totals: AuditTotals) -> dict[str, Plain]:
    return {
        "wall_time_per_token_ns": plain_number(totals.wall_time_per_token_ns),
        "kernel_time_per_token_ns": plain_number(totals.kernel_time_per_token_ns),
        "copy_time_per_token_ns": plain_number(totals.copy_time_per_token_ns),
        "gap_time_per_token_ns": plain_number(totals.gap_time_per_token_ns),
        "wasted_sm_time_per_token_ns": plain_number(totals.wasted_sm_time_per_token_ns),
        "wasted_without_communication_per_token_ns": plain_number(
            totals.wasted_without_communication_per_token_ns
        ),
        "kernel_time_without_communication_per_token_ns": plain_number(
            totals.kernel_time_without_communication_per_token_ns
        ),
        "dud_time_per_token_ns": plain_number(totals.dud_time_per_token_ns),
        "wall_time_tokens": plain_number(totals.wall_time_tokens),
        "wall_time_min_ns": plain_number(totals.wall_time_min_ns),
        "wall_time_median_ns": plain_number(totals.wall_time_median_ns),
        "wall_time_max_ns": plain_number(totals.wall_time_max_ns),
    }


def _finding(finding: Finding) -> dict[str, Plain]:
    return {
        "rule_id": finding.rule_id,
        "rule_name": finding.rule_name,
        "severity": finding.severity,
        "message": finding.message,
        "kernel": finding.kernel,
    }


def _distance(distance: DistanceAccount) -> dict[str, Plain]:
    return {
        "measured_ns": plain_number(distance.measured_ns),
        "target_ns": plain_number(distance.target_ns),
        "distance_ns": plain_number(distance.distance_ns),
        "steps": [
            {
                "kernel_short": step.kernel_short,
                "ceiling_ns": plain_number(step.ceiling_ns),
                "cumulative_ns": plain_number(step.cumulative_ns),
                "cumulative_fraction": plain_number(step.cumulative_fraction),
            }
            for step in distance.steps
        ],
    }


def _gains(audit: Audit) -> dict[str, Plain] | None:
    """The ceilings of what was tried, and what it won alone; None where nothing was."""
    gains = gains_of_audit(audit)
    if not gains:
        return None
    return {
        "rank_correlation": plain_number(rank_correlation(gains)),
        "pairs": [
            {
                "kernel_short": one.kernel_short,
                "grid_blocks": one.grid_blocks,
                "setting": one.setting,
                "ceiling_ns": plain_number(one.ceiling_ns),
                "realised_ns": plain_number(one.realised_ns),
            }
            for one in gains
        ],
    }
