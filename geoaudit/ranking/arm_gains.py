"""What the geometry allowed the arms of a recording to win, against what they won."""

from collections.abc import Iterable, Sequence

from geoaudit.diagnosis.interventions import ArmGain, arm_gains, of_signature
from geoaudit.launches.interventions import Intervention
from geoaudit.ranking.audit import Audit, AuditRow


def gains_of_rows(
    rows: Iterable[AuditRow], interventions: Sequence[Intervention]
) -> tuple[ArmGain, ...]:
    """Every arm that was tried on a kernel, in the order of the rows.

    Args:
        rows: of one launch signature each; those of unknown time or SM fill are left out.
        interventions: of the same recording.
    """
    return tuple(
        gain
        for row in rows
        if row.time_per_token_ns is not None and row.geometry.sm_fill is not None
        for one in of_signature(interventions, row.kernel_short, row.shape, row.device)
        for gain in arm_gains(
            one, time_per_token_ns=row.time_per_token_ns, sm_fill=row.geometry.sm_fill
        )
    )


def gains_of_audit(audit: Audit) -> tuple[ArmGain, ...]:
    """Every arm that was tried on a ranked row, in the order of the rows."""
    tried = [one for row in audit.rows for one in row.evidence.interventions]
    return gains_of_rows(audit.rows, tried)
