"""What each form of expression is worth: one function for each."""

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import sequences
from geoaudit.shardcheck.slicing.calls import construction
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import SM_COUNT, as_quantity
from geoaudit.shardcheck.slicing.scopes import members, names, traits
from geoaudit.shardcheck.slicing.sites import LaunchConstant
from geoaudit.shardcheck.slicing.tensors import shapes, tensor_calls
from geoaudit.shardcheck.slicing.trails import named
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Items,
    Quantity,
    Record,
    Reference,
    Value,
    Words,
    computed,
    concatenated,
    either,
    number,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Symbol
from geoaudit.shardcheck.symbolic.walking import is_fraction
from geoaudit.shardcheck.words import is_sm_count

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


def _number(slicer: "Slicer", node: e.Number, frame: Frame, point: Point) -> Value:
    return number(node.value)


def _real(slicer: "Slicer", node: e.Real, frame: Frame, point: Point) -> Value:
    whole, fraction = divmod(node.value, 1) if abs(node.value) < 2**53 else (0.0, 1.0)
    if fraction:
        numerator, denominator = Fraction(repr(node.value)).as_integer_ratio()
        return computed("/", [number(numerator), number(denominator)])
    return number(int(whole))


def _text(slicer: "Slicer", node: e.Text, frame: Frame, point: Point) -> Value:
    return Words(text=node.value)


def _operation(slicer: "Slicer", node: e.Operation, frame: Frame, point: Point) -> Value:
    if len(node.operands) == 1 and node.operator in {"&", "*", "+"}:
        return slicer.value(node.operands[0], frame, point)
    if node.operator in {"in", "is"}:
        return _membership(slicer, node, frame, point)
    values = [slicer.value(part, frame, point) for part in node.operands]
    if node.operator == "+" and any(isinstance(value, Items) for value in values):
        return concatenated(
            [
                sequences.unpacked(slicer, value, spelled(part))
                for value, part in zip(values, node.operands, strict=True)
            ]
        )
    if any(isinstance(value, Words) for value in values):
        return unknown(spelled(node))
    quantities = [
        as_quantity(slicer, value, spelled(part))
        for value, part in zip(values, node.operands, strict=True)
    ]
    operator = node.operator
    if operator == "/" and frame.function.file.language == "c":
        is_real = any(_is_real(part) for part in node.operands)
        is_real = is_real or any(is_fraction(quantity.extent) for quantity in quantities)
        operator = "/" if is_real else "//"
    return computed(operator, quantities)


def _membership(slicer: "Slicer", node: e.Operation, frame: Frame, point: Point) -> Value:
    parts = [
        as_quantity(slicer, slicer.value(part, frame, point), spelled(part))
        for part in node.operands
        if not isinstance(part, e.Collection | e.Text) and spelled(part) != "None"
    ]
    return unknown(f"whether {spelled(node)}", parts)


def _is_real(node: e.Expression) -> bool:
    match node:
        case e.Real():
            return True
        case e.Cast(type=kind):
            return kind.split("::")[-1] in {"float", "double", "long double"}
        case e.Operation(operator="+" | "-" | "*" | "/", operands=operands):
            return any(_is_real(part) for part in operands)
        case _:
            return False


def _choice(slicer: "Slicer", node: e.Choice, frame: Frame, point: Point) -> Value:
    guard = slicer.condition(node.condition, frame, point)
    then = slicer.value(node.then, frame, point)
    otherwise = slicer.value(node.otherwise, frame, point)
    return either([(guard, then), (None, otherwise)])


def _cast(slicer: "Slicer", node: e.Cast, frame: Frame, point: Point) -> Value:
    value = slicer.value(node.value, frame, point)
    if isinstance(value, Quantity) and node.type in _INTEGER_CASTS and _is_real(node.value):
        return computed("floor", [value])
    return value


_INTEGER_CASTS = {"int", "unsigned", "unsigned int", "int64_t", "uint32_t", "size_t", "long"}


def _collection(slicer: "Slicer", node: e.Collection, frame: Frame, point: Point) -> Value:
    built = construction.built(slicer, node, frame, point) if node.type else None
    if built is not None:
        return built
    whole = sequences.listed(slicer, node.items, frame, point)
    if whole.back:
        return whole
    values = whole.values
    keywords = {name: slicer.value(value, frame, point) for name, value in node.keywords}
    return members.made(slicer, node.type, values, keywords, frame)


def _starred(slicer: "Slicer", node: e.Starred, frame: Frame, point: Point) -> Value:
    return slicer.value(node.value, frame, point)


def _member(slicer: "Slicer", node: e.Member, frame: Frame, point: Point) -> Value:
    if is_sm_count(node.name):
        return Reference(text=spelled(node), kind=SM_COUNT, path=frame.path)
    if node.template_arguments:
        told = traits.member_of_template(slicer, node, frame, point)
        if told is not None:
            return named(told, spelled(node), frame)
    value = slicer.value(node.value, frame, point)
    if node.name in shapes.SHAPES:
        value = tensor_calls.as_tensor(slicer, value, node.value, frame)
    found = members.member(slicer, value, node.name)
    return named(found, spelled(node), frame)


def _subscript(slicer: "Slicer", node: e.Subscript, frame: Frame, point: Point) -> Value:
    value = slicer.value(node.value, frame, point)
    if any(isinstance(index, e.Slice) for index in node.indices):
        value = tensor_calls.as_tensor(slicer, value, node.value, frame)
    found = members.element(slicer, value, node, frame, point)
    return named(found, spelled(node), frame)


def _function_value(slicer: "Slicer", node: e.FunctionValue, frame: Frame, point: Point) -> Value:
    inner = slicer.program.function_of(frame.function.file, node.function)
    return Closure(functions=(inner,), frame=frame, point=point)


def _opaque(slicer: "Slicer", node: e.Opaque, frame: Frame, point: Point) -> Value:
    if node.text.startswith("sizeof"):
        return _size_of_type(slicer, node.text, frame)
    parts = [slicer.value(part, frame, point) for part in node.parts]
    return unknown(
        f"{node.text} is not followed", [part for part in parts if isinstance(part, Quantity)]
    )


def _size_of_type(slicer: "Slicer", text: str, frame: Frame) -> Quantity:
    """The size of a type that a template is given: that of any number."""
    symbol = Symbol(name=text, kind="constant", path=frame.path)
    slicer.constants.setdefault(symbol, LaunchConstant(symbol=symbol, values=(1, 2, 4, 8)))
    return Quantity(extent=symbol)


def _slice(slicer: "Slicer", node: e.Slice, frame: Frame, point: Point) -> Value:
    return unknown("a slice")


def _launch(slicer: "Slicer", node: e.Launch, frame: Frame, point: Point) -> Value:
    return Record(type="")


EVALUATED: dict[type, Callable[..., Value]] = {
    e.Number: _number,
    e.Real: _real,
    e.Text: _text,
    e.Name: names.name,
    e.Member: _member,
    e.Subscript: _subscript,
    e.Slice: _slice,
    e.Operation: _operation,
    e.Choice: _choice,
    e.Cast: _cast,
    e.Collection: _collection,
    e.Starred: _starred,
    e.FunctionValue: _function_value,
    e.Launch: _launch,
    e.Opaque: _opaque,
}
