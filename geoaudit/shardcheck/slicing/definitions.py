"""Reaching definitions: what a variable, a member or an element is at a point of a function."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import loops, macros, members, outputs, tensor_calls, tensors
from geoaudit.shardcheck.slicing.effects import effects_of
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import (
    SOME_ELEMENT,
    Place,
    Point,
    leaves,
    place_of,
)
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.sites import Hop, LaunchConstant
from geoaudit.shardcheck.slicing.values import (
    Items,
    Quantity,
    Record,
    Reference,
    Value,
    computed,
    either,
)
from geoaudit.shardcheck.symbolic.extents import Integer, Symbol

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_CONSTANT = re.compile(r"^(?:[A-Z][A-Z0-9_]*[A-Z0-9]|k[A-Z]\w*)$")


def read(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value | None:
    """The value of a place just before a statement; None: nothing in the function assigns it."""
    return slicer.remembered(frame, point, place, lambda: _found(slicer, place, frame, point))


def current(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value:
    """The value of a place, from wherever it is."""
    return slicer.value(expression_of(place), frame, point)


def expression_of(place: Place) -> e.Expression:
    """A place as an expression."""
    node: e.Expression = e.Name(place[0])
    for part in place[1:]:
        if part.startswith("[") and part != SOME_ELEMENT:
            node = e.Subscript(node, (e.Number(int(part[1:-1])),))
        else:
            node = e.Member(node, part)
    return node


def _found(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value | None:
    at: Point | None = point
    while at is not None:
        found = within_block(slicer, place, frame, at)
        if found is not None:
            return found
        if isinstance(at.holder, s.Loop) and at.parent is not None:
            found = loops.at_round_start(slicer, place, frame, at)
            if found is not None:
                return found
        at = at.parent
    return None


def within_block(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value | None:
    """The value that the statements before a point, in its own block, give a place."""
    is_c = frame.function.file.language == "c"
    for index in range(point.index - 1, -1, -1):
        statement = point.block[index]
        if _may_change(slicer, statement, place[0], is_c):
            found = _after(slicer, statement, place, frame, point.at(index))
            if found is not None:
                return found
    return None


def _may_change(slicer: "Slicer", statement: s.Statement, name: str, is_c: bool) -> bool:
    effects = effects_of(statement)
    if name in effects.assigned:
        return True
    if not is_c or not effects.called:
        return False
    if name in effects.addressed:
        return True
    program = slicer.program
    if name in effects.passed and not program.writing.isdisjoint(effects.called):
        return True
    return not program.assigning_macros.isdisjoint(effects.called)


def _after(
    slicer: "Slicer", statement: s.Statement, place: Place, frame: Frame, point: Point
) -> Value | None:
    match statement:
        case s.Assign():
            found = _after_assignment(slicer, statement, place, frame, point)
            return found or outputs.after_calls(slicer, statement, place, frame, point)
        case s.Branch():
            return _after_branch(slicer, statement, place, frame, point)
        case s.Loop():
            return loops.after(slicer, statement, place, frame, point)
        case s.Evaluate():
            expanded = macros.expanded(slicer, statement, frame)
            if expanded is not None:
                inner = Point(block=expanded, index=len(expanded), parent=point, holder=statement)
                return within_block(slicer, place, frame, inner)
            return outputs.after_calls(slicer, statement, place, frame, point)
        case _:
            return None


def _after_branch(
    slicer: "Slicer", statement: s.Branch, place: Place, frame: Frame, point: Point
) -> Value | None:
    sides = (statement.then, statement.otherwise)
    found = [within_block(slicer, place, frame, point.end_of(side)) for side in sides]
    going = [not leaves(side) for side in sides]
    if not any(value is not None and goes for value, goes in zip(found, going, strict=True)):
        return None
    values = [
        (value if value is not None else current(slicer, place, frame, point)) if goes else None
        for value, goes in zip(found, going, strict=True)
    ]
    then, otherwise = values
    if then is None or otherwise is None:
        return then or otherwise
    guard = None
    if not isinstance(statement.condition, e.Opaque):
        guard = slicer.condition(statement.condition, frame, point)
    return either([(guard, then), (None, otherwise)])


def _after_assignment(
    slicer: "Slicer", statement: s.Assign, place: Place, frame: Frame, point: Point
) -> Value | None:
    if isinstance(statement.target, e.Collection):
        return _unpacked(slicer, statement, place, frame, point)
    target = place_of(statement.target)
    if target is None or target[0] != place[0]:
        return None
    shared = min(len(target), len(place))
    if target[:shared] != place[:shared]:
        if SOME_ELEMENT in (target[shared - 1], place[shared - 1]) and len(target) == len(place):
            new = _assigned_value(slicer, statement, frame, point)
            return either([(None, new), (None, _before(slicer, place, frame, point))])
        return None
    value = slicer.assigned(
        frame, statement, lambda: _assigned_value(slicer, statement, frame, point)
    )
    if len(place) >= len(target):
        value = tensor_calls.as_tensor_of(value, place, len(target), frame)
        return members.parts(slicer, value, place[len(target) :])
    before = _before(slicer, place, frame, point)
    return members.with_part(before, target[len(place) :], value)


def _before(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value:
    return current(slicer, place, frame, point)


def _assigned_value(slicer: "Slicer", statement: s.Assign, frame: Frame, point: Point) -> Value:
    if statement.value is None:
        return members.declared(
            slicer, statement.type, spelled(statement.target), frame, statement.line
        )
    value = slicer.value(statement.value, frame, point)
    if statement.operator:
        before = slicer.value(statement.target, frame, point)
        operator = statement.operator
        if operator == "/" and frame.function.file.language == "c":
            operator = "//"
        value = computed(
            operator,
            [
                as_quantity(slicer, before, spelled(statement.target)),
                as_quantity(slicer, value, spelled(statement.value)),
            ],
        )
    elif statement.type:
        value = members.converted(slicer, value, statement.type, frame)
    text = f"{spelled(statement.target)} {statement.operator}= {spelled(statement.value)}"
    if isinstance(value, Quantity) and isinstance(value.extent, Integer):
        return _constant(slicer, value, statement, frame)
    return annotated(slicer, value, spelled(statement.target), frame, statement.line, text)


def _constant(slicer: "Slicer", value: Quantity, statement: s.Assign, frame: Frame) -> Quantity:
    """A named constant, which stays a symbol so that what it binds can be seen; else its value."""
    name = spelled(statement.target)
    assert isinstance(value.extent, Integer)
    if value.extent.value < 2 or not (statement.constant or _CONSTANT.match(name)):
        return value
    symbol = Symbol(name=name, kind="constant", path=frame.path, line=statement.line)
    if symbol not in slicer.constants:
        remarks = (one.text for one in frame.function.file.remarks if one.line == statement.line)
        slicer.constants[symbol] = LaunchConstant(
            symbol=symbol, values=(value.extent.value,), remark=" ".join(remarks)
        )
    hop = Hop(path=frame.path, line=statement.line, text=f"{name} = {value.extent.value}")
    trail = value.trail.after(hop).through(frame.path, name)
    return Quantity(extent=symbol, trail=trail)


def _unpacked(
    slicer: "Slicer", statement: s.Assign, place: Place, frame: Frame, point: Point
) -> Value | None:
    assert isinstance(statement.target, e.Collection)
    if statement.value is None:
        return None
    count = len(statement.target.items)
    for number_, target in enumerate(statement.target.items):
        if isinstance(target, e.Starred) and place_of(target.value) == place[:1]:
            value = slicer.value(statement.value, frame, point)
            whole = members.unpacked(slicer, value, spelled(statement.value))
            rest = tensors.cut(whole, number_, number_ + 1 - count or None)
            return members.parts(slicer, rest, place[1:])
        if place_of(target) != place[:1]:
            continue
        source, element = _element(statement.value, number_, count)
        value = slicer.value(source, frame, point)
        written = spelled(source)
        if element is not None:
            value = members.item(slicer, value, element, written, count)
            written = f"{written}[{element}]"
            value = named(value, written, frame)
        text = f"{spelled(target)} = {written}"
        value = annotated(slicer, value, spelled(target), frame, statement.line, text)
        return members.parts(slicer, tensor_calls.as_tensor_of(value, place, 1, frame), place[1:])
    return None


def _element(node: e.Expression, place: int, count: int) -> tuple[e.Expression, int | None]:
    """What gives element `place` of `count`: an expression, and a place in it unless it is that."""
    if not isinstance(node, e.Collection):
        return node, place
    stars = [at for at, one in enumerate(node.items) if isinstance(one, e.Starred)]
    if not stars and place < len(node.items):
        return node.items[place], None
    if len(stars) != 1:
        return node, place
    star, after = stars[0], len(node.items) - stars[0] - 1
    if place < star:
        return node.items[place], None
    if place >= count - after:
        return node.items[place - count], None
    starred = node.items[star]
    assert isinstance(starred, e.Starred)
    return starred.value, place - star


def named(value: Value, name: str, frame: Frame) -> Value:
    """A value that is also written as `name`."""
    match value:
        case Quantity() | Reference():
            return replace(value, trail=value.trail.through(frame.path, name))
        case _:
            return value


def annotated(
    slicer: "Slicer", value: Value, name: str, frame: Frame, line: int, text: str
) -> Value:
    """A value that has been given a name on a line of a frame's file."""
    hop = Hop(path=frame.path, line=line, text=text)
    match value:
        case Quantity():
            if isinstance(value.extent, Symbol):
                slicer.aliases.setdefault(value.extent, set()).add(name)
            return replace(value, trail=value.trail.after(hop).through(frame.path, name))
        case Reference():
            return replace(value, trail=value.trail.after(hop).through(frame.path, name))
        case Record(type="dim3") | Items():
            return _with_hop(value, hop)
        case _:
            return value


def _with_hop(value: Value, hop: Hop) -> Value:
    match value:
        case Quantity() | Reference():
            return replace(value, trail=value.trail.after(hop))
        case Record(type="dim3"):
            members_ = {name: _with_hop(one, hop) for name, one in value.members.items()}
            return replace(value, members=members_)
        case Items():
            return Items(values=tuple(_with_hop(one, hop) for one in value.values))
        case _:
            return value
