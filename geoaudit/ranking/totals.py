"""Where the wall time of a token goes, as means over tokens and devices."""

from collections.abc import Mapping, Sequence

import numpy as np

from geoaudit.launches import schema as s
from geoaudit.ranking.audit import AuditRow, AuditTotals
from geoaudit.ranking.selection import Selection
from geoaudit.ranking.time_account import Timeline, TimeSplit, split_time


def device_splits(selection: Selection, timelines: Mapping[int, Timeline]) -> dict[int, TimeSplit]:
    """The time account of a token on each device that has start times."""
    splits = {}
    for device, intervals in selection.intervals.groupby(s.DEVICE):
        if int(device) not in timelines:
            continue  # nothing there has a time
        begins, ends = intervals["begin_ns"].to_numpy(), intervals["end_ns"].to_numpy()
        split = split_time(timelines[int(device)], begins, ends)
        # With a count of tokens but no boundaries the one interval holds all of them.
        divisor = 1 if selection.step_class else selection.divisors[int(device)]
        splits[int(device)] = split.divided_by(divisor)
    return splits


def audit_totals(
    rows: Sequence[AuditRow], selection: Selection, splits: Mapping[int, TimeSplit]
) -> AuditTotals:
    """The totals of an audit; means over its devices.

    Args:
        rows: all rows.
        selection: what was audited.
        splits: from `device_splits`.
    """
    is_waste_known = any(row.wasted_sm_time_per_token_ns is not None for row in rows)
    if not splits:
        return _totals_without_starts(rows, is_waste_known)

    def mean(name: str) -> float:
        return float(np.mean([getattr(split, name) for split in splits.values()]))

    walls = (selection.intervals["end_ns"] - selection.intervals["begin_ns"]).to_numpy()
    spread = walls.astype(np.float64) if selection.step_class else None
    return AuditTotals(
        wall_time_per_token_ns=mean("wall"),
        kernel_time_per_token_ns=mean("kernel"),
        copy_time_per_token_ns=mean("copy"),
        gap_time_per_token_ns=mean("gap"),
        wasted_sm_time_per_token_ns=mean("wasted") if is_waste_known else None,
        wasted_without_communication_per_token_ns=(
            mean("wasted_without_communication") if is_waste_known else None
        ),
        kernel_time_without_communication_per_token_ns=mean("without_communication"),
        dud_time_per_token_ns=_duds(rows),
        wall_time_tokens=None if spread is None else len(spread) // len(splits),
        wall_time_min_ns=None if spread is None else float(spread.min()),
        wall_time_median_ns=None if spread is None else float(np.median(spread)),
        wall_time_max_ns=None if spread is None else float(spread.max()),
    )


def _totals_without_starts(rows: Sequence[AuditRow], is_waste_known: bool) -> AuditTotals:
    """Sums over the rows: without starts neither gaps nor overlaps can be told."""
    others = [row for row in rows if row.verdict.name != "communication"]
    return AuditTotals(
        wall_time_per_token_ns=None,
        kernel_time_per_token_ns=_time(rows),
        copy_time_per_token_ns=None,
        gap_time_per_token_ns=None,
        wasted_sm_time_per_token_ns=_wasted(rows) if is_waste_known else None,
        wasted_without_communication_per_token_ns=_wasted(others) if is_waste_known else None,
        kernel_time_without_communication_per_token_ns=_time(others),
        dud_time_per_token_ns=_duds(rows),
    )


def _time(rows: Sequence[AuditRow]) -> float | None:
    times = [row.time_per_token_ns for row in rows if row.time_per_token_ns is not None]
    return sum(times) if times else None


def _duds(rows: Sequence[AuditRow]) -> float | None:
    return _time([row for row in rows if row.verdict.name == "dud"])


def _wasted(rows: Sequence[AuditRow]) -> float:
    return sum(row.wasted_sm_time_per_token_ns or 0.0 for row in rows)
