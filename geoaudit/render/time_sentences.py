"""Where the time of a token goes, in sentences that every renderer shares."""

from dataclasses import dataclass

from geoaudit.ranking.audit import Audit, AuditTotals
from geoaudit.render.numbers import count, duration, duration_range, percent, plural, share

CEILING = "a CEILING on what filling the SMs could win, never a saving"
# From this on the mean is a token that none of them was.
UNEVEN_WALLS = 1.1
# Above it the gaps, not the kernels, are what a token waits for.
MOSTLY_GAPS = 0.4
# How far rows may add up to more than the total before it needs a word: rounding stays below.
NOTABLE_BLAME = 1.02


@dataclass(frozen=True, kw_only=True)
class WallPart:
    """One part of the wall time.

    Attributes:
        name: kernels, copies or gaps.
        time: as text.
        share: of the wall time, as text.
        fraction: of the wall time, 0 to 1; None: cannot tell.
    """

    name: str
    time: str
    share: str
    fraction: float | None


def period(audit: Audit) -> str:
    """What the figures are per: ``token``, or ``trace`` where no tokens were found."""
    return "trace" if audit.header.tokens is None else "token"


def wall_parts(audit: Audit) -> tuple[WallPart, ...]:
    """The wall time in kernels, copies and gaps; empty where no wall time is known."""
    totals = audit.totals
    wall = totals.wall_time_per_token_ns
    if wall is None:
        return ()
    parts = {
        "kernels": totals.kernel_time_per_token_ns,
        "copies": totals.copy_time_per_token_ns,
        "gaps": totals.gap_time_per_token_ns,
    }
    return tuple(
        WallPart(
            name=name,
            time=duration(part),
            share=percent(share(part, wall)),
            fraction=share(part, wall),
        )
        for name, part in parts.items()
    )


def wall_sentence(audit: Audit) -> str:
    """The wall time, with its range where the tokens differ, or why it cannot be told."""
    totals = audit.totals
    if totals.wall_time_per_token_ns is None:
        kernels = totals.kernel_time_per_token_ns
        if kernels is None:
            return "cannot tell (no times)"
        return f"cannot tell (no start times) · kernels {duration(kernels)} per {period(audit)}"
    text = f"{duration(totals.wall_time_per_token_ns)} per {period(audit)}"
    spread = wall_range(audit)
    return text if spread is None else f"{text}, {spread}"


def wall_range(audit: Audit) -> str | None:
    """What the wall time is a mean of, where its tokens lie apart; None where they do not."""
    totals = audit.totals
    shortest, longest = totals.wall_time_min_ns, totals.wall_time_max_ns
    if shortest is None or longest is None or longest <= UNEVEN_WALLS * shortest:
        return None
    return (
        f"mean of {count(totals.wall_time_tokens)}; {duration_range(shortest, longest)}, "
        f"median {duration(totals.wall_time_median_ns)}"
    )


def gap_sentence(audit: Audit) -> str | None:
    """That most of the wall time nothing runs, where it is so; None elsewhere."""
    totals = audit.totals
    fraction = share(totals.gap_time_per_token_ns, totals.wall_time_per_token_ns)
    if fraction is None or fraction <= MOSTLY_GAPS:
        return None
    specs = [device.spec for device in audit.header.devices]
    graph = "HIP graph" if any(spec and spec.vendor == "amd" for spec in specs) else "CUDA graph"
    return (
        f"nothing runs {percent(fraction)} of the time: launches come late; a {graph} or fewer "
        "launches come before launch geometry"
    )


def waste_sentence(audit: Audit) -> str:
    """The wasted SM-time with and without communication, each as a share of its kernel time."""
    totals = audit.totals
    everything = totals.wasted_sm_time_per_token_ns
    without = totals.wasted_without_communication_per_token_ns
    if everything is None and without is None:
        return "cannot tell: it takes the grids, the times and the SM count of the device"
    wasted = f"{_of_kernel_time(everything, totals.kernel_time_per_token_ns)} of kernel time"
    if not audit.communication_rows and everything == without:
        return f"{wasted}; no communication in it"
    others = _of_kernel_time(without, totals.kernel_time_without_communication_per_token_ns)
    return f"{wasted}; without communication {others} of the other kernels' time"


def dud_sentence(audit: Audit) -> str | None:
    """What the launches that exit at once cost a token; None where there are none."""
    cost = audit.totals.dud_time_per_token_ns
    duds = [row for row in audit.rows if row.verdict.name == "dud"]
    if cost is None or not duds:
        return None
    calls = plural(sum(row.calls_per_token for row in duds), "launch", "launches")
    return f"{calls} exit at once beside a twin that does the work: {duration(cost)} of the time"


def blame_sentence(audit: Audit) -> str | None:
    """Why the rows add up to more than the total, where they do; None elsewhere."""
    total = _total_of_rows(audit.totals, audit)
    rows = (*audit.rows, *audit.communication_rows)
    # Totals are means over the devices, a row is of one.
    added = sum(row.wasted_sm_time_per_token_ns or 0.0 for row in rows)
    added /= max(len(audit.header.devices), 1)
    if total is None or added <= NOTABLE_BLAME * total:
        return None
    return (
        f"the rows add up to {duration(added)}: each row blames a launch as if it ran alone, the "
        "total counts launches that run at the same time together"
    )


def _total_of_rows(totals: AuditTotals, audit: Audit) -> float | None:
    if audit.communication_rows:
        return totals.wasted_sm_time_per_token_ns
    return totals.wasted_without_communication_per_token_ns


def _of_kernel_time(wasted: float | None, kernels: float | None) -> str:
    return f"{duration(wasted)} = {percent(share(wasted, kernels))}"
