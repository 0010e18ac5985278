"""The comparison of ranks as plain values under the field names that JSON and CSV promise."""

from geoaudit.geometry.shape import LaunchShape
from geoaudit.ranking.ranks.comparison import (
    GeometryComparison,
    PositionDifference,
    RankComparison,
    RankedCollective,
    RankedSignature,
    RankSummary,
)
from geoaudit.render.row_record import Plain, plain_number


def ranks_record(ranks: RankComparison) -> dict[str, Plain]:
    """All of a comparison; lists with a value per rank are in the order of ``ranks``.

    Times are ns, sizes bytes, shares fractions from 0 to 1; None: cannot tell.
    """
    geometry = ranks.geometry
    return {
        "run_ranks": plain_number(ranks.run_ranks),
        "missing": list(ranks.missing),
        "ranks": [_summary(one) for one in ranks.ranks],
        "geometry": None if geometry is None else _geometry(geometry),
        "geometry_unknown": ranks.geometry_unknown or None,
        "signatures": [signature_record(one) for one in ranks.signatures],
        "collectives": [collective_record(one) for one in ranks.collectives],
        "communication_time_per_token_ns": plain_number(ranks.communication_time_per_token_ns),
        "own_time_per_token_ns": plain_number(ranks.own_time_per_token_ns),
        "waiting_fraction": plain_number(ranks.waiting_fraction),
        "hidden_signatures": ranks.hidden_signatures,
        "hidden_collectives": ranks.hidden_collectives,
    }


def signature_record(one: RankedSignature) -> dict[str, Plain]:
    """A launch signature on all ranks."""
    return {
        "place": one.place,
        "kernel": one.kernel,
        "kernel_short": one.kernel_short,
        "owner": one.owner,
        **_shape(one.shape),
        "registers_per_thread": plain_number(one.shape.registers_per_thread),
        "shared_bytes": plain_number(one.shape.shared_bytes),
        "calls_per_token": list(map(plain_number, one.calls_per_token)),
        "time_per_token_ns": list(map(plain_number, one.time_per_token_ns)),
        "time_difference_ns": plain_number(one.difference_ns),
        "time_difference_fraction": plain_number(one.difference_fraction),
        "slowest_rank": one.slowest,
    }


def collective_record(one: RankedCollective) -> dict[str, Plain]:
    """A collective on all ranks."""
    skew = one.skew
    return {
        "place": one.place,
        "kernel": one.kernel,
        "kernel_short": one.kernel_short,
        "owner": one.owner,
        "calls_per_token": list(map(plain_number, one.calls_per_token)),
        "common_tokens": one.tokens,
        "time_per_token_ns": list(map(plain_number, one.time_per_token_ns)),
        "own_time_per_token_ns": plain_number(one.own_time_per_token_ns),
        "waiting_per_token_ns": list(map(plain_number, one.waiting_per_token_ns)),
        "skew_calls": None if skew is None else skew.calls,
        "skew_median_ns": None if skew is None else plain_number(skew.median_ns),
        "skew_p95_ns": None if skew is None else plain_number(skew.p95_ns),
        "skew_max_ns": None if skew is None else plain_number(skew.max_ns),
    }


def _summary(one: RankSummary) -> dict[str, Plain]:
    return {
        "distributed_rank": one.rank,
        "device_index": one.device,
        "device_name": one.device_name,
        "further_devices": one.further_devices,
        "tokens": plain_number(one.tokens),
        "wall_time_per_token_ns": plain_number(one.wall_time_per_token_ns),
        "kernel_time_per_token_ns": plain_number(one.kernel_time_per_token_ns),
        "copy_time_per_token_ns": plain_number(one.copy_time_per_token_ns),
        "gap_time_per_token_ns": plain_number(one.gap_time_per_token_ns),
        "wasted_sm_time_per_token_ns": plain_number(one.wasted_sm_time_per_token_ns),
        "communication_time_per_token_ns": plain_number(one.communication_time_per_token_ns),
        "waiting_per_token_ns": plain_number(one.waiting_per_token_ns),
    }


def _geometry(geometry: GeometryComparison) -> dict[str, Plain]:
    return {
        "tokens": geometry.tokens,
        "positions": geometry.positions,
        "same": geometry.same,
        "differing": geometry.differing,
        "lacking": geometry.lacking,
        "unknown": geometry.unknown,
        "unplaced": list(geometry.unplaced),
        "differences": [_difference(one) for one in geometry.differences],
    }


def _difference(one: PositionDifference) -> dict[str, Plain]:
    return {
        "position": one.position,
        "launches": [
            None
            if launch is None
            else {"kernel_short": launch.kernel_short, **_shape(launch.shape)}
            for launch in one.launches
        ],
    }


def _shape(shape: LaunchShape) -> dict[str, Plain]:
    return {
        "grid": None if shape.grid is None else list(map(plain_number, shape.grid)),
        "block": None if shape.block is None else list(map(plain_number, shape.block)),
        "cluster": None if shape.cluster is None else list(map(plain_number, shape.cluster)),
        "dynamic_shared_bytes": plain_number(shape.dynamic_shared_bytes),
    }
