"""What a symbol of a grid may be, and what it is worth at a number of ranks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from geoaudit.shardcheck.sharding.dimensions import ShardedDimension
from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.symbolic.evaluation import ValueOf, evaluate
from geoaudit.shardcheck.symbolic.extents import Extent, Symbol


@dataclass(frozen=True, kw_only=True)
class Share:
    """A number that each rank has its share of. ``dimension.total`` None: not known."""

    dimension: ShardedDimension


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """A number that ranks do not change; several where any of them may be.

    ``taken``: why it was taken where nothing gives it; empty where something does.
    """

    values: tuple[int, ...]
    taken: str = ""


@dataclass(frozen=True, kw_only=True)
class Ranks:
    """A number of ranks."""

    kind: str


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A number that is made of others beyond the site's file; they have roles of their own."""

    extent: Extent


Role = Share | Fixed | Ranks | Bound


@dataclass(frozen=True, kw_only=True)
class Roles:
    """What the symbols of a site's grid are.

    Attributes:
        by_symbol: symbols that something is known of.
        sharded: the dimensions in them, divisions first.
    """

    by_symbol: Mapping[Symbol, Role]
    sharded: tuple[ShardedDimension, ...]


def of_unknown_size(name: str, dimension: ShardedDimension) -> Share:
    """A share of a number that the dimension is only a part of."""
    return Share(dimension=replace(dimension, name=name, total=None))


def worths(roles: Mapping[Symbol, Role], options: ShardOptions, ranks: int) -> ValueOf:
    """The value of every symbol at a number of ranks; None: not known."""

    def value_of(symbol: Symbol) -> frozenset[int] | int | None:
        role = roles.get(symbol)
        if isinstance(role, Ranks):
            return options.ranks_of(role.kind, ranks)
        if isinstance(role, Fixed):
            return frozenset(role.values)
        if isinstance(role, Bound):
            return evaluate(role.extent, value_of)
        if isinstance(role, Share) and role.dimension.total is not None:
            over = options.ranks_of(role.dimension.by, ranks)
            return share(role.dimension.total, over, role.dimension.rounding)
        return None

    return value_of


def share(total: int, ranks: int, rounding: str) -> int:
    """The largest share a rank has of `total` under a rounding rule.

    >>> share(96, 8, "exact"), share(12, 8, "floor"), share(12, 8, "ceil")
    (12, 1, 2)
    >>> share(4, 8, "at_least_one")
    1
    """
    if rounding == "ceil":
        return -(-total // ranks)
    return max(1, total // ranks) if rounding == "at_least_one" else total // ranks
