"""The distance account: measured against a target, how far do the ceilings reach."""

from collections.abc import Iterable

from geoaudit.ranking.audit import AuditRow, DistanceAccount, DistanceStep


def distance_account(
    rows: Iterable[AuditRow], measured_ns: float, target_ns: float
) -> DistanceAccount:
    """Each lever's ceiling and the share of the gap that it and those before it could close.

    A ceiling is the row's wasted SM-time per token: what filling the device could win at most, not
    what it will.

    Args:
        rows: the levers, in any order; rows without a known waste are left out.
        measured_ns: wall time per token.
        target_ns: wall time per token aimed at.
    """
    gap_ns = measured_ns - target_ns
    levers = sorted(
        (row for row in rows if row.wasted_sm_time_per_token_ns),
        key=lambda row: (-(row.wasted_sm_time_per_token_ns or 0.0), row.kernel),
    )
    steps, cumulative = [], 0.0
    for row in levers:
        ceiling = row.wasted_sm_time_per_token_ns or 0.0
        cumulative += ceiling
        steps.append(
            DistanceStep(
                kernel_short=row.kernel_short,
                ceiling_ns=ceiling,
                cumulative_ns=cumulative,
                cumulative_gap_fraction=cumulative / gap_ns if gap_ns > 0 else 0.0,
            )
        )
    return DistanceAccount(
        measured_ns=measured_ns, target_ns=target_ns, gap_ns=gap_ns, steps=tuple(steps)
    )
