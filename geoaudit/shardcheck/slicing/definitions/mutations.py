"""What methods do to the list or the dictionary they are called on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import blocks_of
from geoaudit.shardcheck.slicing import dictionaries, sequences
from geoaudit.shardcheck.slicing.definitions import reaching
from geoaudit.shardcheck.slicing.definitions.effects import effects_of
from geoaudit.shardcheck.slicing.definitions.mutating_calls import ADDING, mutated
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Place, Point
from geoaudit.shardcheck.slicing.quantities import dependencies
from geoaudit.shardcheck.slicing.scopes import members
from geoaudit.shardcheck.slicing.values import Items, Record, Value, unknown

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


def after(
    slicer: "Slicer", statement: s.Statement, place: Place, frame: Frame, point: Point
) -> Value | None:
    """A place once the methods that a statement calls have changed it; None: they do not."""
    for call, target in _mutations(slicer, statement):
        shared = min(len(target), len(place))
        if target[:shared] != place[:shared]:
            continue
        before = reaching.current(slicer, target, frame, point)
        if not isinstance(before, Items) and not dictionaries.is_dictionary(before):
            continue
        if isinstance(statement, s.Loop):
            text = f"how often {spelled(call)} runs in a loop"
            value: Value = unknown(text, dependencies(slicer, [before], text))
        else:
            value = _changed(slicer, call, before, frame, point)
        if len(place) >= len(target):
            return members.parts(slicer, value, place[len(target) :])
        whole = reaching.current(slicer, place, frame, point)
        return members.with_part(whole, target[len(place) :], value)
    return None


def _mutations(slicer: "Slicer", statement: s.Statement) -> Iterator[tuple[e.Call, Place]]:
    """The calls that change something in a statement, those within a loop too."""
    for one in effects_of(statement, slicer.program.effects).calls:
        target = mutated(one)
        if target is not None:
            yield one, target
    if isinstance(statement, s.Loop):
        yield from _within(slicer, statement)


def _within(slicer: "Slicer", statement: s.Statement) -> Iterator[tuple[e.Call, Place]]:
    for block in blocks_of(statement):
        for inner in block:
            yield from _mutations(slicer, inner)
            if isinstance(inner, s.Branch):
                yield from _within(slicer, inner)


def _changed(
    slicer: "Slicer", call: e.Call, before: Items | Record, frame: Frame, point: Point
) -> Value:
    assert isinstance(call.function, e.Member)
    name = call.function.name
    if isinstance(before, Items) and name in ADDING and len(call.arguments) == 1:
        new = slicer.value(call.arguments[0], frame, point)
        return sequences.concatenated([before, Items(values=(new,))])
    if isinstance(before, Items) and name == "extend" and len(call.arguments) == 1:
        more = slicer.value(call.arguments[0], frame, point)
        return sequences.concatenated([before, sequences.unpacked(slicer, more, spelled(call))])
    if isinstance(before, Record) and name == "update":
        spread = tuple((dictionaries.SPREAD, one) for one in call.arguments)
        given = dictionaries.made(slicer, (*spread, *call.keywords), frame, point)
        return dictionaries.merged([before, given])
    if name == "clear":
        return Items(values=()) if isinstance(before, Items) else Record(type="")
    text = f"what {spelled(call)} leaves"
    return unknown(text, dependencies(slicer, [before], text))
