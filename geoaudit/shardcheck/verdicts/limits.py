"""Limits of a launch that a site breaks for certain."""

from collections.abc import Iterator

from geoaudit.quantities import plural
from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.sharding.worth import Fixed, Roles, Share
from geoaudit.shardcheck.slicing.sites import Axis, LaunchSite
from geoaudit.shardcheck.symbolic.evaluation import evaluate
from geoaudit.shardcheck.symbolic.extents import Extent, Integer, Symbol
from geoaudit.shardcheck.symbolic.making import product
from geoaudit.shardcheck.symbolic.wording import as_text
from geoaudit.shardcheck.verdicts.grids import values_at

MOST_BLOCKS_YZ = 65_535
MOST_THREADS = 1024
"""CUDA C++ Programming Guide, technical specifications per compute capability: all of them."""


def broken_limits(site: LaunchSite, roles: Roles, options: ShardOptions) -> tuple[str, ...]:
    """Sentences on limits that a launch breaks whatever is undecided; empty: none, or not known.

    Only numbers count that the source or an option gives; a grid of 0 only where no guard stands
    before the launch.
    """
    return tuple(dict.fromkeys(_broken(site, roles, options)))


def _broken(site: LaunchSite, roles: Roles, options: ShardOptions) -> Iterator[str]:
    block = None if site.block is None else product(*(axis.extent for axis in site.block))
    for ranks in options.ranks:
        every = [_values(axis.extent, roles, options, ranks) for axis in site.grid]
        for name, axis, values in list(zip("xyz", site.grid, every, strict=True))[1:]:
            if values and min(values) > MOST_BLOCKS_YZ:
                text = as_text(axis.extent, 60)
                yield f"grid {name} = {text} is {min(values):,} and {MOST_BLOCKS_YZ:,} is the most"
        threads = None if block is None else _values(block, roles, options, ranks)
        if threads and min(threads) > MOST_THREADS:
            yield f"the block has {min(threads):,} threads and {MOST_THREADS:,} is the most"
        for name, axis, values in zip("xyz", site.grid, every, strict=True):
            if not begins_as_zero(axis) and values and max(values) <= 0 and not site.guards:
                text = as_text(axis.extent, 60)
                yield f"grid {name} = {text} is {max(values)} at {plural(ranks, 'rank')}: no launch"
                return


def begins_as_zero(axis: Axis) -> bool:
    """Whether an axis is 0 by a name: a variable that begins so and is set where none sees it."""
    return axis.extent == Integer(value=0) and bool(axis.symbols)


def _values(
    extent: Extent, roles: Roles, options: ShardOptions, ranks: int
) -> frozenset[int] | None:
    """Values with what is given alone: nothing taken for granted, no share by its name."""
    if isinstance(extent, Integer):
        return frozenset({extent.value})
    value_of = values_at(roles, options, ranks)

    def given(symbol: Symbol) -> frozenset[int] | int | None:
        role = roles.by_symbol.get(symbol)
        if isinstance(role, Fixed) and role.taken:
            return None
        if isinstance(role, Share) and not role.dimension.is_certain:
            return None
        return value_of(symbol)

    return evaluate(extent, given)
