"""Functions of the languages and libraries that grids are made with."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing import dictionaries
from geoaudit.shardcheck.slicing.calls import built_ins
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.scopes import members
from geoaudit.shardcheck.slicing.tensors import tensor_calls
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Items,
    Quantity,
    Record,
    Reference,
    Value,
    Words,
    computed,
    number,
)
from geoaudit.shardcheck.symbolic.walking import is_fraction
from geoaudit.shardcheck.words import is_parallel_size

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_ROUNDED = {"ceil": "ceil", "ceilf": "ceil", "floor": "floor", "floorf": "floor"}
_QUOTIENTS = frozenset({"cdiv", "ceil_div", "ceildiv", "divup", "div_up", "ceil_divide"})
_NAMED = frozenset({"dynamic", "symbolic", "get_function", "get_kernel"})
"""Calls that give a number or a kernel by its name."""
_VECTOR = re.compile(r"make_(dim3|u?(?:char|short|int|long|longlong)[1-4])")
_JOINED = frozenset({"make_pair", "make_tuple", "tie", "pair", "tuple", "list", "forward_as_tuple"})


def always(slicer: "Slicer", node: e.Call, frame: Frame, point: Point) -> Value | None:
    """What a call of the language itself is; None: it is another."""
    name = spelled(node.function)
    last = last_name(node.function)
    arguments = node.arguments
    is_plain = isinstance(node.function, e.Name)
    if not arguments and not node.keywords:
        return _without_arguments(name, last, node, frame)
    if is_plain and (last == "dim3" or _VECTOR.fullmatch(last)):
        return _vector(slicer, last, [slicer.value(one, frame, point) for one in arguments], frame)
    if is_plain and built_ins.is_known(slicer, name, last, frame):
        return built_ins.called(slicer, node, frame, point)
    if last == "get" and node.template_arguments:
        return _element(slicer, node, frame, point)
    if is_plain and last in _JOINED and not name.startswith("self"):
        values = [slicer.value(one, frame, point) for one in arguments]
        if len(values) == 1 and last in {"tuple", "list"}:
            return values[0]
        return Items(values=tuple(values))
    if last in {"move", "forward", "ref", "cref"} and len(arguments) == 1 and is_plain:
        return slicer.value(arguments[0], frame, point)
    return None


def _without_arguments(name: str, last: str, node: e.Call, frame: Frame) -> Value | None:
    if last == "dim3" and isinstance(node.function, e.Name):
        return Record(type="dim3")
    if is_parallel_size(last):
        return Reference(text=f"{name}()", kind="unknown", path=frame.path, line=node.line)
    return None


def _element(slicer: "Slicer", node: e.Call, frame: Frame, point: Point) -> Value | None:
    """``std::get<1>(value)``."""
    place = node.template_arguments[0]
    if not isinstance(place, e.Number) or len(node.arguments) != 1:
        return None
    whole = slicer.value(node.arguments[0], frame, point)
    return members.item(slicer, whole, place.value, spelled(node.arguments[0]))


def _vector(slicer: "Slicer", name: str, values: list[Value], frame: Frame) -> Value:
    """``dim3(a, b)``, ``make_int2(a, b)``."""
    if name in {"dim3", "make_uint3", "make_dim3"}:
        return members.made(slicer, "dim3", values, {}, frame)
    given = dict(zip("xyzw", values, strict=False))
    return Record(type=name.removeprefix("make_"), members=given)


def otherwise(
    slicer: "Slicer", node: e.Call, receiver: Value | None, frame: Frame, point: Point
) -> Value | None:
    """What a call of a known library is that no function in the source explains; None: unknown."""
    last = last_name(node.function)
    found = tensor_calls.of_tensor(slicer, node, receiver, frame, point)
    if found is not None:
        return found
    asked = dictionaries.asked(slicer, node, receiver, frame, point) if last == "get" else None
    if asked is not None:
        return asked
    if last in _OF_NUMBER and isinstance(receiver, Quantity) and not node.arguments:
        return _OF_NUMBER[last](receiver)
    values = [slicer.value(one, frame, point) for one in node.arguments]
    if last == "partial" and values and isinstance(values[0], Closure):
        return _partial(slicer, values[0], values[1:], node, frame, point)
    if last in {"get", "getenv"} and values and "env" in spelled(node.function):
        return _of_environment(values[0], frame, node.line)
    if last in _NAMED and values and isinstance(values[0], Words):
        return Reference(
            text=values[0].text, kind="unknown", path=frame.path, scope=frame.function.name
        )
    if last == "prod" and len(values) == 1:
        return _product(slicer, values[0])
    if node.keywords and last[:1].isupper() and not values:
        given = {key: slicer.value(value, frame, point) for key, value in node.keywords}
        rest = Reference(text=f"{spelled(node.function)}()", kind="unknown", path=frame.path)
        return Record(type=last, members=given, rest=rest)
    arithmetic = _ARITHMETIC.get(last.lower())
    if arithmetic is not None and values:
        quantities = [
            as_quantity(slicer, value, spelled(one))
            for value, one in zip(values, node.arguments, strict=True)
        ]
        return arithmetic(quantities)
    return None


def _partial(
    slicer: "Slicer",
    function: Closure,
    values: list[Value],
    node: e.Call,
    frame: Frame,
    point: Point,
) -> Closure:
    """``functools.partial(function, value, key=value)``."""
    named = dictionaries.made(slicer, node.keywords, frame, point).members
    given = (*function.given, *values)
    return replace(function, given=given, named={**function.named, **named})


def _of_environment(name: Value, frame: Frame, line: int) -> Value | None:
    """A variable of the environment, by its name."""
    if not isinstance(name, Words):
        return None
    return Reference(text=name.text, kind="constant", path=frame.path, line=line)


def _product(slicer: "Slicer", value: Value) -> Value | None:
    """``math.prod`` of values."""
    if isinstance(value, Reference):
        text = f"prod({value.text})"
        return replace(value, text=text, kind="extent", of=value, member="prod", type="")
    if not isinstance(value, Items) or value.back:
        return None
    return computed("*", [as_quantity(slicer, one, "a factor") for one in value.values])


def _bits(value: Quantity) -> Value:
    """``value.bit_length()``."""
    return computed("log2", [computed("next_power_of_2", [computed("+", [value, number(1)])])])


_OF_NUMBER: dict[str, Callable[[Quantity], Value]] = {
    "bit_length": _bits,
    "item": lambda value: value,
}
"""Methods of a number that are given nothing."""


def _quotient(values: Sequence[Quantity]) -> Value:
    return computed("cdiv", values[:2]) if len(values) >= 2 else values[0]


def _exact(values: Sequence[Quantity]) -> Value:
    return computed("/", values[:2]) if len(values) >= 2 else values[0]


def _aligned(values: Sequence[Quantity]) -> Value:
    if len(values) < 2:
        return values[0]
    return computed("*", [computed("cdiv", values[:2]), values[1]])


def _whole(values: Sequence[Quantity]) -> Value:
    return computed("floor", values[:1]) if is_fraction(values[0].extent) else values[0]


def _same(values: Sequence[Quantity]) -> Value:
    return values[0]


def _of_one(operator: str) -> Callable[[Sequence[Quantity]], Value]:
    return lambda values: computed(operator, values[:1])


_ARITHMETIC: dict[str, Callable[[Sequence[Quantity]], Value]] = {
    **dict.fromkeys(_QUOTIENTS, _quotient),
    **{name: _of_one(operator) for name, operator in _ROUNDED.items()},
    "next_power_of_2": _of_one("next_power_of_2"),
    "nextpowerof2": _of_one("next_power_of_2"),
    **dict.fromkeys(("divide", "exact_div", "divide_exact"), _exact),
    "round_up": _aligned,
    "roundup": _aligned,
    "align_up": _aligned,
    "int": _whole,
    "uint32_t": _same,
    "clamp": lambda values: (
        computed("min", [computed("max", values[:2]), values[2]]) if len(values) == 3 else values[0]
    ),
    "item": _same,
    "abs": _same,
    **dict.fromkeys(("atoi", "atol", "stoi", "stol", "strtol", "strtoul", "strtoll"), _same),
}
