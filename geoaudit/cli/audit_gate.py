"""The end of a command that can be a gate: its exit code, and why."""

from typing import TYPE_CHECKING

import click

from geoaudit.errors import EXIT_FINDINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geoaudit.diagnosis.gate import FailOn, GateEvidence
    from geoaudit.ranking.audit import Audit


def apply_gate(audit: "Audit", fail_on: "FailOn") -> None:
    """End with exit code 1 where the audit holds what ``--fail-on`` names, saying what.

    Args:
        audit: with all rows that the filters leave, none of them hidden.
        fail_on: what to fail on.

    Raises:
        NotMeasuredError: something is named, was not found and could not be told; see
            `geoaudit.diagnosis.gate.gate`.
    """
    from geoaudit.diagnosis.gate import gate

    end_with(gate(fail_on, gate_evidence(audit)))


def end_with(reasons: "Sequence[str]") -> None:
    """End with exit code 1 where there are reasons to fail, saying them."""
    for reason in reasons:
        click.echo(f"geoaudit: --fail-on: {reason}", err=True)
    if reasons:
        click.get_current_context().exit(EXIT_FINDINGS)


def gate_evidence(audit: "Audit") -> "GateEvidence":
    """What the gate looks at: the recording, and the rows that the filters leave."""
    from geoaudit.diagnosis.gate import GateEvidence
    from geoaudit.diagnosis.judged_time import GatedRow

    rows = (*audit.rows, *audit.communication_rows)
    header = audit.header
    told = {
        "GA901": header.dropped,
        "GA903": header.launches_seen,
        "GA907": None if audit.ranks is None else audit.ranks.geometry,
    }
    wasted_fraction, wasted_by = _waste(audit)
    return GateEvidence(
        findings=[*audit.recording_findings, *(found for row in rows for found in row.findings)],
        rows=[
            GatedRow(
                calls=row.calls_per_token,
                time_ns=row.time_per_token_ns if row.timing else None,
                geometry=row.geometry,
                verdict=row.verdict,
                is_counted=row.evidence.counters is not None,
                has_floor=row.evidence.floor is not None and row.evidence.floor.bytes is not None,
                has_sites=row.timing is not None and row.timing.sites is not None,
            )
            for row in rows
        ],
        wasted_fraction=wasted_fraction,
        wasted_by=wasted_by,
        replayed=header.replayed,
        untold_rules=frozenset(rule_id for rule_id, figure in told.items() if figure is None),
    )


def _waste(audit: "Audit") -> tuple[float | None, str]:
    """Wasted SM-time as a share of kernel time, and in words of what.

    Collectives are small by design and left out on both sides. Where filters leave rows out, the
    waste of those shown counts, against the kernel time of the token: a mean over devices, as
    the totals are.
    """
    if audit.filtered_rows:
        shown = [row.wasted_fraction for row in audit.rows if row.wasted_fraction is not None]
        devices = max(1, len(audit.header.devices))
        return (sum(shown) / devices if shown else None), "the kernel time, in the rows shown,"
    totals = audit.totals
    wasted = totals.wasted_without_communication_per_token_ns
    kernel = totals.kernel_time_without_communication_per_token_ns
    if wasted is None or kernel is None:
        wasted, kernel = totals.wasted_sm_time_per_token_ns, totals.kernel_time_per_token_ns
        return (None if wasted is None or not kernel else wasted / kernel), "the kernel time"
    return (wasted / kernel if kernel else None), "the kernel time without collectives"
