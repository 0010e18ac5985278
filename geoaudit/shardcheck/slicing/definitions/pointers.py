"""Pointers to local variables, so that what is written through them is seen."""

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.slicing.index import IndexedFunction
from geoaudit.shardcheck.slicing.points import Place

_KNOWN: dict[int, tuple[IndexedFunction, dict[str, str]]] = {}


def pointers_of(function: IndexedFunction) -> dict[str, str]:
    """Variables that are declared as the address of another -> the other."""
    known = _KNOWN.get(id(function))
    if known is None or known[0] is not function:
        known = (function, _pointers(function) if function.file.language == "c" else {})
        _KNOWN[id(function)] = known
    return known[1]


def _pointers(function: IndexedFunction) -> dict[str, str]:
    found: dict[str, str] = {}
    for point in function.points:
        match point.statement:
            case s.Assign(
                target=e.Name(text=pointer),
                value=e.Operation(operator="&", operands=(e.Name(text=variable),)),
                type=type,
            ) if type:
                found[pointer] = variable
            case _:
                continue
    return found


def pointed_at(function: IndexedFunction, place: Place) -> Place:
    """The place itself, or what it is a member of through a pointer."""
    variable = pointers_of(function).get(place[0]) if len(place) > 1 else None
    return place if variable is None else (variable, *place[1:])
