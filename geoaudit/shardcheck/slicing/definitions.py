"""Reaching definitions: what a variable, a member or an element is at a point of a function."""

from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import loops, macros, members, outputs
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import (
    CALLED,
    SOME_ELEMENT,
    Place,
    Point,
    assigned,
    leaves,
    place_of,
)
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.sites import Hop
from geoaudit.shardcheck.slicing.values import (
    Items,
    Quantity,
    Record,
    Reference,
    Value,
    computed,
    either,
)
from geoaudit.shardcheck.symbolic.extents import Symbol

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_ASSIGNED: dict[int, tuple[s.Statement, frozenset[str]]] = {}


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


def variables_of(statement: s.Statement) -> frozenset[str]:
    """As `assigned`, worked out once."""
    known = _ASSIGNED.get(id(statement))
    if known is None or known[0] is not statement:
        known = (statement, assigned(statement))
        _ASSIGNED[id(statement)] = known
    return known[1]


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
    for index in range(point.index - 1, -1, -1):
        statement = point.block[index]
        names = variables_of(statement)
        if place[0] in names or CALLED in names:
            found = _after(slicer, statement, place, frame, point.at(index))
            if found is not None:
                return found
    return None


def _after(
    slicer: "Slicer", statement: s.Statement, place: Place, frame: Frame, point: Point
) -> Value | None:
    match statement:
        case s.Assign():
            found = _after_assignment(slicer, statement, place, frame, point)
            return found or outputs.after_calls(slicer, statement, place, frame, point)
        case s.Branch() if place[0] in variables_of(statement) or CALLED in variables_of(
            statement
        ):
            return _after_branch(slicer, statement, place, frame, point)
        case s.Loop() if place[0] in variables_of(statement):
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
        guard = slicer.quantity(statement.condition, frame, point)
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
    value = _assigned_value(slicer, statement, frame, point)
    if len(place) >= len(target):
        for part in place[len(target) :]:
            value = members.part(slicer, value, part)
        return value
    before = _before(slicer, place, frame, point)
    return members.with_part(before, target[len(place) :], value)


def _before(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value:
    return current(slicer, place, frame, point)


def _assigned_value(
    slicer: "Slicer", statement: s.Assign, frame: Frame, point: Point
) -> Value:
    if statement.value is None:
        return members.declared(slicer, statement.type, spelled(statement.target), frame)
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
    return annotated(slicer, value, spelled(statement.target), frame, statement.line, text)


def _unpacked(
    slicer: "Slicer", statement: s.Assign, place: Place, frame: Frame, point: Point
) -> Value | None:
    assert isinstance(statement.target, e.Collection)
    if statement.value is None:
        return None
    for number_, target in enumerate(statement.target.items):
        if place_of(target) != place[:1]:
            continue
        whole = slicer.value(statement.value, frame, point)
        count = len(statement.target.items)
        value = members.item(slicer, whole, number_, spelled(statement.value), count)
        text = f"{spelled(target)} = {spelled(statement.value)}[{number_}]"
        value = annotated(slicer, value, spelled(target), frame, statement.line, text)
        for part in place[1:]:
            value = members.part(slicer, value, part)
        return value
    return None


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

