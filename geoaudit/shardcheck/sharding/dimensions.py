"""Sharded dimensions as a report tells them: by options, by divisions, by names."""

from collections.abc import Mapping
from dataclasses import dataclass

from geoaudit.shardcheck import words
from geoaudit.shardcheck.sharding.divisions import Division
from geoaudit.shardcheck.sharding.naming import means
from geoaudit.shardcheck.sharding.options import GivenDimension, ShardOptions
from geoaudit.shardcheck.symbolic.evaluation import evaluate
from geoaudit.shardcheck.symbolic.extents import Symbol
from geoaudit.shardcheck.symbolic.wording import as_text


@dataclass(frozen=True, kw_only=True)
class ShardedDimension:
    """A dimension that parallelism divides.

    Attributes:
        name: ``n_head``: the sharded symbol as the source writes it.
        rounding: how a rank's share is rounded: ``exact``, ``floor``, ``ceil``, ``at_least_one``.
        by: symbol of the ranks it is divided over: ``tp``, ``ep``, ``attn_tp``.
        total: before the division; None: not known.
        reason: why it counts as sharded: the division with file and line, ``--dim``, or its name.
        is_certain: a division or an option says so, rather than a name or a position.
        is_width: it counts columns or rows of a matrix, thousands, rather than heads or experts.
    """

    name: str
    rounding: str
    by: str
    total: int | None
    reason: str
    is_certain: bool
    is_width: bool = False


def named_dimension(
    symbol: Symbol, dimension: str, why: str, options: ShardOptions
) -> ShardedDimension:
    """What a symbol is that a name or a position says to be a share of `dimension` (`words`)."""
    for given in options.dimensions:
        if words.dimension_of(given.name) == dimension:
            return given_dimension(given, f"{symbol.name} {why}", is_certain=False)
    size = options.model.get(dimension)
    if size is None and dimension == words.VALUE_HEADS:
        size = options.model.get(words.HEADS)
    return ShardedDimension(
        name=symbol.name,
        rounding="at_least_one" if dimension == words.KV_HEADS else "exact",
        by=words.SHARDED_BY[dimension],
        total=size,
        reason=f"{dimension.replace('_', ' ')} {why}",
        is_certain=False,
        is_width=dimension in words.WIDTHS,
    )


def given_dimension(given: GivenDimension, reason: str, *, is_certain: bool) -> ShardedDimension:
    """What an option says."""
    return ShardedDimension(
        name=given.name,
        rounding=given.rounding,
        by=given.by,
        total=given.total,
        reason=reason,
        is_certain=is_certain,
    )


def rows_dimension(end: Symbol, start: Symbol, options: ShardOptions) -> ShardedDimension:
    """A range of rows of a weight matrix."""
    given = next((one for one in options.dimensions if means(one.name, [end.name])), None)
    return ShardedDimension(
        name=f"{end.name} - {start.name}",
        rounding="floor",
        by="tp",
        total=None if given is None else given.total,
        reason=f"a rank's rows of a weight matrix, {end.path}:{end.line}",
        is_certain=True,
        is_width=True,
    )


def divided_dimension(division: Division, totals: Mapping[Symbol, int]) -> ShardedDimension:
    """What a division divides; `totals` are the values of symbols before it, where known."""
    total = evaluate(division.total, totals.get)
    where = f", {division.size.path}:{division.size.line}" if division.size.path else ""
    return ShardedDimension(
        name=as_text(division.total, 60),
        rounding=division.rounding,
        by=division.by,
        total=max(total) if total else None,
        reason=f"{as_text(division.whole, 80)}{where}",
        is_certain=True,
    )
