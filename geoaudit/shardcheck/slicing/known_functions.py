"""Functions of the languages and libraries that grids are made with."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import members, tensor_calls
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.index import last_name
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.values import (
    Items,
    Quantity,
    Reference,
    Shaped,
    Value,
    computed,
    number,
    unknown,
)

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_EXTREMES = {"min": "min", "max": "max", "fmin": "min", "fmax": "max", "minimum": "min"}
_ROUNDED = {"ceil": "ceil", "ceilf": "ceil", "floor": "floor", "floorf": "floor"}
_QUOTIENTS = frozenset({"cdiv", "ceil_div", "ceildiv", "divup", "div_up", "ceil_divide"})
_JOINED = frozenset({"make_pair", "make_tuple", "tie", "pair", "tuple", "list", "forward_as_tuple"})


def always(slicer: "Slicer", node: e.Call, frame: Frame, point: Point) -> Value | None:
    """What a call of the language itself is; None: it is another."""
    name = spelled(node.function)
    last = last_name(node.function)
    arguments = node.arguments
    is_plain = isinstance(node.function, e.Name)
    if last == "dim3" and is_plain:
        values = [slicer.value(one, frame, point) for one in arguments]
        return members.made(slicer, "dim3", values, {}, frame)
    if is_plain and last in _EXTREMES and _is_of_library(slicer, name, frame):
        return _extreme(slicer, _EXTREMES[last], node, frame, point)
    if is_plain and last == "len" and len(arguments) == 1:
        return _length(slicer, arguments[0], frame, point)
    if last == "get" and node.template_arguments and len(arguments) == 1:
        place = node.template_arguments[0]
        if isinstance(place, e.Number):
            whole = slicer.value(arguments[0], frame, point)
            return members.item(slicer, whole, place.value, spelled(arguments[0]))
    if is_plain and last in _JOINED and not name.startswith("self"):
        values = [slicer.value(one, frame, point) for one in arguments]
        if len(values) == 1 and last in {"tuple", "list"}:
            return values[0]
        return Items(values=tuple(values))
    if last in {"move", "forward", "ref", "cref"} and len(arguments) == 1 and is_plain:
        return slicer.value(arguments[0], frame, point)
    return None


def _is_of_library(slicer: "Slicer", name: str, frame: Frame) -> bool:
    own = slicer.program.functions.get(name, ())
    return not any(one.file is frame.function.file for one in own)


def otherwise(
    slicer: "Slicer", node: e.Call, receiver: Value | None, frame: Frame, point: Point
) -> Value | None:
    """What a call of a known library is that no function in the source explains; None: unknown."""
    last = last_name(node.function)
    found = tensor_calls.of_tensor(slicer, node, receiver, frame, point)
    if found is not None:
        return found
    values = [slicer.value(one, frame, point) for one in node.arguments]
    if last == "prod" and len(values) == 1:
        return _product(slicer, values[0])
    arithmetic = _ARITHMETIC.get(last.lower())
    if arithmetic is not None and values:
        quantities = [
            as_quantity(slicer, value, spelled(one))
            for value, one in zip(values, node.arguments, strict=True)
        ]
        return arithmetic(quantities)
    return None


def _extreme(slicer: "Slicer", operator: str, node: e.Call, frame: Frame, point: Point) -> Value:
    values: list[Value] = []
    for one in node.arguments:
        value = slicer.value(one, frame, point)
        values.extend(value.values if isinstance(value, Items) else [value])
    quantities = [as_quantity(slicer, value, spelled(node)) for value in values]
    return computed(operator, quantities) if quantities else unknown(spelled(node))


def _product(slicer: "Slicer", value: Value) -> Value | None:
    """``math.prod`` of values."""
    if not isinstance(value, Items) or value.back:
        return None
    return computed("*", [as_quantity(slicer, one, "a factor") for one in value.values])


def _length(slicer: "Slicer", node: e.Expression, frame: Frame, point: Point) -> Value:
    value = slicer.value(node, frame, point)
    if isinstance(value, Items) and not value.back:
        return number(len(value.values))
    if isinstance(value, Shaped) and value.extents:
        return value.extents[0]
    if not isinstance(value, Reference):
        value = Reference(text=spelled(node), kind="unknown", path=frame.path)
    return Reference(
        text=f"{spelled(node)}.len",
        kind="extent",
        path=value.path,
        line=value.line,
        scope=value.scope,
        of=value,
        member="len",
        trail=value.trail,
    )


def _quotient(values: Sequence[Quantity]) -> Value:
    return computed("cdiv", values[:2]) if len(values) >= 2 else values[0]


def _aligned(values: Sequence[Quantity]) -> Value:
    if len(values) < 2:
        return values[0]
    return computed("*", [computed("cdiv", values[:2]), values[1]])


def _same(values: Sequence[Quantity]) -> Value:
    return values[0]


def _of_one(operator: str) -> Callable[[Sequence[Quantity]], Value]:
    return lambda values: computed(operator, values[:1])


_ARITHMETIC: dict[str, Callable[[Sequence[Quantity]], Value]] = {
    **dict.fromkeys(_QUOTIENTS, _quotient),
    **{name: _of_one(operator) for name, operator in _ROUNDED.items()},
    "next_power_of_2": _of_one("next_power_of_2"),
    "nextpowerof2": _of_one("next_power_of_2"),
    "round_up": _aligned,
    "roundup": _aligned,
    "align_up": _aligned,
    "int": _same,
    "uint32_t": _same,
    "clamp": lambda values: (
        computed("min", [computed("max", values[:2]), values[2]]) if len(values) == 3 else values[0]
    ),
    "item": _same,
    "abs": _same,
}
