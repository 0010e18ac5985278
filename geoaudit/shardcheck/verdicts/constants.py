"""Constants that a grid has outgrown: one that binds, one that is a device's or a model's size."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from geoaudit.devices.table import all_devices
from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.sharding.worth import Fixed, Roles
from geoaudit.shardcheck.slicing.sites import LaunchConstant, LaunchSite
from geoaudit.shardcheck.symbolic.extents import Arithmetic, Extent, Integer
from geoaudit.shardcheck.symbolic.making import arithmetic
from geoaudit.shardcheck.symbolic.substitution import rebuilt
from geoaudit.shardcheck.symbolic.walking import symbols, walk
from geoaudit.shardcheck.symbolic.wording import as_text
from geoaudit.shardcheck.verdicts.grids import courses, factors_of
from geoaudit.shardcheck.words import SHARDED_BY, dimension_of, words_of

_MEASURED = re.compile(
    r"measur|tuned|benchmark|profil|swept|sweep|empiric|best (?:at|for|on)|optimal (?:at|for|on)|"
    r"fastest|chosen (?:at|for|on)",
    re.IGNORECASE,
)
_SHAPE = re.compile(
    r"\b[ABHLVT]\d{1,3}0s?\b|\bGB?\d00\b|\bMI\d{3}\b|\bRTX\b|\bSMs?\b|\d+\s*(?:k\b|heads|tokens|ctx|"
    r"experts|layers|blocks)|(?:ctx|context|heads?|batch|tp|len|seq\w*|n_\w+)\s*(?:=|of|:)?\s*\d",
    re.IGNORECASE,
)
_OF_DEVICES = {"sm", "sms", "cta", "ctas", "multiprocessor", "multiprocessors", "cus", "grid"}
_OF_BLOCKS = {"block", "warp", "warps", "tile", "thread", "threads", "chunk", "rows", "tokens"}
_LEAST_TELLING = 24
"""Smaller numbers equal a dimension by chance."""


@dataclass(frozen=True, kw_only=True)
class StaleConstant:
    """A constant that a grid has outgrown.

    Attributes:
        constant: with its name, place and remark; None: a number in the text.
        value: of it.
        why: ``binds``, ``sm_count``, ``dimension``, ``measured``.
        told: what it equals, what it binds against, or its remark.
        ranks: where it binds; None: it does not.
        blocks, blocks_without: there, with it and without it; 0 where it does not bind.
    """

    constant: LaunchConstant | None
    value: int
    why: str
    told: str
    ranks: int | None = None
    blocks: int = 0
    blocks_without: int = 0

    @property
    def label(self) -> str:
        """Its name, value and place, or the number as written."""
        if self.constant is None:
            return f"{self.value:,}"
        symbol = self.constant.symbol
        place = f" ({symbol.path}:{symbol.line})" if symbol.path else ""
        return f"{symbol.name} = {self.value:,}{place}"


def binding_constant(site: LaunchSite, roles: Roles, options: ShardOptions) -> StaleConstant | None:
    """The constant that keeps a grid from reaching the device at some number of ranks.

    It is an operand of a minimum or a maximum made of constants and, at most, batch and context;
    without it the grid has a block for every SM. None: there is none, or the grid is not known.
    """
    with_it = _fewest(site, roles, options)
    if with_it is None or min(with_it) >= options.sms:
        return None
    for node, operand in _bounds(site, roles):
        without = _fewest(_without(site, node, operand), roles, options)
        if without is None:
            continue
        for ranks, here, free in zip(options.ranks, with_it, without, strict=True):
            if here < options.sms <= free:
                rest = tuple(one for one in node.operands if one != operand)
                constant, value = _constant_in(operand, site)
                return StaleConstant(
                    constant=constant,
                    value=value,
                    why="binds",
                    told=as_text(arithmetic(node.operator, *rest), 80),
                    ranks=ranks,
                    blocks=here,
                    blocks_without=free,
                )
    return None


def telling_constants(site: LaunchSite, options: ShardOptions) -> Iterator[StaleConstant]:
    """Constants in a grid that equal an SM count or a model's size, or were measured on a shape."""
    in_grid = {symbol for axis in site.grid for symbol in symbols(axis.extent)}
    for constant in site.constants:
        if constant.symbol not in in_grid or len(constant.values) != 1:
            continue
        value = constant.values[0]
        device, dimension = _device(value, constant), _dimension(value, constant, options)
        remark = constant.remark
        told = device or dimension or remark
        if device or dimension:
            why = "sm_count" if device else "dimension"
            yield StaleConstant(constant=constant, value=value, why=why, told=told)
        elif _MEASURED.search(remark) and _SHAPE.search(remark):
            yield StaleConstant(constant=constant, value=value, why="measured", told=told)
    for factor in factors_of(site):
        if (
            isinstance(factor, Integer)
            and factor.value % 16
            and factor.value >= 100
            and _devices(factor.value)
        ):
            told = _devices(factor.value)
            yield StaleConstant(constant=None, value=factor.value, why="sm_count", told=told)


def _fewest(site: LaunchSite, roles: Roles, options: ShardOptions) -> tuple[int, ...] | None:
    found = courses(site, factors_of(site), roles, options)
    if not found:
        return None
    return tuple(map(min, zip(*(course.blocks for course in found), strict=True)))


def _bounds(site: LaunchSite, roles: Roles) -> Iterator[tuple[Arithmetic, Extent]]:
    """Minimums and maximums in a grid with an operand that only constants decide."""
    seen = set()
    for axis in site.grid:
        for node in walk(axis.extent):
            if isinstance(node, Arithmetic) and node.operator in ("min", "max"):
                for operand in node.operands:
                    if (node, operand) not in seen and _is_constant(operand, roles):
                        seen.add((node, operand))
                        yield node, operand


def _is_constant(operand: Extent, roles: Roles) -> bool:
    found = symbols(operand)
    if any(symbol.kind in ("sm_count", "occupancy") for symbol in found):
        return False
    if not all(isinstance(roles.by_symbol.get(symbol), Fixed) for symbol in found):
        return False
    return any(symbol.kind == "constant" for symbol in found) or any(
        isinstance(one, Integer) and one.value > 1 for one in walk(operand)
    )


def _without(site: LaunchSite, node: Arithmetic, operand: Extent) -> LaunchSite:
    rest = tuple(one for one in node.operands if one != operand)
    free = arithmetic(node.operator, *rest)

    def change(extent: Extent) -> Extent | None:
        return free if extent == node else None

    x, y, z = (replace(axis, extent=rebuilt(axis.extent, change)) for axis in site.grid)
    return replace(site, grid=(x, y, z))


def _constant_in(operand: Extent, site: LaunchSite) -> tuple[LaunchConstant | None, int]:
    """The named constant in an operand and its value; else the largest number in it."""
    named = {constant.symbol: constant for constant in site.constants}
    for symbol in symbols(operand):
        if symbol in named:
            return named[symbol], min(named[symbol].values)
    numbers = [one.value for one in walk(operand) if isinstance(one, Integer)]
    return None, max(numbers, default=0)


def _device(value: int, constant: LaunchConstant) -> str:
    """A device with that many SMs, where the name says SMs or the number is no power or tile.

    Where the name says a dimension of a model the number is that.
    """
    is_named = bool(_OF_DEVICES & _words(constant))
    is_size = value % 16 and dimension_of(constant.symbol.name) is None
    return _devices(value) if is_named or is_size else ""


@lru_cache
def _devices(value: int) -> str:
    """Names of devices with that many SMs; empty: none, or so few that the number says nothing."""
    names = [device.name for device in all_devices() if device.sm_count == value]
    return f"the SM count of {names[0]}" if names and value >= 40 else ""


def _words(constant: LaunchConstant) -> set[str]:
    return set(words_of(constant.symbol.name))


def _dimension(value: int, constant: LaunchConstant, options: ShardOptions) -> str:
    """A sharded dimension with that size before the division, where the name does not deny it."""
    named = dimension_of(constant.symbol.name)
    is_telling = value >= _LEAST_TELLING and value % 16 and not _OF_BLOCKS & _words(constant)
    for given in options.dimensions:
        is_same = named is not None and named == dimension_of(given.name)
        if given.total == value and (is_same or is_telling):
            return f"{given.name} before it is divided"
    for dimension, size in options.model.items():
        if size == value and dimension in SHARDED_BY and named == dimension:
            return f"the model's {dimension.replace('_', ' ')} before they are divided"
    return ""
