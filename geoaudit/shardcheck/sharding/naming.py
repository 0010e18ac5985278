"""Everything a symbol of a grid is called on its way, and whether an option means it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from geoaudit.shardcheck.sharding.positions import position_of
from geoaudit.shardcheck.slicing.sites import LaunchSite
from geoaudit.shardcheck.symbolic.extents import Extent, Symbol
from geoaudit.shardcheck.words import HEADS, KV_HEADS, VALUE_HEADS, dimension_of, words_of

_HEADS = (HEADS, KV_HEADS, VALUE_HEADS)


@dataclass(frozen=True, kw_only=True)
class Clues:
    """What helps to read the symbols of a site.

    Attributes:
        surroundings: kernel, function and path, in lower case.
        names: of symbols, as written first, then the variables that were given exactly it.
        bindings: of symbols, what they are beyond the site's file.
        has_width: a width is among the names of the grid.
        tensors_with_heads: tensors of which an extent is called heads.
    """

    surroundings: str
    names: Mapping[Symbol, tuple[str, ...]]
    bindings: Mapping[Symbol, Extent]
    has_width: bool = False
    tensors_with_heads: frozenset[str] = frozenset()

    def is_height(self, name: str) -> bool:
        """Whether a name that may be heads is the height beside a width."""
        return self.has_width and name.rpartition(".")[2].lower() in ("h", "height")

    def names_of(self, symbol: Symbol) -> tuple[str, ...]:
        """All names of a symbol, as written first."""
        return self.names.get(symbol, (symbol.name,))


def clues_of(site: LaunchSite) -> Clues:
    """What helps to read the symbols of a site."""
    names = {symbol: (symbol.name, *aliases) for symbol, aliases in site.aliases}
    surroundings = f"{site.kernel} {site.function} {site.path}".lower()
    return Clues(
        surroundings=surroundings,
        tensors_with_heads=_tensors_with_heads(site, surroundings),
        names=names,
        bindings=dict(site.bindings),
        has_width=any(
            name.lower() in ("w", "width") for axis in site.grid for name in axis.symbols
        ),
    )


def _tensors_with_heads(site: LaunchSite, surroundings: str) -> frozenset[str]:
    return frozenset(
        position.tensor
        for symbol, aliases in site.aliases
        if (position := position_of(symbol.name)) is not None
        and any(dimension_of(alias, surroundings) in _HEADS for alias in aliases)
    )


def means(option: str, names: Iterable[str]) -> bool:
    """Whether an option's name is one of a symbol's: whole, its last part, or the same extent.

    >>> means("n_head", ["params.n_head_"]), means("q.shape[1]", ["q.size(1)"])
    (True, True)
    >>> means("head", ["n_head"])
    False
    """
    position = position_of(option)
    return any(
        name == option
        or _last(name) == option
        or (position is not None and position_of(name) == position)
        for name in names
    )


def _last(name: str) -> str:
    last = name.replace("::", ".").replace("()", "").rpartition(".")[2].strip("_")
    return last if words_of(last) else name
