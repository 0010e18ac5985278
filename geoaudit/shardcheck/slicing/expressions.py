"""What each form of expression is worth: one function for each."""

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import dictionaries, iteration, logic, operators, sequences
from geoaudit.shardcheck.slicing.calls import construction
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import SM_COUNT, dependencies
from geoaudit.shardcheck.slicing.scopes import elements, members, names, traits
from geoaudit.shardcheck.slicing.sites import LaunchConstant
from geoaudit.shardcheck.slicing.tensors import shapes, tensor_calls
from geoaudit.shardcheck.slicing.trails import named
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Nothing,
    Quantity,
    Record,
    Reference,
    Value,
    Words,
    computed,
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
    if node.operator in {"&&", "||", "!"}:
        return logic.connected(slicer, node, frame, point)
    if node.operator == "in":
        return logic.contained(slicer, node, frame, point)
    if node.operator == "is":
        return logic.identical(slicer, node, frame, point)
    values = [slicer.value(part, frame, point) for part in node.operands]
    if node.operator in {"==", "!="} and any(isinstance(value, Nothing) for value in values):
        return logic.identical(slicer, node, frame, point)
    return operators.applied(slicer, node.operator, values, node.operands, frame)


def _choice(slicer: "Slicer", node: e.Choice, frame: Frame, point: Point) -> Value:
    guard = slicer.condition(node.condition, frame, point)
    then = slicer.value(node.then, frame, point)
    otherwise = slicer.value(node.otherwise, frame, point)
    return either([(guard, then), (None, otherwise)])


def _cast(slicer: "Slicer", node: e.Cast, frame: Frame, point: Point) -> Value:
    value = slicer.value(node.value, frame, point)
    if not isinstance(value, Quantity) or node.type not in _INTEGER_CASTS:
        return value
    if operators.is_written_real(node.value) or is_fraction(value.extent):
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
    if any(name == dictionaries.SPREAD for name, _ in node.keywords):
        return dictionaries.made(slicer, node.keywords, frame, point)
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
    found = elements.element(slicer, value, node, frame, point)
    return named(found, spelled(node), frame)


def _function_value(slicer: "Slicer", node: e.FunctionValue, frame: Frame, point: Point) -> Value:
    inner = slicer.program.function_of(frame.function.file, node.function)
    return Closure(functions=(inner,), frame=frame, point=point)


def _opaque(slicer: "Slicer", node: e.Opaque, frame: Frame, point: Point) -> Value:
    if node.text.startswith("sizeof"):
        return _size_of_type(slicer, node.text, frame)
    if iteration.is_comprehension(node):
        return iteration.comprehension(slicer, node, frame, point)
    parts = [slicer.value(part, frame, point) for part in node.parts]
    text = f"{node.text} is not followed"
    return unknown(text, dependencies(slicer, parts, text))


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
