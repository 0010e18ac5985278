"""What an assignment gives a place."""

import re
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import aliases, operators, sequences
from geoaudit.shardcheck.slicing.definitions import reaching
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import SOME_ELEMENT, Place, Point, place_of, targets
from geoaudit.shardcheck.slicing.scopes import known_types, members
from geoaudit.shardcheck.slicing.sites import Hop, LaunchConstant
from geoaudit.shardcheck.slicing.tensors import shapes, tensor_calls
from geoaudit.shardcheck.slicing.trails import annotated, named
from geoaudit.shardcheck.slicing.values import Quantity, Reference, Value, either
from geoaudit.shardcheck.symbolic.extents import Arithmetic, Integer, Symbol, Unknown
from geoaudit.shardcheck.words import is_parallel_size

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_CONSTANT = re.compile(r"^(?:[A-Z][A-Z0-9_]*[A-Z0-9]|k[A-Z]\w*)$")


def after_assignment(
    slicer: "Slicer", statement: s.Assign, place: Place, frame: Frame, point: Point
) -> Value | None:
    """A place once a statement has assigned; None: it assigns another."""
    if isinstance(statement.target, e.Collection):
        return _unpacked(slicer, statement, place, frame, point)
    target = place_of(statement.target)
    if target is None:
        return None
    is_certain = True
    if target[0] != place[0]:
        by_another = _by_another_name(statement, target, place, frame)
        if by_another is None:
            return None
        target, is_certain = by_another
    shared = min(len(target), len(place))
    if target[:shared] != place[:shared]:
        if SOME_ELEMENT in (target[shared - 1], place[shared - 1]) and len(target) == len(place):
            new = _assigned_value(slicer, statement, frame, point)
            return either([(None, new), (None, reaching.current(slicer, place, frame, point))])
        return None
    value = slicer.assigned(
        frame, statement, lambda: _assigned_value(slicer, statement, frame, point)
    )
    if not is_certain:
        value = either([(None, value), (None, reaching.current(slicer, target, frame, point))])
    if len(place) >= len(target):
        value = tensor_calls.as_tensor_of(value, place, len(target), frame)
        return members.parts(slicer, value, place[len(target) :])
    before = reaching.current(slicer, place, frame, point)
    return members.with_part(before, target[len(place) :], value)


def _by_another_name(
    statement: s.Assign, target: Place, place: Place, frame: Frame
) -> tuple[Place, bool] | None:
    """What an assignment writes of the place's variable by another name, and whether it must."""
    function = frame.function
    alias = function.aliases.get(target[0])
    if alias is None or id(statement) in alias.binding:
        return None
    return aliases.written(function.aliases, target, place[0], function.file.language)


def _assigned_value(slicer: "Slicer", statement: s.Assign, frame: Frame, point: Point) -> Value:
    if statement.value is None:
        return members.declared(
            slicer, statement.type, spelled(statement.target), frame, statement.line
        )
    if _is_object_of_class(slicer, statement):
        return _object(statement, frame)
    value = slicer.value(statement.value, frame, point)
    if statement.operator:
        before = slicer.value(statement.target, frame, point)
        operator = statement.operator
        if operator == "/" and frame.function.file.language == "c":
            operator = "//"
        nodes = (statement.target, statement.value)
        value = operators.applied(slicer, operator, (before, value), nodes, frame)
    elif statement.type:
        value = members.converted(slicer, value, statement.type, frame)
        if members.is_lost(slicer, value, statement.type):
            value = _object(statement, frame)
    text = f"{spelled(statement.target)} {statement.operator}= {spelled(statement.value)}"
    if isinstance(value, Quantity) and isinstance(value.extent, Integer):
        return _constant(slicer, value, statement, frame)
    if _is_ranks(statement.target, value):
        return Reference(text=spelled(statement.target), kind="unknown", path=frame.path)
    return annotated(slicer, value, spelled(statement.target), frame, statement.line, text)


def _is_ranks(target: e.Expression, value: Value) -> bool:
    """Whether a number of ranks is computed: of others, or in a way that is not followed."""
    if not isinstance(target, e.Name | e.Member) or not is_parallel_size(spelled(target)):
        return False
    return isinstance(value, Quantity) and isinstance(value.extent, Arithmetic | Unknown)


def _is_object_of_class(slicer: "Slicer", statement: s.Assign) -> bool:
    """Whether fields of what is assigned are looked for in its class, beyond the file."""
    return (
        slicer.crosses_files
        and not statement.operator
        and isinstance(statement.value, e.Name | e.Member | e.Subscript)
        and known_types.bare(statement.type) in slicer.program.classes
    )


def _object(statement: s.Assign, frame: Frame) -> Reference:
    return Reference(
        text=spelled(statement.target),
        kind="field",
        path=frame.path,
        line=statement.line,
        scope=frame.function.name,
        type=statement.type,
    )


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
    trail = value.trail.after(hop).through(frame.path, name, frame.depth)
    return Quantity(extent=symbol, trail=trail)


def _unpacked(
    slicer: "Slicer", statement: s.Assign, place: Place, frame: Frame, point: Point
) -> Value | None:
    assert isinstance(statement.target, e.Collection)
    if statement.value is None:
        return None
    return _part_of(slicer, statement, statement.target, statement.value, place, frame, point)


def _part_of(
    slicer: "Slicer",
    statement: s.Assign,
    into: e.Collection,
    given: e.Expression,
    place: Place,
    frame: Frame,
    point: Point,
) -> Value | None:
    """What a place is given by a value that is unpacked into several."""
    count = len(into.items)
    stars = [at for at, one in enumerate(into.items) if isinstance(one, e.Starred)]
    for number_, target in enumerate(into.items):
        if place[0] not in {one[0] for one in targets(target)}:
            continue
        if isinstance(target, e.Starred):
            value = slicer.value(given, frame, point)
            whole = sequences.unpacked(slicer, value, spelled(given))
            rest = shapes.cut(whole, number_, number_ + 1 - count or None)
            return members.parts(slicer, rest, place[1:])
        is_behind = bool(stars) and stars[0] < number_
        source, element = _element(given, number_ - count if is_behind else number_, count)
        if isinstance(target, e.Collection):
            if element is not None:
                source = e.Subscript(source, (e.Number(element),))
                slicer.written.append(source)
            return _part_of(slicer, statement, target, source, place, frame, point)
        if place_of(target) != place[:1]:
            continue
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
    """What gives element `place` of `count`: an expression, and a place in it unless it is that.

    A place is counted from the end where it is negative.
    """
    if not isinstance(node, e.Collection):
        return node, place
    stars = [at for at, one in enumerate(node.items) if isinstance(one, e.Starred)]
    if not stars and -len(node.items) <= place < len(node.items):
        return node.items[place], None
    if len(stars) != 1:
        return node, place
    star, after = stars[0], len(node.items) - stars[0] - 1
    if place < 0:
        return (node.items[place], None) if -place <= after else (node, place)
    if place < star:
        return node.items[place], None
    if place >= count - after:
        return node.items[place - count], None
    starred = node.items[star]
    assert isinstance(starred, e.Starred)
    return starred.value, place - star
