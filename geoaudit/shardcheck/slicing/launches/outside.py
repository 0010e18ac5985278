"""What the roots of a site are beyond its file: callers elsewhere, fields, tensors."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.scopes import members, parameters
from geoaudit.shardcheck.slicing.values import Reference, Value
from geoaudit.shardcheck.symbolic.extents import Extent, Symbol

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_FOLLOWED = frozenset({"parameter", "field", "extent"})


def bindings(
    slicer: "Slicer", beyond: Sequence["Slicer"], known: Iterable[Symbol]
) -> tuple[tuple[Symbol, Extent], ...]:
    """For each symbol of a site that is followed beyond its file, what it is there.

    Args:
        slicer: that has found the symbols.
        beyond: those that cross files, asked in turn: where one takes too long, the next.
        known: the symbols.
    """
    found: list[tuple[Symbol, Extent]] = []
    for symbol in sorted(known, key=lambda one: (one.name, one.scope)):
        origin = slicer.origins.get(symbol)
        if symbol.kind not in _FOLLOWED or origin is None:
            continue
        if symbol not in slicer.program.bindings:
            answers = (_outside(one, origin) for one in beyond)
            slicer.program.bindings[symbol] = next(
                (one for one in answers if one is not None), None
            )
        extent = slicer.program.bindings[symbol]
        if extent is not None and extent != symbol:
            found.append((symbol, extent))
    return tuple(found)


def _outside(beyond: "Slicer", origin: Reference) -> Extent | None:
    """What a symbol is beyond its file; None: it takes too many steps."""
    beyond.begin()
    value = as_quantity(beyond, _followed(beyond, origin), origin.text)
    return None if beyond.is_too_long else value.extent


def _followed(beyond: "Slicer", reference: Reference) -> Value:
    if reference.of is not None:
        base = _followed(beyond, reference.of)
        if base == reference.of and reference.kind == "extent":
            return reference
        return _part(beyond, base, reference)
    if reference.kind != "parameter":
        return reference
    function = beyond.program.named(reference.path, reference.scope, reference.line)
    if function is None:
        return reference
    frame = beyond.open_frame(function)
    for parameter in function.function.parameters:
        if parameter.name == reference.text:
            return parameters.value_of(beyond, frame, parameter)
    return reference


def _part(beyond: "Slicer", base: Value, reference: Reference) -> Value:
    member = reference.member
    if member.startswith("[") and member[1:-1].lstrip("-").isdigit():
        return members.item(beyond, base, int(member[1:-1]), reference.text)
    if member == "len":
        return members.item(beyond, members.member(beyond, base, "shape"), 0, reference.text)
    if member.startswith(("[", "view[", "shape[")) or member == "numel":
        return reference
    return members.member(beyond, base, member)
