"""What loops do to the values they change."""

from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.slicing.definitions import outputs, reaching
from geoaudit.shardcheck.slicing.definitions.loop_forms import (
    breaks,
    changed_by,
    is_own,
    is_target,
    runs_once,
)
from geoaudit.shardcheck.slicing.definitions.rounds import element, gathered
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Place, Point
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.scopes import members
from geoaudit.shardcheck.slicing.values import (
    Items,
    Quantity,
    Reference,
    Value,
    either,
    joined,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Cases, Extent, Repeated, Symbol
from geoaudit.shardcheck.symbolic.substitution import substitute
from geoaudit.shardcheck.symbolic.walking import symbols, walk

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

MOST_VARIABLES = 8
LOOP = "(loop)"
"""Scope of the symbols that stand for what a loop changes."""


def after(slicer: "Slicer", loop: s.Loop, place: Place, frame: Frame, point: Point) -> Value | None:
    """A place once a loop has ended; None: the loop does not change it."""
    if is_own(loop, place, frame):
        return None
    if runs_once(loop) and not breaks(loop.body):
        found = reaching.within_block(slicer, place, frame, point.end_of(loop.body))
        return found or outputs.after_calls(slicer, loop, place, frame, point)
    if is_target(loop, place):
        return _last_element(slicer, loop, place, frame, point)
    changed = changed_by(loop, slicer.program.rounds)
    touched = [one for one in changed if one[0] == place[0]]
    if not touched:
        return _after_a_round(slicer, loop, place, frame, point)
    before = point if not loop.initial else point.end_of(loop.initial)
    if place not in changed:
        inner = [one for one in touched if one[: len(place)] == place]
        if not inner or any(place[: len(one)] == one for one in touched):
            return _after_a_round(slicer, loop, place, frame, point)
        whole = reaching.current(slicer, place, frame, before)
        for one in inner:
            value = _repeated(slicer, loop, one, frame, point)
            whole = members.with_part(whole, one[len(place) :], value)
        return whole
    begins = reaching.current(slicer, place, frame, before)
    if isinstance(begins, Quantity | Reference):
        return _repeated(slicer, loop, place, frame, point)
    return _after_a_round(slicer, loop, place, frame, point)


def _after_a_round(
    slicer: "Slicer", loop: s.Loop, place: Place, frame: Frame, point: Point
) -> Value | None:
    """A place that is no number, or that calls write, after a round or after none."""
    found = None
    for block in (loop.step, loop.body):
        found = found or (reaching.within_block(slicer, place, frame, point.end_of(block)))
    found = found or outputs.after_calls(slicer, loop, place, frame, point)
    if found is None:
        return None
    return either([(None, found), (None, reaching.current(slicer, place, frame, point))])


def _last_element(
    slicer: "Slicer", loop: s.Loop, place: Place, frame: Frame, point: Point
) -> Value:
    """What a loop over elements leaves in its variable: the last, or where it breaks any of them.

    A loop over nothing leaves what was there before; so may one over what is not known.
    """
    assert loop.iterable is not None
    values = slicer.value(gathered(loop.iterable), frame, point)
    found = element(slicer, loop, place, frame, point)
    if isinstance(values, Items) and values.values and not values.back:
        is_last = isinstance(loop.target, e.Name) and not breaks(loop.body)
        return members.parts(slicer, values.values[-1], place[1:]) if is_last else found
    return either([(None, found), (None, reaching.current(slicer, place, frame, point))])


def _repeated(slicer: "Slicer", loop: s.Loop, place: Place, frame: Frame, point: Point) -> Quantity:
    """A place after the loop, as `Repeated` over the places that it depends on."""
    held = {one: _symbol(one, loop, frame) for one in changed_by(loop, slicer.program.rounds)}
    overlay = {(id(loop), ".".join(one)): Quantity(extent=symbol) for one, symbol in held.items()}
    within = replace(frame, overlay={**frame.overlay, **overlay})
    start = Point(block=loop.body, index=0, parent=point, holder=loop)
    condition: Quantity | None = None
    if loop.condition is not None and not breaks(loop.body):
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
    begun = {held[one]: start.extent for one, start in zip(steps, initial, strict=True)}
    first = [replace(one, extent=substitute(one.extent, begun)) for one in steps.values()]
    if any(_is_undecided(one.extent) for one in steps.values()):
        reason = f"{'.'.join(place)} is given one of several values in each round of a loop"
        return unknown(reason, [*first, *initial])
    extent = Repeated(
        variables=tuple(held[one] for one in steps),
        initial=tuple(one.extent for one in (first if loop.body_first else initial)),
        condition=None if condition is None else condition.extent,
        steps=tuple(one.extent for one in steps.values()),
        result=held[place],
    )
    return Quantity(extent=extent, trail=joined(trails))


def _is_undecided(extent: Extent) -> bool:
    """Whether an extent is one of several of which nothing decides, anew in each round."""
    return any(
        isinstance(one, Cases)
        and any(case.guard is None and not case.text for case in one.cases[:-1])
        for one in walk(extent)
    )


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
