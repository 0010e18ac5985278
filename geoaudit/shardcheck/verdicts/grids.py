"""The grid of a site at every number of ranks."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.sharding.worth import Roles, Share, share, worths
from geoaudit.shardcheck.slicing.sites import LaunchSite
from geoaudit.shardcheck.symbolic.choices import Choices
from geoaudit.shardcheck.symbolic.evaluation import ValueOf, World, worlds
from geoaudit.shardcheck.symbolic.extents import Arithmetic, Case, Extent, Integer, Symbol
from geoaudit.shardcheck.symbolic.making import arithmetic, cases
from geoaudit.shardcheck.symbolic.terms import term_of_product
from geoaudit.shardcheck.symbolic.walking import symbols, valued, walk


@dataclass(frozen=True, kw_only=True)
class Probe:
    """Sizes taken where nothing is known, to see how a grid behaves.

    Attributes:
        total: of what is sharded, for each of the most ranks.
        size: of everything else; every symbol has its own.
        constant: of named constants, which mostly divide.
    """

    total: int
    size: int
    constant: int


PROBES = (
    Probe(total=64, size=4096, constant=64),
    Probe(total=12, size=256, constant=32),
    Probe(total=4, size=3, constant=32),
)
"""The first is large: there no size of a tensor is what binds."""
WIDTH = 64
"""So many columns are tried for each head that would be."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """A grid from the fewest to the most ranks, under one choice of what is undecided.

    ``factors``: at each number of ranks, the values that are multiplied.
    """

    factors: tuple[tuple[int, ...], ...]

    @property
    def blocks(self) -> tuple[int, ...]:
        """Blocks at each number of ranks."""
        return tuple(math.prod(values) for values in self.factors)

    @property
    def varies(self) -> bool:
        """Whether any factor changes."""
        return len(set(self.factors)) > 1

    @property
    def shrinks(self) -> bool:
        """Whether there are fewer blocks at the most ranks."""
        return self.blocks[-1] < self.blocks[0]

    @property
    def refills(self) -> bool:
        """Whether some factor grows."""
        return any(
            last > first for first, last in zip(self.factors[0], self.factors[-1], strict=True)
        )


def factors_of(site: LaunchSite) -> tuple[Extent, ...]:
    """What the grid is the product of; a number comes last."""
    found = term_of_product(axis.extent for axis in site.grid)
    number = () if found.coefficient == 1 and found.factors else (found.coefficient,)
    return (*found.factors, *(Integer(value=value) for value in number))


def courses(
    site: LaunchSite,
    factors: tuple[Extent, ...],
    roles: Roles,
    options: ShardOptions,
    probe: Probe | None = None,
) -> tuple[Course, ...]:
    """The grid over the ranks, a course for each choice of what is undecided; none: not known.

    With a probe, at the fewest and the most ranks alone.

    Choices under which the site is not reached are left out, if any other is left.
    """
    reached, choices = _reached(site), Choices()
    untried = _only_compared(factors)
    grids: list[Mapping[World, tuple[int, ...]]] = []
    for ranks in options.ranks if probe is None else (options.ranks[0], options.ranks[-1]):
        value_of = values_at(roles, options, ranks, probe, untried)
        found = worlds((*factors, reached), value_of, choices)
        if found is None:
            found = worlds((*factors, Integer(value=1)), value_of, choices)
        if found is None:
            return ()
        grids.append(found)
    kept = [key for key, values in grids[-1].items() if values[-1]] or list(grids[-1])
    smallest = [min(grid.values(), key=lambda values: math.prod(values[:-1])) for grid in grids]
    return tuple(
        dict.fromkeys(
            Course(
                factors=tuple(
                    grid.get(key, least)[:-1] for grid, least in zip(grids, smallest, strict=True)
                )
            )
            for key in kept
        )
    )


def values_at(
    roles: Roles,
    options: ShardOptions,
    ranks: int,
    probe: Probe | None = None,
    untried: frozenset[Symbol] = frozenset(),
) -> ValueOf:
    """The value of every symbol at a number of ranks; of a probe where nothing is known.

    Those `untried` have none then: a guard that asks for one of them is open.
    """
    most, known = options.ranks[-1], worths(roles.by_symbol, options, ranks)

    def value_of(symbol: Symbol) -> frozenset[int] | int | None:
        found = known(symbol)
        if found is not None or probe is None or symbol in untried:
            return found
        role = roles.by_symbol.get(symbol)
        if isinstance(role, Share):
            over = options.ranks_of(role.dimension.by, ranks)
            total = probe.total * most * (WIDTH if role.dimension.is_width else 1)
            return share(total, over, role.dimension.rounding)
        return _probed(symbol, probe)

    return value_of


def _only_compared(factors: tuple[Extent, ...]) -> frozenset[Symbol]:
    """Symbols of which a grid asks no more than whether they are this or that number."""
    compared = {
        operand
        for factor in factors
        for one in walk(factor)
        if isinstance(one, Arithmetic) and one.operator in ("==", "!=")
        for operand in one.operands
        if isinstance(operand, Symbol) and any(isinstance(it, Integer) for it in one.operands)
    }
    return frozenset(compared) - {one for factor in factors for one in valued(factor)}


def _probed(symbol: Symbol, probe: Probe) -> int:
    if symbol.kind == "constant":
        return probe.constant
    return probe.size + sum(map(ord, symbol.name)) % 7


def _reached(site: LaunchSite) -> Extent:
    """1 where the guards of a site hold, else 0; only what depends on a symbol is asked."""
    guards = [guard for guard in site.guards if symbols(guard)]
    if not guards:
        return Integer(value=1)
    guard = arithmetic("&&", *guards)
    return cases(
        [
            Case(guard=guard, value=Integer(value=1)),
            Case(guard=Integer(value=1), value=Integer(value=0)),
        ]
    )
