"""Functions of the languages and libraries that grids are made with."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import members, tensors
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
from geoaudit.shardcheck.symbolic.extents import Integer

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
    if isinstance(node.function, e.Member) and isinstance(receiver, Shaped | Reference | Items):
        found = _of_tensor(slicer, node, receiver, frame, point)
        if found is not None:
            return found
    values = [slicer.value(one, frame, point) for one in node.arguments]
    if last in tensors.MADE and values:
        flat = values[0].values if isinstance(values[0], Items) else values
        sized = dict(node.keywords).get("size")
        if sized is not None:
            whole = slicer.value(sized, frame, point)
            flat = whole.values if isinstance(whole, Items) else [whole]
        return Shaped(extents=tuple(flat), text=spelled(node))
    if last in tensors.SAME_SHAPE and values:
        return values[0]
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


def _length(slicer: "Slicer", node: e.Expression, frame: Frame, point: Point) -> Value:
    value = slicer.value(node, frame, point)
    if isinstance(value, Items):
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


def _of_tensor(
    slicer: "Slicer", node: e.Call, tensor: Value, frame: Frame, point: Point
) -> Value | None:
    name = last_name(node.function)
    numbers = [_known(slicer, one, frame, point) for one in node.arguments]
    if name in {"size", "shape"} and isinstance(tensor, Shaped | Reference):
        return _size(slicer, tensor, node, numbers, frame)
    if name in tensors.SAME_SHAPE:
        return tensor
    if name in tensors.RESHAPED and node.arguments:
        values = [slicer.value(one, frame, point) for one in node.arguments]
        return tensors.reshaped(slicer, tensor, values)
    if name in tensors.MADE and node.arguments:
        values = [slicer.value(one, frame, point) for one in node.arguments]
        return tensors.reshaped(slicer, tensor, values)
    known = [one for one in numbers if one is not None]
    if len(known) != len(numbers):
        return None
    if name in {"transpose", "swapaxes", "transpose_"} and len(known) == 2:
        return tensors.transposed(slicer, tensor, known[0], known[1])
    if name == "permute" and known:
        return tensors.permuted(slicer, tensor, known)
    if name == "unsqueeze" and len(known) == 1:
        return tensors.unsqueezed(slicer, tensor, known[0])
    if name in {"numel", "nelement"} and isinstance(tensor, Reference):
        return Reference(
            text=f"{tensor.text}.{name}()",
            kind="extent",
            path=tensor.path,
            line=tensor.line,
            scope=tensor.scope,
            of=tensor,
            member="numel",
        )
    return None


def _size(
    slicer: "Slicer",
    tensor: "Shaped | Reference",
    node: e.Call,
    numbers: Sequence[int | None],
    frame: Frame,
) -> Value | None:
    if not node.arguments:
        if isinstance(tensor, Shaped):
            return Items(values=tensor.extents)
        return tensors.member_of_reference(slicer, tensor, "shape")
    place = numbers[0]
    if place is None:
        return None
    if isinstance(tensor, Shaped):
        if -len(tensor.extents) <= place < len(tensor.extents):
            return tensor.extents[place]
        return unknown(spelled(node))
    return Reference(
        text=f"{tensor.text}.{last_name(node.function)}({place})",
        kind="extent",
        path=tensor.path,
        line=tensor.line,
        scope=tensor.scope,
        of=tensor,
        member=f"[{place}]",
        trail=tensor.trail,
    )


def _known(slicer: "Slicer", node: e.Expression, frame: Frame, point: Point) -> int | None:
    if isinstance(node, e.Number):
        return node.value
    if isinstance(node, e.Collection | e.Text | e.Member | e.FunctionValue):
        return None
    value = slicer.value(node, frame, point)
    if isinstance(value, Quantity) and isinstance(value.extent, Integer):
        return value.extent.value
    return None


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
    "prod": lambda values: computed("*", values),
    "divide": lambda values: computed("/", values[:2]) if len(values) > 1 else values[0],
}
