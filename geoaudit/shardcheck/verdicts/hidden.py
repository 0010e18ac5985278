"""What is not followed, and whether it can hold something sharded all the same."""

import re

from geoaudit.shardcheck.sharding.worth import Fixed, Roles
from geoaudit.shardcheck.slicing.sites import Axis, LaunchSite
from geoaudit.shardcheck.symbolic.extents import Unknown
from geoaudit.shardcheck.symbolic.walking import symbols, valued
from geoaudit.shardcheck.words import SHARDED_BY, dimension_of, is_sequence

_NAME = re.compile(r"[A-Za-z_]\w*")
_ELEMENTS = re.compile(r"(?:.*[._])?(?:n_?elements?|numel|num_elements|n_?rows?)(?:\(\))?")


def lost_parts(site: LaunchSite, roles: Roles) -> tuple[Unknown, ...]:
    """Parts of a grid that are not followed and may hold something sharded."""
    found: list[Unknown] = []
    for axis in site.grid:
        names = _names_of_lost(axis, site)
        found += [
            part
            for part in valued(axis.extent)
            if isinstance(part, Unknown) and not _holds_nothing_sharded(part, names, roles)
        ]
    return tuple(found)


def _names_of_lost(axis: Axis, site: LaunchSite) -> frozenset[str]:
    """Names on the way to an axis that are of no part of it that is known."""
    lost = [one for one in valued(axis.extent) if isinstance(one, Unknown)]
    within = {one for part in lost for one in symbols(part)}
    known = set(symbols(axis.extent)) - within
    named = {alias for symbol, aliases in site.aliases if symbol in known for alias in aliases}
    return frozenset(axis.symbols) - {one.name for one in known} - named


def _holds_nothing_sharded(lost: Unknown, names: frozenset[str], roles: Roles) -> bool:
    """Whether what an unknown part is told to be made of is of the input, or constant.

    Lengths of sequences, numbers of tokens, batch and context are the input's. A part of which
    nothing is told may hold anything.
    """
    found = symbols(lost)
    made_of = [one.name for one in found if not isinstance(roles.by_symbol.get(one), Fixed)]
    told = [*made_of, *_NAME.findall(lost.reason), *names]
    if any(dimension_of(name) in SHARDED_BY for name in told):
        return False
    if found and all(_is_of_input(name) for name in made_of):
        return True
    return any(_is_of_input(name) for name in (*_NAME.findall(lost.reason), *names))


def _is_of_input(name: str) -> bool:
    if _ELEMENTS.fullmatch(name):
        return True
    return is_sequence(name) or (dimension_of(name) or "heads") not in SHARDED_BY
