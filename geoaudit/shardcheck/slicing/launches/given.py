"""Whether values of a function come from its callers."""

from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.slicer import Slicer
from geoaudit.shardcheck.slicing.values import Items, Quantity, Record, Reference, Value
from geoaudit.shardcheck.symbolic.extents import Symbol


def is_given(slicer: Slicer, value: Value, function: IndexedFunction) -> bool:
    """Whether a value is what the callers of a function give it, or a part of that."""
    match value:
        case Reference():
            return _is_of_parameter(value.base, function)
        case Quantity(extent=Symbol() as symbol):
            return is_given_symbol(slicer, symbol, function)
        case Items(values=(one,)) | Record(rest=Reference() as one):
            return is_given(slicer, one, function)
        case _:
            return False


def is_given_symbol(slicer: Slicer, symbol: Symbol, function: IndexedFunction) -> bool:
    """Whether a symbol stands for what the callers of a function give it, or a part of that."""
    origin = slicer.origins.get(symbol)
    return origin is not None and _is_of_parameter(origin.base, function)


def _is_of_parameter(base: Reference, function: IndexedFunction) -> bool:
    """Whether a value is made of a parameter of a function, or of its object."""
    own = function.function
    if base.text in {"this", "self"}:
        return bool(own.owner)
    if base.kind == "field":
        return bool(own.owner) and base.scope == own.owner
    names = {one.name for one in (*own.parameters, *own.template_parameters)}
    return base.text in names and base.scope == function.name and base.path == function.path
