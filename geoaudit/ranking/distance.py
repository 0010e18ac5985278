"""The distance account: measured against a target, how far do the ceilings reach."""

from collections.abc import Iterable

from geoaudit.errors import NotMeasuredError
from geoaudit.ranking.audit import AuditRow, AuditTotals, DistanceAccount, DistanceStep

# What another launch shape does not make faster, whatever the fill.
NO_LEVER = frozenset({"launch_bound", "communication"})


def distance_account(
    rows: Iterable[AuditRow], totals: AuditTotals, target_ns: float | None
) -> DistanceAccount | None:
    """Each lever's ceiling and the share of the distance that it and those before it could close.

    A ceiling is the row's wasted SM-time per token: what filling the device could win at most, not
    what it will. The gaps, in which nothing runs, are a lever too, and often the longest one.

    Args:
        rows: the levers, in any order; rows without a known waste are left out.
        totals: with the wall time of a token, of which the rows are a part.
        target_ns: wall time per token aimed at; None: no account is asked for.

    Raises:
        NotMeasuredError: the wall time is unknown.
    """
    if target_ns is None:
        return None
    measured_ns = _measured(totals)
    distance_ns = measured_ns - target_ns
    steps, cumulative = [], 0.0
    for ceiling, name in _levers(rows, totals):
        cumulative += ceiling
        steps.append(
            DistanceStep(
                kernel_short=name,
                ceiling_ns=ceiling,
                cumulative_ns=cumulative,
                cumulative_fraction=cumulative / distance_ns if distance_ns > 0 else 0.0,
            )
        )
    return DistanceAccount(
        measured_ns=measured_ns, target_ns=target_ns, distance_ns=distance_ns, steps=tuple(steps)
    )


def _measured(totals: AuditTotals) -> float:
    if totals.wall_time_per_token_ns is None:
        raise NotMeasuredError(
            "--target-ms needs the wall time of a token, and this recording has no start times. "
            "Record with an instrument that has them."
        )
    return totals.wall_time_per_token_ns


def _levers(rows: Iterable[AuditRow], totals: AuditTotals) -> list[tuple[float, str | None]]:
    """Ceilings with the names of their kernels, the longest first."""
    levers = [row for row in rows if row.verdict.name not in NO_LEVER]
    # The wall time is a mean over devices that work side by side; so is what a row adds to it.
    devices = len({row.device for row in levers}) or 1
    ceilings: list[tuple[float, str | None]] = [
        (row.wasted_sm_time_per_token_ns / devices, row.kernel_short)
        for row in levers
        if row.wasted_sm_time_per_token_ns
    ]
    if totals.gap_time_per_token_ns:
        ceilings.append((totals.gap_time_per_token_ns, None))
    return sorted(ceilings, key=lambda lever: (-lever[0], lever[1] or ""))
