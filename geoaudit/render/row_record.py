"""A row as plain values under the field names that JSON and CSV promise."""

import math
import numbers
from collections.abc import Sequence
from statistics import median

from geoaudit.diagnosis.evidence import Counters, Floor, Timing, WorkPerSm
from geoaudit.geometry.shape import LaunchGeometry, LaunchShape
from geoaudit.launches.interventions import Intervention
from geoaudit.ranking.audit import AuditRow

Plain = (
    str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]
)  # what JSON can hold, with no NaN and no infinity in it


def plain_number(value: float | None) -> int | float | None:
    """A number JSON can hold; NaN and infinities are None, since they tell nothing."""
    if value is None:
        return None
    if isinstance(value, numbers.Integral):
        return int(value)
    return float(value) if math.isfinite(value) else None


def row_record(row: AuditRow) -> dict[str, Plain]:
    """All fields of a row, in the order they are promised; grid, block, cluster as three numbers.

    Times are ns, sizes bytes, shares fractions from 0 to 1; None: cannot tell.
    """
    verdict = row.verdict
    return {
        "rank": row.rank,
        "kernel": row.kernel,
        "kernel_short": row.kernel_short,
        **_shape_fields(row.shape),
        "calls_per_token": plain_number(row.calls_per_token),
        "time_per_token_ns": plain_number(row.time_per_token_ns),
        **_timing_fields(row.timing),
        "owner": row.owner,
        **_geometry_fields(row.geometry),
        "wasted_sm_time_per_token_ns": plain_number(row.wasted_sm_time_per_token_ns),
        "measured_wasted_sm_time_per_token_ns": plain_number(
            row.measured_wasted_sm_time_per_token_ns
        ),
        **_counter_fields(row.evidence.counters),
        "verdict": verdict.name,
        "confidence": verdict.confidence,
        "findings": [finding.rule_id for finding in row.findings],
        "time_fraction": plain_number(row.time_fraction),
        "wasted_fraction": plain_number(row.wasted_fraction),
        "device_index": row.device,
        "signatures": row.signatures,
        "positions": list(row.positions),
        "reason": verdict.reason,
        "rests_on": list(verdict.rests_on),
        "ruled_out": list(verdict.ruled_out),
        "would_decide": verdict.would_decide,
        "finding_messages": [finding.message for finding in row.findings],
        **_floor_fields(row.evidence.floor),
        **_work_fields(row.evidence.work),
        "interventions": [_intervention(one) for one in row.evidence.interventions],
    }


def _intervention(one: Intervention) -> dict[str, Plain]:
    return {
        "alone_ns": _median(one.alone_ns),
        "in_situ_ns": _median(one.in_situ_ns),
        "sweep": [
            {
                "setting": tried.setting,
                "kernel_short": tried.kernel_short,
                "grid_blocks": tried.grid_blocks,
                "block_threads": tried.block_threads,
                "alone_ns": _median(tried.durations_ns),
            }
            for tried in one.sweep
        ],
    }


def _median(durations_ns: Sequence[int]) -> Plain:
    return plain_number(median(durations_ns) if durations_ns else None)


def _shape_fields(shape: LaunchShape) -> dict[str, Plain]:
    return {
        "grid": None if shape.grid is None else list(map(plain_number, shape.grid)),
        "block": None if shape.block is None else list(map(plain_number, shape.block)),
        "cluster": None if shape.cluster is None else list(map(plain_number, shape.cluster)),
        "registers_per_thread": plain_number(shape.registers_per_thread),
        "static_shared_bytes": plain_number(shape.static_shared_bytes),
        "dynamic_shared_bytes": plain_number(shape.dynamic_shared_bytes),
        "shared_bytes": plain_number(shape.shared_bytes),
    }


_TIMING_FIELDS = {
    "duration_median_ns": "median_ns",
    "duration_mean_ns": "mean_ns",
    "duration_std_ns": "std_ns",
    "relative_mad": "relative_mad",
    "relative_mad_low": "relative_mad_low",
    "relative_mad_high": "relative_mad_high",
    "relative_iqr": "relative_iqr",
    "p99_to_median": "p99_to_median",
    "bimodal_fraction": "bimodal_fraction",
    "mode_distance": "mode_distance",
    "drift_fraction": "drift_fraction",
    "drift": "drift",
    "outliers": "outliers",
    "outlier_excess_ns": "outlier_excess_ns",
    "outlier_max_excess_ns": "outlier_max_excess_ns",
    "common_factor_range": "common_factor_range",
    "relative_mad_without_common_factor": "relative_mad_without_common_factor",
    "site_spread": "site_spread",
    "site_std_ns": "site_std_ns",
    "sites": "sites",
    "timed_launches": "launches",
    "repetitions": "repetitions",
    "overlapped_fraction": "overlapped_fraction",
}
"""Field -> attribute of `Timing`."""


def _timing_fields(timing: Timing | None) -> dict[str, Plain]:
    return {
        field: plain_number(None if timing is None else getattr(timing, attribute))
        for field, attribute in _TIMING_FIELDS.items()
    }


def _floor_fields(floor: Floor | None) -> dict[str, Plain]:
    """A floor without bytes or bandwidth is that of any launch, and none of this one."""
    known = floor is not None and None not in (floor.bytes, floor.bandwidth_bytes_per_second)
    return {
        "floor_ns": plain_number(floor.floor_ns) if floor and known else None,
        "floor_ratio": plain_number(floor.floor_ratio) if floor else None,
        "floor_bytes": plain_number(floor.bytes) if floor else None,
        "floor_source": floor.bytes_source if floor else None,
        "floor_is_measured": floor.is_measured if floor and known else None,
    }


def _work_fields(work: WorkPerSm | None) -> dict[str, Plain]:
    return {
        "working_warps_per_sm": plain_number(work.working_warps if work else None),
        "bytes_in_flight_per_sm": plain_number(work.bytes_in_flight if work else None),
        "needed_bytes_in_flight_per_sm": plain_number(
            work.needed_bytes_in_flight if work else None
        ),
    }


def _counter_fields(counters: Counters | None) -> dict[str, Plain]:
    return {
        "sm_active_fraction": plain_number(counters.sm_active_fraction if counters else None),
        "sm_throughput_fraction": plain_number(
            counters.sm_throughput_fraction if counters else None
        ),
        "dram_bytes": plain_number(counters.dram_bytes if counters else None),
    }


def _geometry_fields(geometry: LaunchGeometry) -> dict[str, Plain]:
    return {
        "grid_blocks": plain_number(geometry.grid_blocks),
        "block_threads": plain_number(geometry.block_threads),
        "sm_fill": plain_number(geometry.sm_fill),
        "waves": plain_number(geometry.waves),
        "full_waves": plain_number(geometry.full_waves),
        "tail_blocks": plain_number(geometry.tail_blocks),
        "wave_efficiency": plain_number(geometry.wave_efficiency),
        "resident_blocks_per_sm": plain_number(geometry.resident_blocks_per_sm),
        "limiter": geometry.limiter,
        "limiters": list(geometry.limiters),
        "theoretical_occupancy": plain_number(geometry.theoretical_occupancy),
        "slot_fill": plain_number(geometry.slot_fill),
        "thread_fill": plain_number(geometry.thread_fill),
    }
