"""What the roots of a site are beyond its file: callers elsewhere, fields, tensors."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.scopes import members, parameters
from geoaudit.shardcheck.slicing.values import Reference, Value
from geoaudit.shardcheck.symbolic.extents import Extent, Symbol

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_FOLLOWED = frozenset({"parameter", "field", "extent"})


def bindings(
    slicer: "Slicer", beyond: "Slicer", known: Iterable[Symbol]
) -> tuple[tuple[Symbol, Extent], ...]:
    """For each symbol of a site that is followed beyond its file, what it is there.

    Args:
        slicer: that has found the symbols.
        beyond: that crosses files.
        known: the symbols.
    """
    found: list[tuple[Symbol, Extent]] = []
    for symbol in sorted(known, key=lambda one: (one.name, one.scope)):
        origin = slicer.origins.get(symbol)
        if symbol.kind not in _FOLLOWED or origin is None:
            continue
        key = (symbol, id(beyond))
        if key not in slicer.program.bindings:
            beyond.begin()
            value = as_quantity(beyond, _followed(beyond, origin), origin.text)
            slicer.program.bindings[key] = None if beyond.is_too_long else value.extent
        extent = slicer.program.bindings[key]
        if extent is not None and extent != symbol:
            found.append((symbol, extent))
    return tuple(found)


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
