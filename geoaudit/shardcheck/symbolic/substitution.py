"""Other extents in place of symbols."""

from collections.abc import Mapping

from geoaudit.shardcheck.symbolic.extents import (
    Arithmetic,
    Case,
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
    if isinstance(extent, Symbol):
        return replacements.get(extent, extent)
    if isinstance(extent, Arithmetic):
        operands = tuple(substitute(operand, replacements) for operand in extent.operands)
        return extent if operands == extent.operands else arithmetic(extent.operator, *operands)
    if isinstance(extent, Cases):
        return cases(
            Case(
                guard=None if case.guard is None else substitute(case.guard, replacements),
                value=substitute(case.value, replacements),
                text=case.text,
            )
            for case in extent.cases
        )
    if isinstance(extent, Repeated):
        return _in_loop(extent, replacements)
    if isinstance(extent, Unknown):
        parts = tuple(substitute(part, replacements) for part in extent.parts)
        return Unknown(reason=extent.reason, parts=parts)
    return extent


def _in_loop(extent: Repeated, replacements: Mapping[Symbol, Extent]) -> Repeated:
    inner = {
        symbol: replacement
        for symbol, replacement in replacements.items()
        if symbol not in extent.variables
    }
    return Repeated(
        variables=extent.variables,
        initial=tuple(substitute(initial, replacements) for initial in extent.initial),
        condition=None if extent.condition is None else substitute(extent.condition, inner),
        steps=tuple(substitute(step, inner) for step in extent.steps),
        result=substitute(extent.result, inner),
    )
