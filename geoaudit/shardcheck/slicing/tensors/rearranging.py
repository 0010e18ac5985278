"""Patterns of einops: ``"b l (h d) -> b l h d"``."""

import re
from collections.abc import Callable, Mapping

from geoaudit.shardcheck.slicing.sequences import concatenated
from geoaudit.shardcheck.slicing.tensors import shapes
from geoaudit.shardcheck.slicing.values import (
    Items,
    Quantity,
    Value,
    computed,
    number,
)

_AXIS = re.compile(r"\([^()]*\)|\S+")
_MANY = "..."


def rearranged(
    found: Items,
    pattern: str,
    sizes: Mapping[str, Value],
    number_of: Callable[[Value], Quantity],
) -> Items | None:
    """The extents that ``rearrange`` makes of others; None: the pattern is not understood."""
    before, arrow, after = pattern.partition("->")
    left, right = _AXIS.findall(before), _AXIS.findall(after)
    if not arrow or not left or left.count(_MANY) > 1:
        return None
    known = {name: number_of(value) for name, value in sizes.items()}
    many = left.index(_MANY) if _MANY in left else None
    for place, axis in enumerate(left):
        if axis == _MANY:
            continue
        is_after = many is not None and place > many
        extent = shapes.at(found, place - len(left) if is_after else place)
        if extent is None:
            return None
        _learn(axis, number_of(extent), known)
    parts: list[Items] = []
    for axis in right:
        if axis == _MANY and many is not None:
            parts.append(_middle(found, many, len(left) - 1 - many))
            continue
        names = axis.strip("()").split()
        if any(not name.isdigit() and name not in known for name in names):
            return None
        parts.append(Items(values=(_product(names, known),)))
    return concatenated(parts)


def _learn(axis: str, extent: Quantity, known: dict[str, Quantity]) -> None:
    """Note the sizes of the names in an axis of the left side."""
    names = axis.strip("()").split()
    open_ = [name for name in names if not name.isdigit() and name not in known]
    if len(open_) != 1:
        return
    others = [name for name in names if name != open_[0]]
    known[open_[0]] = computed("//", [extent, _product(others, known)]) if others else extent


def _product(names: list[str], known: Mapping[str, Quantity]) -> Quantity:
    values = [number(int(name)) if name.isdigit() else known[name] for name in names]
    return computed("*", values) if values else number(1)


def _middle(found: Items, before: int, after: int) -> Items:
    if found.back:
        return Items(values=found.values[before:], back=found.back[after:])
    return Items(values=found.values[before : len(found.values) - after])
