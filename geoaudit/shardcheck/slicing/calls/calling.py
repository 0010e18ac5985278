"""Calls: functions inlined, objects constructed, interfaces known."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing import quantities
from geoaudit.shardcheck.slicing.calls import construction, known_functions, resolution
from geoaudit.shardcheck.slicing.calls.arguments import bound
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import Block, Point, leaves
from geoaudit.shardcheck.slicing.quantities import SM_COUNT
from geoaudit.shardcheck.slicing.scopes import members, names
from geoaudit.shardcheck.slicing.tensors import tensor_calls
from geoaudit.shardcheck.slicing.trails import named
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Option,
    Quantity,
    Reference,
    Value,
    computed,
    either,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Unknown
from geoaudit.shardcheck.symbolic.walking import symbols
from geoaudit.shardcheck.words import is_sm_attribute, is_sm_count

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

MOST_CALLS_DEEP = 6
MOST_RETURNS = 24


def call(slicer: "Slicer", node: e.Call, frame: Frame, point: Point) -> Value:
    """The value of a call."""
    always = known_functions.always(slicer, node, frame, point)
    if always is not None:
        return always
    if is_sm_count(last_name(node.function)) or _asks_for_sms(node):
        return Reference(text=SM_COUNT, kind=SM_COUNT, path=frame.path, line=node.line)
    closure, receiver = resolution.meant(slicer, node, frame, point)
    is_followed = not slicer.is_condition and not tensor_calls.is_extent_of_tensor(node, receiver)
    if closure is not None and is_followed:
        value = inlined(slicer, closure, node, frame, point)
        if value is not None:
            return value
    if isinstance(receiver, Reference) and receiver.kind == "class":
        return construction.constructed(slicer, receiver, node, frame, point)
    known = known_functions.otherwise(slicer, node, receiver, frame, point)
    if known is not None:
        return known
    return _not_followed(slicer, node, frame, point)


def _asks_for_sms(node: e.Call) -> bool:
    """Whether a call is given the attribute that is a device's number of SMs, as a value."""
    return any(
        isinstance(one, e.Name | e.Member) and is_sm_attribute(spelled(one))
        for one in node.arguments
    )


def _not_followed(slicer: "Slicer", node: e.Call, frame: Frame, point: Point) -> Value:
    text, last = spelled(node), last_name(node.function)
    given = [*node.arguments, *(one for _, one in node.keywords)]
    parts = [slicer.value(one, frame, point) for one in given]
    if isinstance(node.function, e.Member):
        base = slicer.value(node.function.value, frame, point)
        if not isinstance(base, Reference) and not _depends_on_nothing(base):
            parts.append(base)
    if not parts:
        return Reference(
            text=f"{spelled(node.function)}()", kind="unknown", path=frame.path, line=node.line
        )
    depends = quantities.dependencies(slicer, parts, text)
    found = unknown(f"{last or text} is not in the source that was read", depends)
    return named(found, text, frame)


def _depends_on_nothing(value: Value) -> bool:
    """Whether nothing is known of a value, nor what it depends on."""
    return (
        isinstance(value, Quantity)
        and isinstance(value.extent, Unknown)
        and not any(True for _ in symbols(value.extent))
    )


def inlined(
    slicer: "Slicer", closure: Closure, node: e.Call, frame: Frame, point: Point
) -> Value | None:
    """What the functions that a call means return; None: none of them has a body."""
    values: list[Option] = []
    for function in closure.functions:
        inner = entered(slicer, closure, function, node, frame, point)
        if inner is None:
            continue
        value = returned(slicer, inner)
        if value is not None:
            values.append((None, value))
    if not values:
        return None
    found = either(values)
    is_elsewhere = any(one.file is not frame.function.file for one in closure.functions)
    return named(found, spelled(node), frame) if is_elsewhere else found


def entered(
    slicer: "Slicer",
    closure: Closure,
    function: IndexedFunction,
    node: e.Call,
    frame: Frame,
    point: Point,
) -> Frame | None:
    """The frame of a function under one call; None: too deep, or it has no body."""
    if frame.depth >= MOST_CALLS_DEEP or not function.function.body:
        return None
    arguments = bound(slicer, function, node, frame, point, closure)
    outer = names.outer_of(slicer, function)
    if closure.frame is not None and closure.point is not None:
        outer = (closure.frame, point if closure.frame is frame else closure.point)
    elif function.function.kind == "macro":
        outer = (frame, point)
    return Frame(
        function=function,
        arguments=arguments,
        outer=outer,
        made=closure.point,
        receiver=closure.receiver,
        depth=frame.depth + 1,
    )


def returned(slicer: "Slicer", frame: Frame) -> Value | None:
    """What a function returns, as cases over its conditions; None: it returns nothing."""
    options: list[Option] = []
    for found in _returns(frame.function.function.body, None, ()):
        if len(options) >= MOST_RETURNS:
            return unknown(f"{frame.function.name} returns at too many places")
        value = slicer.value(found.value, frame, found.point)
        kind = frame.function.function.return_type
        if kind:
            value = members.converted(slicer, value, kind, frame)
        options.append((_guard(slicer, found.conditions, frame), value))
    return either(options) if options else None


@dataclass(frozen=True, kw_only=True)
class _Returned:
    value: e.Expression
    point: Point
    conditions: tuple[tuple[e.Expression, Point, bool], ...]


def _returns(
    block: Block,
    parent: Point | None,
    conditions: tuple[tuple[e.Expression, Point, bool], ...],
) -> Iterator[_Returned]:
    """Return statements in the order they are reached, each with the conditions around it."""
    holder = parent.statement if parent else None
    for index, statement in enumerate(block):
        point = Point(block=block, index=index, parent=parent, holder=holder)
        match statement:
            case s.Return(value=value):
                if value is not None:
                    yield _Returned(value=value, point=point, conditions=conditions)
                return
            case s.Stop():
                return
            case s.Branch():
                yield from _returns(
                    statement.then, point, (*conditions, (statement.condition, point, True))
                )
                inner = conditions
                if not leaves(statement.then):
                    inner = (*conditions, (statement.condition, point, False))
                yield from _returns(statement.otherwise, point, inner)
                if leaves((statement,)):
                    return
            case s.Loop():
                unclear = (e.Opaque("a round of a loop"), point, True)
                yield from _returns(statement.body, point, (*conditions, unclear))
            case _:
                continue


def _guard(
    slicer: "Slicer", conditions: tuple[tuple[e.Expression, Point, bool], ...], frame: Frame
) -> Quantity | None:
    parts: list[Quantity] = []
    for condition, point, holds in conditions:
        if isinstance(condition, e.Opaque):
            parts.append(unknown(condition.text))
            continue
        value = slicer.condition(condition, frame, point)
        parts.append(value if holds else computed("!", [value]))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else computed("&&", parts)
