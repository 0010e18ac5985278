"""What a place is while a loop runs, as any of its rounds begins."""

from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing.definitions import outputs, reaching
from geoaudit.shardcheck.slicing.definitions.loop_forms import changed_by, is_target, runs_once
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import SOME_ELEMENT, Place, Point
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.scopes import members
from geoaudit.shardcheck.slicing.trails import named
from geoaudit.shardcheck.slicing.values import (
    NOWHERE,
    Either,
    Items,
    Quantity,
    Record,
    Reference,
    Shaped,
    Value,
    either,
    unknown,
)

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_GATHERING = frozenset({"sorted", "set", "list", "tuple", "reversed", "tqdm"})
MOST_ELEMENTS = 16


def at_round_start(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value | None:
    """A place as a round of the loop around a point begins; None: the loop does not change it."""
    loop, parent = point.holder, point.parent
    assert isinstance(loop, s.Loop)
    assert parent is not None
    if point.block is loop.initial or runs_once(loop):
        return None
    if is_target(loop, place):
        return element(slicer, loop, place, frame, parent)
    touched = [one for one in changed_by(loop, slicer.program.rounds) if one[0] == place[0]]
    given = {
        one: frame.overlay[id(loop), ".".join(one)]
        for one in touched
        if (id(loop), ".".join(one)) in frame.overlay
    }
    for one, value in given.items():
        if place[: len(one)] == one:
            return members.parts(slicer, value, place[len(one) :])
    before = parent if not loop.initial else parent.end_of(loop.initial)
    if given:
        value = reaching.current(slicer, place, frame, before)
        for one, symbol in given.items():
            if one[: len(place)] == place:
                value = members.with_part(value, one[len(place) :], symbol)
        return value
    key = ("(round)", *place)
    start = Point(block=loop.body, index=0, parent=parent, holder=loop)
    return slicer.remembered(
        frame, start, key, lambda: _unsteady(slicer, loop, place, frame, start, before)
    )


def _unsteady(
    slicer: "Slicer", loop: s.Loop, place: Place, frame: Frame, start: Point, before: Point
) -> Value | None:
    """A place in any round: unknown as far as a round changes it; None: it does not."""
    touched = [one for one in changed_by(loop, slicer.program.rounds) if one[0] == place[0]]
    parent = start.parent
    assert parent is not None
    ends = [parent.end_of(block) for block in (loop.step, loop.body)]
    if not touched and not any(
        reaching.within_block(slicer, place, frame, end) is not None for end in ends
    ):
        found = reaching.within_block(slicer, place, frame, before) if loop.initial else None
        return found or outputs.after_calls(slicer, loop, place, frame, parent)
    value = reaching.current(slicer, place, frame, before)
    inner = [one for one in touched if len(one) > len(place) and one[: len(place)] == place]
    if touched and len(inner) == len(touched):
        for one in inner:
            part = reaching.current(slicer, one, frame, before)
            value = members.with_part(value, one[len(place) :], _lost(slicer, part, one, frame))
        return value
    if touched and all(_is_other(one, place) for one in touched):
        return value
    if not isinstance(value, Quantity) and _is_kept(slicer, loop, place, value, frame, ends):
        return value
    return _lost(slicer, value, place, frame)


def _is_other(one: Place, place: Place) -> bool:
    """Whether two places of a variable have nothing in common: ``grid.x`` and ``grid.y``."""
    return any(a != b and SOME_ELEMENT not in (a, b) for a, b in zip(one, place, strict=False))


def _is_kept(
    slicer: "Slicer", loop: s.Loop, place: Place, value: Value, frame: Frame, ends: list[Point]
) -> bool:
    """Whether a round gives a place back as it began: ``x = x.contiguous()``.

    Asked of one place at a time: with each that another depends on, it would take ever longer.
    """
    if frame.overlay:
        return False
    overlay = {**frame.overlay, (id(loop), ".".join(place)): value}
    within = replace(frame, overlay=overlay)
    for end in ends:
        found = reaching.within_block(slicer, place, within, end)
        if found is not None:
            return _untraced(found) == _untraced(value)
    return False


def _lost(slicer: "Slicer", value: Value, place: Place, frame: Frame) -> Value:
    """A value of the same form of whose numbers nothing is known but what they began as."""
    name = ".".join(place)
    match value:
        case Record(members=known):
            axes = dict.fromkeys((*known, *(members.AXES if value.type == "dim3" else ())))
            parts = {one: members.member(slicer, value, one) for one in axes}
            inner = {one: _lost(slicer, part, (*place, one), frame) for one, part in parts.items()}
            return Record(type=value.type, members=inner, rest=value.rest)
        case Items(values=values):
            inner_values = (_lost(slicer, one, place, frame) for one in values)
            back = (_lost(slicer, one, place, frame) for one in value.back)
            return Items(values=tuple(inner_values), back=tuple(back))
        case Shaped(extents=values):
            extents = (_lost(slicer, one, place, frame) for one in values)
            back = (_lost(slicer, one, place, frame) for one in value.back)
            return Shaped(extents=tuple(extents), text=value.text, back=tuple(back))
        case Quantity() | Reference() | Either():
            parts_ = [as_quantity(slicer, value, name)]
            changed = unknown(f"{name} changes from round to round of a loop", parts_)
            return named(changed, name, frame)
        case _:
            return unknown(f"{name} changes from round to round of a loop")


def element(slicer: "Slicer", loop: s.Loop, place: Place, frame: Frame, parent: Point) -> Value:
    """The variable of a loop over elements in any of its rounds."""
    assert loop.iterable is not None
    assert loop.target is not None
    text = spelled(loop.iterable)
    values = slicer.value(gathered(loop.iterable), frame, parent)
    is_one = isinstance(loop.target, e.Name)
    if is_one and isinstance(values, Items) and 0 < len(values.values) <= MOST_ELEMENTS:
        return either([(None, value) for value in values.values])
    parts = [as_quantity(slicer, values, text)] if isinstance(values, Quantity | Reference) else []
    lost = unknown(f"{place[0]} is each of {text} in turn", parts)
    return named(named(lost, place[0], frame), text, frame)


def gathered(node: e.Expression) -> e.Expression:
    """What a loop goes over, without what orders it or makes it a list."""
    while isinstance(node, e.Call) and last_name(node.function) in _GATHERING:
        if len(node.arguments) != 1:
            break
        node = node.arguments[0]
    return node


def _untraced(value: Value) -> Value:
    """A value without the names and lines on its way, to be compared."""
    match value:
        case Quantity() | Reference():
            return replace(value, trail=NOWHERE)
        case Shaped(extents=extents, back=back):
            return Shaped(extents=tuple(map(_untraced, extents)), back=tuple(map(_untraced, back)))
        case Items(values=values, back=back):
            return Items(values=tuple(map(_untraced, values)), back=tuple(map(_untraced, back)))
        case Record(members=known):
            return replace(value, members={name: _untraced(one) for name, one in known.items()})
        case _:
            return value
