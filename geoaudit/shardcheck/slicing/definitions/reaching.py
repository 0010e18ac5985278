"""Reaching definitions: what a variable, a member or an element is at a point of a function."""

from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.slicing import aliases
from geoaudit.shardcheck.slicing.definitions import assignments, loops, mutations, outputs, rounds
from geoaudit.shardcheck.slicing.definitions.changes import changes_in
from geoaudit.shardcheck.slicing.definitions.facts import NONE_KNOWN, Facts, facts_at
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import (
    SOME_ELEMENT,
    Place,
    Point,
    declares,
    leaves,
)
from geoaudit.shardcheck.slicing.scopes import macros
from geoaudit.shardcheck.slicing.trails import named
from geoaudit.shardcheck.slicing.values import (
    Value,
    either,
)

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


def read(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value | None:
    """The value of a place just before a statement; None: nothing in the function assigns it."""
    return slicer.remembered(frame, point, place, lambda: _looked_up(slicer, place, frame, point))


def _looked_up(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value | None:
    meant = aliases.meant(frame.function.aliases, place)
    if meant == place:
        return _found(slicer, place, frame, point)
    return named(current(slicer, meant, frame, point), ".".join(place), frame)


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
    facts = facts_at(point, frame.function)
    while at is not None:
        found = within_block(slicer, place, frame, at, facts)
        if found is not None:
            return found
        if at.parent is not None:
            found = _on_the_way_in(slicer, place, frame, at)
            if found is not None:
                return found
        at = at.parent
    return None


def _on_the_way_in(slicer: "Slicer", place: Place, frame: Frame, point: Point) -> Value | None:
    """What the statement that holds a point's block does before the block begins."""
    assert point.parent is not None
    match point.holder:
        case s.Loop():
            return rounds.at_round_start(slicer, place, frame, point)
        case s.Branch() as branch:
            holds = point.block is branch.then
            return outputs.after_calls(slicer, branch, place, frame, point.parent, holds)
        case _:
            return None


def within_block(
    slicer: "Slicer", place: Place, frame: Frame, point: Point, facts: Facts = NONE_KNOWN
) -> Value | None:
    """The value that the statements before a point, in its own block, give a place.

    Args:
        slicer: that evaluates.
        place: what is read.
        frame: of the function.
        point: before which.
        facts: conditions that hold where the place is read.
    """
    function = frame.function
    names = (place[0], *function.other_names.get(place[0], ()))
    for index in changes_in(slicer.program, point.block, function).before(names, point.index):
        found = _after(slicer, point.block[index], place, frame, point.at(index), facts)
        if found is not None:
            return found
    return None


def _after(
    slicer: "Slicer",
    statement: s.Statement,
    place: Place,
    frame: Frame,
    point: Point,
    facts: Facts,
) -> Value | None:
    if not isinstance(statement, s.Branch):
        changed = mutations.after(slicer, statement, place, frame, point)
        if changed is not None:
            return changed
    match statement:
        case s.Assign():
            found = assignments.after_assignment(slicer, statement, place, frame, point)
            return found or outputs.after_calls(slicer, statement, place, frame, point)
        case s.Branch():
            return _after_branch(slicer, statement, place, frame, point, facts)
        case s.Loop():
            return loops.after(slicer, statement, place, frame, point)
        case s.Evaluate():
            expanded = macros.expanded(slicer, statement, frame)
            if expanded is not None:
                inner = Point(block=expanded, index=len(expanded), parent=point, holder=statement)
                found = within_block(slicer, place, frame, inner)
                if found is not None:
                    return found
            return outputs.after_calls(slicer, statement, place, frame, point)
        case _:
            return None


def _kept(
    slicer: "Slicer", statement: s.Branch, place: Place, frame: Frame, point: Point, holds: bool
) -> Value:
    """A place on a side of a branch that does not change it: as the condition leaves it."""
    found = outputs.after_calls(slicer, statement, place, frame, point, holds)
    return found if found is not None else current(slicer, place, frame, point)


def _is_scope(statement: s.Branch, frame: Frame) -> bool:
    """Whether variables that the branches declare end with them; those under ``#if`` do not."""
    return frame.function.file.language == "c" and not isinstance(statement.condition, e.Opaque)


def _after_branch(
    slicer: "Slicer",
    statement: s.Branch,
    place: Place,
    frame: Frame,
    point: Point,
    facts: Facts,
) -> Value | None:
    sides = (statement.then, statement.otherwise)
    is_scope = _is_scope(statement, frame)
    found = [
        None
        if is_scope and declares(side, place[0])
        else within_block(slicer, place, frame, point.end_of(side), facts)
        for side in sides
    ]
    going = [not leaves(side) for side in sides]
    if not any(value is not None and goes for value, goes in zip(found, going, strict=True)):
        holds = None if going[0] == going[1] else going[0]
        return outputs.after_calls(slicer, statement, place, frame, point, holds)
    values = [
        (value if value is not None else _kept(slicer, statement, place, frame, point, holds))
        if goes
        else None
        for value, goes, holds in zip(found, going, (True, False), strict=True)
    ]
    then, otherwise = values
    if then is None or otherwise is None:
        return then or otherwise
    known = facts.get(statement.condition) if facts else None
    if known is not None:
        return then if known else otherwise
    guard = None
    if not isinstance(statement.condition, e.Opaque):
        guard = slicer.condition(statement.condition, frame, point)
    return either([(guard, then), (None, otherwise)])
