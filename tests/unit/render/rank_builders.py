"""Audits of several ranks made of plain values."""

from dataclasses import replace

from geoaudit.geometry.shape import LaunchShape
from geoaudit.ranking.audit import Audit
from geoaudit.ranking.ranks.comparison import (
    GeometryComparison,
    PositionDifference,
    RankComparison,
    RankedCollective,
    RankedSignature,
    RankLaunch,
    RankSummary,
    Skew,
)
from tests.unit.render import builders


def _summary(rank: int, waiting_ns: float | None, tokens: int | None = 12) -> RankSummary:
    return RankSummary(
        rank=rank,
        device=rank,
        device_name="NVIDIA H200",
        further_devices=0,
        tokens=tokens,
        wall_time_per_token_ns=4_180_000.0,
        kernel_time_per_token_ns=2_000_000.0,
        copy_time_per_token_ns=50_000.0,
        gap_time_per_token_ns=2_130_000.0,
        wasted_sm_time_per_token_ns=792_000.0 + rank,
        communication_time_per_token_ns=None if waiting_ns is None else 336_000.0 + waiting_ns,
        waiting_per_token_ns=waiting_ns,
    )


def _signatures(ranks: int, kernels: tuple[tuple[str, str], ...]) -> tuple[RankedSignature, ...]:
    return tuple(
        RankedSignature(
            place=place,
            kernel=kernel,
            kernel_short=short,
            owner="own",
            shape=LaunchShape(grid=(12 * place, 1, 1), block=(128, 1, 1)),
            calls_per_token=(4.0,) * ranks,
            time_per_token_ns=tuple(346_400.0 + 40_000.0 * rank for rank in range(ranks)),
            difference_ns=40_000.0 * (ranks - 1),
            difference_fraction=40_000.0 * (ranks - 1) / (346_400.0 + 40_000.0 * (ranks - 1)),
            slowest=ranks - 1,
        )
        for place, (kernel, short) in enumerate(kernels, start=1)
    )


def _collective(place: int, ranks: int) -> RankedCollective:
    row = builders.communication_row()
    waiting = tuple(40_000.0 * (ranks - 1 - rank) for rank in range(ranks))
    return RankedCollective(
        place=place,
        kernel=row.kernel,
        kernel_short=row.kernel_short,
        owner=row.owner,
        calls_per_token=(16.0,) * ranks,
        tokens=12,
        time_per_token_ns=tuple(336_000.0 + one for one in waiting),
        own_time_per_token_ns=336_000.0,
        waiting_per_token_ns=waiting,
        skew=Skew(
            median_ns=2_000.0 * ranks, p95_ns=3_000.0 * ranks, max_ns=9_000.0 * ranks, calls=192
        ),
    )


def comparison(ranks: int) -> RankComparison:
    """Ranks of which the last is the slowest, so that the others wait for it."""
    kernels = tuple((row.kernel, row.kernel_short) for row in builders.rows())
    signatures = _signatures(ranks, kernels)
    waiting = [40_000.0 * (ranks - 1 - rank) for rank in range(ranks)]
    times = [336_000.0 + one for one in waiting]
    return RankComparison(
        ranks=tuple(_summary(rank, one) for rank, one in enumerate(waiting)),
        run_ranks=ranks,
        missing=(),
        geometry=GeometryComparison(
            tokens=12,
            positions=120,
            same=120,
            differing=0,
            lacking=0,
            unknown=0,
            unplaced=(0,) * ranks,
            differences=(),
        ),
        geometry_unknown="",
        signatures=signatures,
        collectives=(_collective(len(signatures) + 1, ranks),),
        communication_time_per_token_ns=sum(times) / ranks,
        own_time_per_token_ns=336_000.0,
        waiting_fraction=sum(waiting) / sum(times),
    )


def ranks_audit(ranks: int = 2) -> Audit:
    """The ranks side by side; all launch the same."""
    return replace(builders.audit(), group="rank", ranks=comparison(ranks))


def many_ranks_audit() -> Audit:
    """Eight of nine ranks, so that columns for each have no room, and one is missing."""
    found = ranks_audit(8)
    ranks = replace(comparison(8), run_ranks=9, missing=(8,))
    header = replace(found.header, partial=True, ranks=9, missing_ranks=(8,))
    return replace(found, ranks=ranks, header=header)


def differing_ranks_audit() -> Audit:
    """One rank has another grid, one samples alone; a signature is launched by one rank only."""
    found = comparison(2)
    shapes = [LaunchShape(grid=(blocks, 1, 1), block=(128, 1, 1)) for blocks in (12, 24, 1)]
    name = "kda_decode_step<float, 128>"
    differences = (
        PositionDifference(
            position=3,
            launches=tuple(RankLaunch(kernel_short=name, shape=one) for one in shapes[:2]),
        ),
        PositionDifference(
            position=119,
            launches=(RankLaunch(kernel_short="sample", shape=shapes[2]), None),
        ),
    )
    geometry = GeometryComparison(
        tokens=12,
        positions=120,
        same=118,
        differing=1,
        lacking=1,
        unknown=0,
        unplaced=(3, 0),
        differences=differences,
    )
    alone = replace(
        found.signatures[0],
        calls_per_token=(4.0, 0.0),
        time_per_token_ns=(346_400.0, None),
        difference_ns=None,
        difference_fraction=None,
        slowest=None,
    )
    signatures = (alone, *found.signatures[1:])
    return replace(
        builders.audit(),
        group="rank",
        ranks=replace(found, geometry=geometry, signatures=signatures, hidden_signatures=7),
    )


def untold_ranks_audit() -> Audit:
    """Two ranks of nobody knows how many, one without a token of the class; hostile names."""
    found = comparison(2)
    names = tuple((name, name) for name in builders.HOSTILE_NAMES)
    blank = replace(
        _summary(1, None, tokens=None),
        device_name=builders.HOSTILE_NAMES[1],
        further_devices=1,
        wall_time_per_token_ns=None,
        kernel_time_per_token_ns=None,
        copy_time_per_token_ns=None,
        gap_time_per_token_ns=None,
        wasted_sm_time_per_token_ns=None,
    )
    signatures = tuple(
        replace(
            one,
            calls_per_token=(4.0, None),
            time_per_token_ns=(346_400.0, None),
            difference_ns=None,
            difference_fraction=None,
            slowest=None,
        )
        for one in _signatures(2, names)
    )
    collective = replace(
        found.collectives[0],
        tokens=None,
        own_time_per_token_ns=None,
        waiting_per_token_ns=(None, None),
        skew=None,
    )
    ranks = replace(
        found,
        ranks=(replace(found.ranks[0], waiting_per_token_ns=None), blank),
        run_ranks=None,
        geometry=None,
        geometry_unknown="rank 1 has no complete step of class decode",
        signatures=signatures,
        collectives=(collective,),
        own_time_per_token_ns=None,
        waiting_fraction=None,
    )
    return replace(builders.audit(), group="rank", ranks=ranks)
