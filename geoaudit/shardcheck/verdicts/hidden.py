"""What is not followed, and whether it can hold something sharded all the same."""

import re

from geoaudit.shardcheck.sharding.words import SHARDED_BY, dimension_of, is_sequence
from geoaudit.shardcheck.sharding.worth import Fixed, Roles
from geoaudit.shardcheck.symbolic.extents import Unknown
from geoaudit.shardcheck.symbolic.walking import symbols

_NAME = re.compile(r"[A-Za-z_]\w*")


def holds_nothing_sharded(lost: Unknown, roles: Roles) -> bool:
    """Whether everything that an unknown part is told to be made of is of the input or a constant.

    Lengths of sequences, numbers of tokens, batch and context are the input's. A part of which
    nothing is told may hold anything.
    """
    made_of = [one.name for one in symbols(lost) if not isinstance(roles.by_symbol.get(one), Fixed)]
    words = [*made_of, *_NAME.findall(lost.reason)]
    if any(dimension_of(word) in SHARDED_BY for word in words):
        return False
    if symbols(lost):
        return all(_is_of_input(name) for name in made_of)
    return any(_is_of_input(word) for word in _NAME.findall(lost.reason))


def _is_of_input(name: str) -> bool:
    return is_sequence(name) or (dimension_of(name) or "heads") not in SHARDED_BY
