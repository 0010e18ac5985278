"""What every symbol of a launch site is: a share, a number that is given or taken, or unknown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from geoaudit.shardcheck.report import ShardedDimension
from geoaudit.shardcheck.sharding import words
from geoaudit.shardcheck.sharding.divisions import Division, divisions, row_ranges
from geoaudit.shardcheck.sharding.options import GivenDimension, ShardOptions
from geoaudit.shardcheck.sharding.positions import Position, dimension_at, is_named, position_of
from geoaudit.shardcheck.slicing.sites import Axis, LaunchSite
from geoaudit.shardcheck.symbolic.evaluation import evaluate
from geoaudit.shardcheck.symbolic.extents import Extent, Symbol
from geoaudit.shardcheck.symbolic.walking import symbols
from geoaudit.shardcheck.symbolic.wording import as_text


@dataclass(frozen=True, kw_only=True)
class Share:
    """A number that each rank has its share of. ``dimension.total`` None: not known.

    ``value``: what it is beyond its file, where all that it is made of is known: ``inner``.
    """

    dimension: ShardedDimension
    value: Extent | None = None
    inner: tuple[tuple[Symbol, "Role"], ...] = ()


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


Role = Share | Fixed | Ranks


@dataclass(frozen=True, kw_only=True)
class _Clues:
    """What helps to read a symbol: text around its launch, its variables, what it is elsewhere."""

    surroundings: str
    aliases: Mapping[Symbol, tuple[str, ...]]
    bindings: Mapping[Symbol, Extent]


@dataclass(frozen=True, kw_only=True)
class Roles:
    """What the symbols of a site's grid are.

    Attributes:
        by_symbol: symbols that something is known of.
        sharded: the dimensions in them, divisions first.
    """

    by_symbol: Mapping[Symbol, Role]
    sharded: tuple[ShardedDimension, ...]


def roles_of(site: LaunchSite, options: ShardOptions) -> Roles:
    """What the symbols in the grid of a site are: by options, by divisions, by names."""
    roles: dict[Symbol, Role] = {}
    found = [division for axis in site.grid for division in divisions(axis.extent)]
    totals = {symbol for division in found for symbol in symbols(division.total)}
    values = {constant.symbol: constant.values for constant in site.constants}
    clues = _Clues(
        surroundings=f"{site.kernel} {site.function} {site.path}".lower(),
        aliases=dict(site.aliases),
        bindings=dict(site.bindings),
    )
    for axis in site.grid:
        for end, start in row_ranges(axis.extent):
            roles[start] = Fixed(values=(0,))
            roles[end] = Share(dimension=_rows(end, start, options))
        for symbol in symbols(axis.extent):
            if symbol in roles:
                continue
            role = _told(symbol, options, values, clues.aliases) or _by_kind(symbol, options)
            role = role or _by_binding(symbol, clues, roles, options)
            role = role or _by_meaning(symbol, axis, clues, options)
            if symbol in totals and isinstance(role, Share):
                total = role.dimension.total
                role = None if total is None else Fixed(values=(total,))
            if role is not None:
                roles[symbol] = role
        roles |= _on_the_way(axis, roles, found, clues, options)
    certain = [_certain(division, roles) for division in found]
    named = [role.dimension for role in roles.values() if isinstance(role, Share)]
    return Roles(by_symbol=roles, sharded=tuple(dict.fromkeys((*certain, *named))))


def _told(
    symbol: Symbol,
    options: ShardOptions,
    constants: Mapping[Symbol, tuple[int, ...]],
    aliases: Mapping[Symbol, tuple[str, ...]],
) -> Role | None:
    """What the options and the source itself say of a symbol."""
    names = (symbol.name, *aliases.get(symbol, ()))
    for given in options.dimensions:
        meant = next((name for name in names if is_named(name, given.name)), None)
        if meant is not None:
            return Share(dimension=_given(meant, given, f"--dim {given.name}", is_certain=True))
    for wanted, value in options.values.items():
        if any(is_named(name, wanted) for name in names):
            return Fixed(values=(value,))
    return Fixed(values=constants[symbol]) if symbol in constants else None


def _by_kind(symbol: Symbol, options: ShardOptions) -> Role | None:
    if symbol.kind == "parallel_size":
        return Ranks(kind=words.parallel_kind(symbol.name) or "tp")
    if symbol.kind == "rank":
        return Fixed(values=(0,), taken="the first rank")
    if symbol.kind == "sm_count":
        return Fixed(values=(options.sms,))
    if symbol.kind == "occupancy":
        return Fixed(values=(1, 2), taken="resident blocks of an SM")
    return None


def _by_binding(
    symbol: Symbol, clues: _Clues, roles: Mapping[Symbol, Role], options: ShardOptions
) -> Role | None:
    """What a symbol is beyond its file: a number, or a share."""
    bound = clues.bindings.get(symbol)
    if bound is None:
        return None
    found = divisions(bound)
    inner = _inner_roles(bound, found, clues, roles, options)
    is_known = len(inner) == len(symbols(bound))
    named = [role.dimension for role in inner.values() if isinstance(role, Share)]
    dimensions = [*(_certain(division, inner) for division in found), *named]
    if dimensions:
        return Share(
            dimension=replace(dimensions[0], name=symbol.name),
            value=bound if is_known else None,
            inner=tuple(inner.items()),
        )
    numbers = {
        one: frozenset(role.values) for one, role in inner.items() if isinstance(role, Fixed)
    }
    if not is_known or len(numbers) < len(inner):
        return None
    values = evaluate(bound, numbers.get)
    taken = next(
        (role.taken for role in inner.values() if isinstance(role, Fixed) and role.taken), ""
    )
    sizes = tuple(sorted(value for value in values or () if value > 0))  # None is written for none
    return Fixed(values=sizes, taken=taken) if sizes else None


def _inner_roles(
    bound: Extent,
    found: Iterable[Division],
    clues: _Clues,
    roles: Mapping[Symbol, Role],
    options: ShardOptions,
) -> dict[Symbol, Role]:
    """What the symbols are that a symbol is made of beyond its file; what ranks divide is whole."""
    totals = {one for division in found for one in symbols(division.total)}
    inner: dict[Symbol, Role] = {}
    for one in symbols(bound):
        role = roles.get(one) or _told(one, options, {}, {}) or _by_kind(one, options)
        role = role or _by_meaning(one, Axis(extent=one), clues, options)
        if one in totals and isinstance(role, Share):
            total = role.dimension.total
            role = None if total is None else Fixed(values=(total,))
        if role is not None:
            inner[one] = role
    return inner


def _by_meaning(symbol: Symbol, axis: Axis, clues: _Clues, options: ShardOptions) -> Role | None:
    """What a symbol's names, its position in a tensor, or what it is elsewhere says."""
    dimension, why = _meaning(symbol, axis, clues)
    if dimension in words.SHARDED_BY and symbol.kind != "constant":
        return Share(dimension=_named(symbol, dimension, why, options))
    if dimension == words.BATCH:
        return Fixed(values=(options.batch,), taken=f"the batch, {why}")
    if dimension == words.CONTEXT:
        return Fixed(values=(options.context,), taken=f"the context, {why}")
    size = options.model.get(dimension) if dimension else None
    return None if size is None else Fixed(values=(size,), taken=f"the model's {dimension}, {why}")


def _meaning(symbol: Symbol, axis: Axis, clues: _Clues) -> tuple[str, str]:
    """The dimension a symbol stands for, and why; both empty where nothing tells."""
    position = position_of(symbol.name)
    aliases = clues.aliases.get(symbol, ())
    if position is not None:
        others: Iterable[Position] = filter(None, map(position_of, axis.symbols))
        found = dimension_at(position, aliases or axis.symbols, others, clues.surroundings)
        if found is not None:
            return found
    for name, why in ((symbol.name, "by its name"), *((one, f"named {one}") for one in aliases)):
        dimension = words.dimension_of(name, clues.surroundings)
        if dimension is not None and position_of(name) is None:
            return dimension, why
    return _meaning_beyond(symbol, clues)


def _meaning_beyond(symbol: Symbol, clues: _Clues) -> tuple[str, str]:
    """What a symbol is beyond its file, where that is one name, or a product with a sharded one."""
    bound = clues.bindings.get(symbol)
    found = () if bound is None else symbols(bound)
    for one in found:
        dimension = words.dimension_of(one.name, clues.surroundings) or ""
        if dimension in words.SHARDED_BY or bound == one:
            return dimension, f"it is {as_text(bound or one, 60)}"
    return "", ""


def _on_the_way(
    axis: Axis,
    roles: Mapping[Symbol, Role],
    found: Iterable[Division],
    clues: _Clues,
    options: ShardOptions,
) -> dict[Symbol, Role]:
    """A share, where a name on the way to an axis is of one and no symbol of it is known to be."""
    of_axis = symbols(axis.extent)
    shared = {symbol for division in found for symbol in symbols(division.whole)}
    if any(symbol in shared or isinstance(roles.get(symbol), Share) for symbol in of_axis):
        return {}
    free = [one for one in of_axis if one not in roles and one.kind in ("extent", "field")]
    for name in axis.symbols:
        dimension = words.dimension_of(name, clues.surroundings) or ""
        if free and dimension in words.SHARDED_BY and position_of(name) is None:
            why = f"{name} is on the way"
            return {free[-1]: Share(dimension=_named(free[-1], dimension, why, options))}
    return {}


def _named(symbol: Symbol, dimension: str, why: str, options: ShardOptions) -> ShardedDimension:
    for given in options.dimensions:
        if words.dimension_of(given.name) == dimension:
            return _given(symbol.name, given, f"{why}, as --dim {given.name}", is_certain=False)
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
    )


def _given(name: str, given: GivenDimension, reason: str, *, is_certain: bool) -> ShardedDimension:
    return ShardedDimension(
        name=name,
        rounding=given.rounding,
        by=given.by,
        total=given.total,
        reason=reason,
        is_certain=is_certain,
    )


def _rows(end: Symbol, start: Symbol, options: ShardOptions) -> ShardedDimension:
    given = next((one for one in options.dimensions if is_named(end.name, one.name)), None)
    return ShardedDimension(
        name=f"{end.name} - {start.name}",
        rounding="floor",
        by="tp",
        total=None if given is None else given.total,
        reason=f"a rank's rows of a weight matrix, {end.path}:{end.line}",
        is_certain=True,
    )


def _certain(division: Division, roles: Mapping[Symbol, Role]) -> ShardedDimension:
    total = symbols(division.total)
    role = roles.get(total[0]) if len(total) == 1 and division.total == total[0] else None
    where = f", {division.size.path}:{division.size.line}" if division.size.path else ""
    return ShardedDimension(
        name=as_text(division.total, 60),
        rounding=division.rounding,
        by=division.by,
        total=role.values[0] if isinstance(role, Fixed) and not role.taken else None,
        reason=f"{as_text(division.whole, 80)}{where}",
        is_certain=True,
    )
