"""Which of several functions of one name a call means, by what its arguments look like."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.slicing.calls.arguments import accepts
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.scopes import known_types
from geoaudit.shardcheck.slicing.values import Items, Quantity, Record, Reference, is_unknown

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


def fitting(
    slicer: "Slicer",
    functions: Sequence[IndexedFunction],
    call: e.Call,
    frame: Frame,
    point: Point,
) -> list[IndexedFunction]:
    """The functions that can take a call's arguments, by their number, then by their form."""
    found = [one for one in functions if accepts(one, call)]
    if len({_shape(one) for one in found}) < 2:
        return found
    is_structure = [
        _is_structure(slicer, one, frame, point) if _matters(found, place) else None
        for place, one in enumerate(call.arguments)
    ]
    return [one for one in found if _takes(slicer, one, is_structure)] or found


def _shape(function: IndexedFunction) -> tuple[bool, ...]:
    return tuple(_is_number(function, place) for place in range(len(function.own_parameters)))


def _is_number(function: IndexedFunction, place: int) -> bool:
    parameters = function.own_parameters
    if place >= len(parameters) or "*" in parameters[place].type:
        return False
    return known_types.is_number(known_types.bare(parameters[place].type))


def _matters(functions: Sequence[IndexedFunction], place: int) -> bool:
    """Whether some of the functions take a number at a place, and others do not."""
    return len({_is_number(one, place) for one in functions}) > 1


def _is_structure(slicer: "Slicer", node: e.Expression, frame: Frame, point: Point) -> bool | None:
    """Whether an argument is a structure rather than a number; None: it cannot be told."""
    if isinstance(node, e.Collection):
        return len(node.items) != 1 or bool(node.type)
    value = slicer.value(node, frame, point)
    match value:
        case Items() | Record():
            return True
        case Quantity() if not is_unknown(value):
            return False
        case Reference(type=type) if known_types.is_number(known_types.bare(type)):
            return False if "*" not in type else None
        case _:
            return None


def _takes(
    slicer: "Slicer", function: IndexedFunction, is_structure: Sequence[bool | None]
) -> bool:
    """Whether no structure is given where a number is taken, and the reverse."""
    for place, one in enumerate(is_structure):
        if one and _is_number(function, place):
            return False
        if one is False and _is_of_class(slicer, function, place):
            return False
    return True


def _is_of_class(slicer: "Slicer", function: IndexedFunction, place: int) -> bool:
    parameters = function.own_parameters
    type = known_types.bare(parameters[place].type) if place < len(parameters) else ""
    return type == "dim3" or type in slicer.program.classes
