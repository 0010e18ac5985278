"""What every symbol of a launch site is: a share, a number that is given or taken, or unknown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from geoaudit.shardcheck import words
from geoaudit.shardcheck.sharding.dimensions import (
    ShardedDimension,
    divided_dimension,
    given_dimension,
    named_dimension,
    rows_dimension,
)
from geoaudit.shardcheck.sharding.divisions import Division, divisions, row_ranges
from geoaudit.shardcheck.sharding.meanings import by_kind, by_meaning, is_divided_out
from geoaudit.shardcheck.sharding.naming import clues_of, means
from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.sharding.positions import (
    position_of,
)
from geoaudit.shardcheck.sharding.worth import (
    Bound,
    Fixed,
    Role,
    Roles,
    Share,
    of_unknown_size,
    worths,
)
from geoaudit.shardcheck.slicing.sites import Axis, LaunchSite
from geoaudit.shardcheck.symbolic.evaluation import evaluate
from geoaudit.shardcheck.symbolic.extents import Arithmetic, Cases, Extent, Integer, Symbol, Unknown
from geoaudit.shardcheck.symbolic.walking import standing_for, symbols, valued


def roles_of(site: LaunchSite, options: ShardOptions) -> Roles:
    """What the symbols in the grid of a site are: by options, by divisions, by names."""
    reading = _Reading(site, options)
    for axis in site.grid:
        reading.read_axis(axis)
    return reading.roles


class _Reading:
    """The roles of one site as they are found, axis by axis."""

    def __init__(self, site: LaunchSite, options: ShardOptions) -> None:
        self.options, self.clues = options, clues_of(site)
        self.hops = site.chain
        self.constants = {constant.symbol: constant.values for constant in site.constants}
        of_numbers = site.language == "manifest"
        self.divisions = [
            one for axis in site.grid for one in divisions(axis.extent, of_numbers=of_numbers)
        ]
        self.found: dict[Symbol, Role] = {}

    @property
    def roles(self) -> Roles:
        """All that was found."""
        certain = [self._divided(division) for division in self.divisions]
        named = [role.dimension for role in self.found.values() if isinstance(role, Share)]
        return Roles(by_symbol=self.found, sharded=tuple(dict.fromkeys((*certain, *named))))

    def _divided(self, division: Division) -> ShardedDimension:
        """What a division divides; a number goes by the name that its share is given."""
        dimension = divided_dimension(division, _totals(self.found))
        if not isinstance(division.total, Integer):
            return dimension
        for hop in self.hops:
            name, _, value = hop.text.partition(" = ")
            if value == dimension.reason:
                return replace(dimension, name=name, reason=f"{value}, {hop.path}:{hop.line}")
        return dimension

    def read_axis(self, axis: Axis) -> None:
        """Add the roles of an axis' symbols."""
        for end, start in row_ranges(axis.extent):
            self.found[start] = Fixed(values=(0,))
            self.found[end] = Share(dimension=rows_dimension(end, start, self.options))
        totals = {one for division in self.divisions for one in symbols(division.total)}
        for symbol in symbols(axis.extent):
            if symbol in self.found:
                continue
            role = self._role(symbol, axis)
            if symbol in totals and isinstance(role, Share):
                role = _undivided(role)
            if role is not None:
                self.found[symbol] = role
        self.found |= self._on_the_way(axis)

    def _role(self, symbol: Symbol, axis: Axis) -> Role | None:
        return (
            self._told(symbol)
            or by_kind(symbol, self.options)
            or self._beyond(symbol)
            or by_meaning(symbol, axis, self.clues, self.options)
        )

    def _told(self, symbol: Symbol) -> Role | None:
        """What the options and the source itself say of a symbol."""
        names = self.clues.names_of(symbol)
        return _told(names, self.options) or _constant(self.constants.get(symbol))

    def _beyond(self, symbol: Symbol) -> Role | None:
        """What a symbol is beyond its file, where options, divisions or numbers give that."""
        bound = self.clues.bindings.get(symbol)
        if bound is None or symbol in symbols(bound):
            return None
        inner = {one: role for one in symbols(bound) if (role := self._inner(one)) is not None}
        found = divisions(bound)
        for division in found:
            for one in symbols(division.total):
                role = inner.get(one) or by_meaning(one, Axis(extent=one), self.clues, self.options)
                total = _undivided(role) if isinstance(role, Share) else role
                if total is not None:
                    inner[one] = total
            if division.whole in _alternatives(bound):
                dimension = replace(divided_dimension(division, _totals(inner)), name=symbol.name)
                return Share(dimension=_rounded_as(dimension, bound))
        if isinstance(bound, Symbol) and bound in inner:
            return inner[bound]
        numbers = evaluate(bound, lambda one: None) if not symbols(bound) else None
        if numbers and min(numbers) > 0 and not self._is_called_sharded(symbol):
            return Fixed(values=tuple(sorted(numbers)), taken="as callers pass")
        if not found and not any(isinstance(role, Share) for role in inner.values()):
            return None
        return self._made_of(symbol, bound, found, inner)

    def _made_of(
        self, symbol: Symbol, bound: Extent, found: Sequence[Division], inner: dict[Symbol, Role]
    ) -> Role:
        """A symbol that is made of something sharded beyond its file, by no division alone."""
        values = [evaluate(bound, worths(inner, self.options, n)) for n in self.options.ranks]
        if all(value is not None and len(value) == 1 for value in values):
            self.divisions += found
            self.found |= inner
            return Bound(extent=bound)
        if found:
            dimension = divided_dimension(found[0], {})
        else:
            dimension = next(one.dimension for one in inner.values() if isinstance(one, Share))
        return Share(dimension=replace(dimension, name=symbol.name, total=None))

    def _inner(self, symbol: Symbol) -> Role | None:
        """What is certain of a symbol beyond the file."""
        return self.found.get(symbol) or self._told(symbol) or by_kind(symbol, self.options)

    def _is_called_sharded(self, symbol: Symbol) -> bool:
        surroundings = self.clues.surroundings
        return any(
            words.dimension_of(name, surroundings) in words.SHARDED_BY
            for name in self.clues.names_of(symbol)
        )

    def _has_meaning(self, symbol: Symbol) -> bool:
        """Whether its names say what it is: a head's size is not made of heads."""
        names = self.clues.names_of(symbol)
        return any(words.dimension_of(one, self.clues.surroundings) for one in names)

    def _on_the_way(self, axis: Axis) -> dict[Symbol, Role]:
        """A role of what no other says, where a name on the way to an axis is of one."""
        of_axis = symbols(axis.extent)
        free = [one for one in of_axis if one not in self.found and one.kind in _FREE]
        free = [one for one in free if not self._has_meaning(one)]
        lost = [one for one in valued(axis.extent) if isinstance(one, Unknown)]
        free += [standing_for(one) for one in reversed(lost)]
        shared = {symbol for division in self.divisions for symbol in symbols(division.whole)}
        if any(one in shared or isinstance(self.found.get(one), Share) for one in of_axis):
            return {}
        positions = filter(None, (position_of(one.name) for one in of_axis))
        if any(is_divided_out(position, axis) for position in positions):
            return {}
        told = _told(axis.symbols, self.options)
        if free and isinstance(told, Share):
            return {free[-1]: of_unknown_size(told.dimension.name, told.dimension)}
        for name in axis.symbols:
            dimension = words.dimension_of(name, self.clues.surroundings) or ""
            if free and dimension in words.SHARDED_BY and position_of(name) is None:
                found = named_dimension(free[-1], dimension, f"{name} is on the way", self.options)
                return {free[-1]: of_unknown_size(name if lost else free[-1].name, found)}
        return {}


_FREE = ("extent", "field", "parameter", "unknown")


def _told(names: Iterable[str], options: ShardOptions) -> Role | None:
    """What the options say of something with these names."""
    names = tuple(names)
    for given in options.dimensions:
        if means(given.name, names):
            return Share(dimension=given_dimension(given, f"--dim {given.name}", is_certain=True))
    for name, value in options.values.items():
        if means(name, names):
            return Fixed(values=(value,))
    return None


def _constant(values: tuple[int, ...] | None) -> Role | None:
    return None if values is None else Fixed(values=values)


def _alternatives(bound: Extent) -> tuple[Extent, ...]:
    """The values that something may have, without a least of 1."""
    values = [case.value for case in bound.cases] if isinstance(bound, Cases) else [bound]
    one = Integer(value=1)
    return tuple(
        part
        for value in values
        for part in (
            value.operands
            if isinstance(value, Arithmetic) and value.operator == "max" and one in value.operands
            else (value,)
        )
    )


def _rounded_as(dimension: ShardedDimension, bound: Extent) -> ShardedDimension:
    has_least = Integer(value=1) in _alternatives(bound)
    return replace(dimension, rounding="at_least_one") if has_least else dimension


def _totals(roles: Mapping[Symbol, Role]) -> dict[Symbol, int]:
    """The values of symbols that something gives."""
    return {
        symbol: role.values[0]
        for symbol, role in roles.items()
        if isinstance(role, Fixed) and not role.taken
    }


def _undivided(role: Share) -> Role | None:
    """The size of a share before the division."""
    total = role.dimension.total
    return None if total is None else Fixed(values=(total,))
