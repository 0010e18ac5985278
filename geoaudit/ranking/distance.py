"""The distance account: measured against a target, how far do the ceilings reach."""

from collections.abc import Iterable

from geoaudit.ranking.audit import AuditRow, DistanceAccount, DistanceStep

# What another launch shape does not make faster, whatever the fill.
NO_LEVER = frozenset({"launch_bound", "communication"})


def distance_account(
    rows: Iterable[AuditRow], gap_time_ns: float, measured_ns: float, target_ns: float
) -> DistanceAccount:
    """Each lever's ceiling and the share of the distance that it and those before it could close.

    A ceiling is the row's wasted SM-time per token: what filling the device could win at most, not
    what it will. The gaps, in which nothing runs, are a lever too, and often the longest one.

    Args:
        rows: the levers, in any order; rows without a known waste are left out.
        gap_time_ns: time per token in which nothing runs.
        measured_ns: wall time per token.
        target_ns: wall time per token aimed at.
    """
    distance_ns = measured_ns - target_ns
    ceilings: list[tuple[float, str | None]] = [
        (row.wasted_sm_time_per_token_ns, row.kernel_short)
        for row in rows
        if row.wasted_sm_time_per_token_ns and row.verdict.name not in NO_LEVER
    ]
    if gap_time_ns > 0:
        ceilings.append((gap_time_ns, None))
    steps, cumulative = [], 0.0
    for ceiling, name in sorted(ceilings, key=lambda lever: (-lever[0], lever[1] or "")):
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
