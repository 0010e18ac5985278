"""What loops do to the values they change."""

from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import blocks_of, last_name
from geoaudit.shardcheck.slicing.definitions import reaching
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Place, Point, targets
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.scopes import members
from geoaudit.shardcheck.slicing.trails import named
from geoaudit.shardcheck.slicing.values import (
    Items,
    Quantity,
    Reference,
    Value,
    either,
    joined,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Repeated, Symbol
from geoaudit.shardcheck.symbolic.walking import symbols

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_GATHERING = frozenset({"sorted", "set", "list", "tuple", "reversed", "tqdm"})
MOST_VARIABLES = 8
MOST_ELEMENTS = 16
LOOP = "(loop)"
"""Scope of the symbols that stand for what a loop changes."""


def after(slicer: "Slicer", loop: s.Loop, place: Place, frame: Frame, point: Point) -> Value | None:
    """A place once a loop has ended; None: the loop does not change it."""
    changed = _changed(loop)
    touched = [one for one in changed if one[0] == place[0]]
    is_own = frame.function.file.language == "c" and reaching.declares(loop.body, place[0])
    if not touched or is_own:
        return None
    before = point if not loop.initial else point.end_of(loop.initial)
    if place not in changed:
        if not any(one[: len(place)] == place for one in touched):
            return None
        whole = reaching.current(slicer, place, frame, before)
        for one in touched:
            value = _repeated(slicer, loop, one, frame, point)
            whole = members.with_part(whole, one[len(place) :], value)
        return whole
    return _repeated(slicer, loop, place, frame, point)


def at_round_start(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value | None:
    """A place as a round of the loop around a point begins; None: the loop does not change it."""
    loop, parent = point.holder, point.parent
    assert isinstance(loop, s.Loop)
    assert parent is not None
    if point.block is loop.initial:
        return None
    if loop.target is not None and place[0] in {one[0] for one in targets(loop.target)}:
        return _element(slicer, loop, place, frame, parent)
    touched = [one for one in _changed(loop) if one[0] == place[0]]
    given = {
        one: frame.overlay[id(loop), ".".join(one)]
        for one in touched
        if (id(loop), ".".join(one)) in frame.overlay
    }
    if place in given:
        return given[place]
    before = parent if not loop.initial else parent.end_of(loop.initial)
    if not touched:
        if loop.initial:
            return reaching.within_block(slicer, place, frame, before)
        return None
    value = reaching.current(slicer, place, frame, before)
    if given:
        for one, symbol in given.items():
            if one[: len(place)] == place:
                value = members.with_part(value, one[len(place) :], symbol)
        return value
    if isinstance(value, Quantity):
        name = ".".join(place)
        return named(unknown(f"{name} changes from round to round of a loop", [value]), name, frame)
    return value


def _element(
    slicer: "Slicer", loop: s.Loop, place: Place, frame: Frame, parent: Point
) -> Value | None:
    assert loop.iterable is not None
    assert loop.target is not None
    text = spelled(loop.iterable)
    values = slicer.value(_gathered(loop.iterable), frame, parent)
    is_one = isinstance(loop.target, e.Name)
    if is_one and isinstance(values, Items) and 0 < len(values.values) <= MOST_ELEMENTS:
        return either([(None, value) for value in values.values])
    parts = [as_quantity(slicer, values, text)] if isinstance(values, Quantity | Reference) else []
    lost = unknown(f"{place[0]} is each of {text} in turn", parts)
    return named(named(lost, place[0], frame), text, frame)


def _gathered(node: e.Expression) -> e.Expression:
    """What a loop goes over, without what orders it or makes it a list."""
    while isinstance(node, e.Call) and last_name(node.function) in _GATHERING:
        if len(node.arguments) != 1:
            break
        node = node.arguments[0]
    return node


def _repeated(slicer: "Slicer", loop: s.Loop, place: Place, frame: Frame, point: Point) -> Quantity:
    """A place after the loop, as `Repeated` over the places that it depends on."""
    held = {one: _symbol(one, loop, frame) for one in _changed(loop)}
    overlay = {(id(loop), ".".join(one)): Quantity(extent=symbol) for one, symbol in held.items()}
    within = replace(frame, overlay={**frame.overlay, **overlay})
    start = Point(block=loop.body, index=0, parent=point, holder=loop)
    condition: Quantity | None = None
    if loop.condition is not None and not _breaks(loop.body):
        condition = slicer.quantity(loop.condition, within, start)
    end = point.end_of(loop.step) if loop.step else point.end_of(loop.body)
    steps: dict[Place, Quantity] = {}
    waiting = [place, *_read(condition, held)]
    while waiting:
        one = waiting.pop()
        if one in steps:
            continue
        if len(steps) >= MOST_VARIABLES:
            return unknown("a loop changes too many values", list(steps.values()))
        steps[one] = _after_round(slicer, loop, one, within, end)
        waiting.extend(_read(steps[one], held))
    before = point if not loop.initial else point.end_of(loop.initial)
    initial = [
        as_quantity(slicer, reaching.current(slicer, one, frame, before), ".".join(one))
        for one in steps
    ]
    trails = [one.trail for one in (*steps.values(), *initial, *([condition] if condition else []))]
    extent = Repeated(
        variables=tuple(held[one] for one in steps),
        initial=tuple(one.extent for one in initial),
        condition=None if condition is None else condition.extent,
        steps=tuple(one.extent for one in steps.values()),
        result=held[place],
    )
    return Quantity(extent=extent, trail=joined(trails))


def _after_round(
    slicer: "Slicer", loop: s.Loop, place: Place, frame: Frame, end: Point
) -> Quantity:
    if loop.step:
        found = reaching.within_block(slicer, place, frame, end)
        if found is not None:
            return as_quantity(slicer, found, ".".join(place))
        assert end.parent is not None
        end = end.parent.end_of(loop.body)
    return as_quantity(slicer, reaching.current(slicer, place, frame, end), ".".join(place))


def _symbol(place: Place, loop: s.Loop, frame: Frame) -> Symbol:
    return Symbol(name=".".join(place), kind="unknown", path=frame.path, line=loop.line, scope=LOOP)


def _read(quantity: Quantity | None, held: dict[Place, Symbol]) -> list[Place]:
    if quantity is None:
        return []
    found = set(symbols(quantity.extent))
    return [place for place, symbol in held.items() if symbol in found]


def _changed(loop: s.Loop) -> list[Place]:
    found: dict[Place, None] = {}
    waiting: list[s.Statement] = [*loop.body, *loop.step]
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, s.Assign):
            found.update(dict.fromkeys(targets(statement.target)))
        for block in blocks_of(statement):
            waiting.extend(block)
    return list(found)


def _breaks(block: tuple[s.Statement, ...]) -> bool:
    for statement in block:
        if isinstance(statement, s.Stop) and not statement.leaves_function:
            return True
        if isinstance(statement, s.Branch) and (
            _breaks(statement.then) or _breaks(statement.otherwise)
        ):
            return True
    return False
