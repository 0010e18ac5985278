"""Extents with parts of them changed."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from geoaudit.shardcheck.symbolic.extents import (
    Arithmetic,
    Cases,
    Extent,
    Repeated,
    Symbol,
    Unknown,
)
from geoaudit.shardcheck.symbolic.making import arithmetic, cases


def substitute(extent: Extent, replacements: Mapping[Symbol, Extent]) -> Extent:
    """The extent with symbols replaced, simplified again; variables of loops stay."""
    if not replacements:
        return extent
    return rebuilt(extent, lambda one: replacements.get(one) if isinstance(one, Symbol) else None)


def rebuilt(extent: Extent, change: Callable[[Extent], Extent | None]) -> Extent:
    """The extent with everything replaced that `change` has something for, simplified again."""
    changed = change(extent)
    if changed is not None:
        return changed
    if isinstance(extent, Arithmetic):
        operands = tuple(rebuilt(operand, change) for operand in extent.operands)
        return extent if operands == extent.operands else arithmetic(extent.operator, *operands)
    if isinstance(extent, Cases):
        return cases(
            replace(case, guard=_optional(case.guard, change), value=rebuilt(case.value, change))
            for case in extent.cases
        )
    if isinstance(extent, Repeated):
        return _loop(extent, change)
    if isinstance(extent, Unknown):
        return replace(extent, parts=tuple(rebuilt(part, change) for part in extent.parts))
    return extent


def _loop(extent: Repeated, change: Callable[[Extent], Extent | None]) -> Repeated:
    def inside(one: Extent) -> Extent | None:
        return None if one in extent.variables else change(one)

    return Repeated(
        variables=extent.variables,
        initial=tuple(rebuilt(initial, change) for initial in extent.initial),
        condition=_optional(extent.condition, inside),
        steps=tuple(rebuilt(step, inside) for step in extent.steps),
        result=rebuilt(extent.result, inside),
    )


def _optional(extent: Extent | None, change: Callable[[Extent], Extent | None]) -> Extent | None:
    return None if extent is None else rebuilt(extent, change)
