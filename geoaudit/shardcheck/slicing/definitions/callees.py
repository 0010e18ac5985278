"""What functions of the program leave in what they are given, in their object, and around them."""

from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing import aliases
from geoaudit.shardcheck.slicing.calls import calling, resolution
from geoaudit.shardcheck.slicing.definitions import reaching
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import SOME_ELEMENT, Place, Point, place_of
from geoaudit.shardcheck.slicing.scopes import fields, members
from geoaudit.shardcheck.slicing.values import Closure, Record, Value, either, unknown

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

NOT_FOLLOWED = (False, None)
UNCHANGED = (True, None)


def by_argument(
    slicer: "Slicer", call: e.Call, number: int, tail: Place, frame: Frame, point: Point
) -> tuple[bool, Value | None]:
    """A part of an argument after a call: whether the call is followed, and what it assigns.

    A pointer that is passed on is itself not changed.
    """
    named = slicer.program.functions.get(last_name(call.function), ())
    if not named:
        return NOT_FOLLOWED
    if not any(_may_change(slicer, one, number, tail) for one in named):
        return UNCHANGED
    closure, _ = resolution.meant(slicer, call, frame, point)
    if closure is None or len(closure.functions) != 1:
        return NOT_FOLLOWED
    function = closure.functions[0]
    if number >= len(function.own_parameters) or function.function.kind == "macro":
        return NOT_FOLLOWED
    parameter = function.own_parameters[number]
    if not _may_change(slicer, function, number, tail):
        return UNCHANGED
    inner = calling.entered(slicer, closure, function, call, frame, point)
    if inner is None:
        return NOT_FOLLOWED
    if function.file.language == "c":
        return True, reaching.read(slicer, (parameter.name, *tail), inner, _end(function))
    return True, _members(slicer, function, parameter.name, tail, inner)


def _may_change(slicer: "Slicer", function: IndexedFunction, number: int, tail: Place) -> bool:
    """Whether a function may change a part of an argument; one without a body may any it can."""
    own = function.own_parameters
    if number >= len(own) or function.function.kind == "macro":
        return True
    parameter = own[number]
    if function.file.language == "c":
        if not parameter.type.endswith(("&", "*")) or "const" in parameter.type:
            return parameter.is_pack
        if not function.function.body:
            return True
    parts = function.changed_parts.get(parameter.name, frozenset())
    if any(
        all(a == b or SOME_ELEMENT in (a, b) for a, b in zip(one, tail, strict=False))
        for one in parts
    ):
        return True
    callees = function.passed_on.get(parameter.name, frozenset())
    return not slicer.program.writing.isdisjoint(callees)


def _members(
    slicer: "Slicer", function: IndexedFunction, name: str, tail: Place, inner: Frame
) -> Value | None:
    """A part of an object after a function of Python that assigns members of it."""
    parts = function.changed_parts.get(name, frozenset())
    if tail:
        if not any(one[: len(tail)] == tail[: len(one)] for one in parts):
            return None
        return reaching.read(slicer, (name, *tail), inner, _end(function))
    if any(SOME_ELEMENT in one for one in parts) or not parts:
        return None
    return reaching.read(slicer, (name,), inner, _end(function))


def by_closure(
    slicer: "Slicer", call: e.Call, place: Place, frame: Frame, point: Point
) -> Value | None:
    """A variable that a nested function assigns, after its call, or after it is given to one."""
    function, program = frame.function, slicer.program
    node = call.function
    if isinstance(node, e.Name) and node.text in function.nested:
        if place[0] not in program.written_around(function.file, function.nested[node.text]):
            return None
        closure = slicer.value(node, frame, point)
        if not isinstance(closure, Closure) or len(closure.functions) != 1:
            return None
        inner = calling.entered(slicer, closure, closure.functions[0], call, frame, point)
        return None if inner is None else _around(slicer, place, inner)
    for one in call.arguments:
        if not isinstance(one, e.FunctionValue):
            continue
        if place[0] in program.written_around(function.file, one.function):
            called = program.function_of(function.file, one.function)
            inner = Frame(
                function=called, arguments={}, outer=(frame, point), depth=frame.depth + 1
            )
            found = _around(slicer, place, inner)
            if found is not None:
                return either(
                    [(None, found), (None, reaching.current(slicer, place, frame, point))]
                )
    return None


def _around(slicer: "Slicer", place: Place, inner: Frame) -> Value | None:
    return reaching.read(slicer, place, inner, _end(inner.function))


def by_method(
    slicer: "Slicer", call: e.Call, place: Place, frame: Frame, point: Point
) -> Value | None:
    """A field of an object, or the object, after a method that assigns its fields."""
    written = slicer.program.field_writes.get(last_name(call.function))
    if not written:
        return None
    base = _object_of(call, frame)
    if base is None:
        return None
    is_own = base == ("this",) and place[0] in written
    tail = place if is_own else place[len(base) :]
    if not is_own and (
        base[: len(place)] != place[: len(base)] or (tail and tail[0] not in written)
    ):
        return None
    if not tail:
        return _object_after(slicer, call, place, base, frame, point)
    closure, _ = resolution.meant(slicer, call, frame, point)
    if closure is None or len(closure.functions) != 1:
        return None
    inner = calling.entered(slicer, closure, closure.functions[0], call, frame, point)
    return None if inner is None else _field(slicer, tail, inner)


def _object_after(
    slicer: "Slicer", call: e.Call, place: Place, base: Place, frame: Frame, point: Point
) -> Value | None:
    """An object that is read as a whole: fields that a method of its class assigns are unknown."""
    before = reaching.current(slicer, place, frame, point)
    whole = members.parts(slicer, before, base[len(place) :])
    name = last_name(call.function)
    if not isinstance(whole, Record) or not fields.method_of(slicer, whole.type, name):
        return None
    for one in sorted(slicer.program.field_writes[name] & {*fields.names_of(slicer, whole.type)}):
        changed = unknown(f"{'.'.join(base)}.{one} is changed by {name}")
        before = members.with_part(before, (*base[len(place) :], one), changed)
    return before


def _object_of(call: e.Call, frame: Frame) -> Place | None:
    """The place of the object whose method is called; of C++ also its own, unnamed."""
    if isinstance(call.function, e.Member):
        base = place_of(call.function.value)
        return None if base is None else aliases.meant(frame.function.aliases, base)
    is_own = isinstance(call.function, e.Name) and bool(frame.function.function.owner)
    return ("this",) if is_own and frame.function.file.language == "c" else None


def _field(slicer: "Slicer", tail: Place, inner: Frame) -> Value | None:
    """A field of its object at the end of a method; None: it is not assigned."""
    function = inner.function
    if function.file.language != "c":
        return reaching.read(slicer, (function.object_name, *tail), inner, _end(function))
    found = reaching.read(slicer, tail, inner, _end(function))
    return found or reaching.read(slicer, ("this", *tail), inner, _end(function))


def _end(function: IndexedFunction) -> Point:
    body = function.function.body
    return Point(block=body, index=len(body))
