"""Dictionaries of Python: made, spread into others, asked and changed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeGuard

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import dependencies
from geoaudit.shardcheck.slicing.values import (
    NOTHING,
    Record,
    Reference,
    Value,
    Words,
    either,
    known_member,
    unknown,
)

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

SPREAD = "**"


def is_dictionary(value: Value | None) -> TypeGuard[Record]:
    """Whether a value is a dictionary, of which some or all is known."""
    return isinstance(value, Record) and not value.type


def made(
    slicer: "Slicer",
    keywords: Sequence[tuple[str, e.Expression]],
    frame: Frame,
    point: Point,
    type: str = "",
) -> Record:
    """What keys and values, others spread among them, make."""
    parts: list[Record] = []
    for key, node in keywords:
        value = slicer.value(node, frame, point)
        if key == SPREAD:
            parts.append(_as_dictionary(value, node, frame))
        else:
            parts.append(Record(type="", members={key: value}))
    found = merged(parts)
    return Record(type=type, members=found.members, rest=found.rest)


def merged(parts: Sequence[Record]) -> Record:
    """One dictionary after another: where one is not wholly known, what is before it is not."""
    members: dict[str, Value] = {}
    rest: Reference | None = None
    for part in parts:
        if part.rest is not None:
            members, rest = {}, part.rest
        members.update(part.members)
    return Record(type="", members=members, rest=rest)


def _as_dictionary(value: Value, node: e.Expression, frame: Frame) -> Record:
    if isinstance(value, Record):
        return Record(type="", members=value.members, rest=value.rest)
    if not isinstance(value, Reference):
        value = Reference(text=spelled(node), kind="unknown", path=frame.path)
    return Record(type="", rest=value)


def called(slicer: "Slicer", node: e.Call, frame: Frame, point: Point) -> Value | None:
    """``dict(other, key=value)``; None: what is given is no dictionary."""
    spread = tuple((SPREAD, one) for one in node.arguments)
    if len(spread) > 1 or any(not _can_be(slicer, one, frame, point) for _, one in spread):
        return None
    return made(slicer, (*spread, *node.keywords), frame, point)


def _can_be(slicer: "Slicer", node: e.Expression, frame: Frame, point: Point) -> bool:
    return isinstance(slicer.value(node, frame, point), Record | Reference)


def asked(
    slicer: "Slicer", node: e.Call, receiver: Value | None, frame: Frame, point: Point
) -> Value | None:
    """``value.get(key, default)``; None: it is no dictionary, or no known key."""
    if not is_dictionary(receiver) or not 1 <= len(node.arguments) <= 2:
        return None
    key, *others = [slicer.value(one, frame, point) for one in node.arguments]
    default = others[0] if others else NOTHING
    if not isinstance(key, Words):
        return None
    found = known_member(receiver, key.text)
    if found is not None:
        return found
    if receiver.rest is None:
        return default
    text = f"what {spelled(node)} is"
    return either([(None, default), (None, unknown(text, dependencies(slicer, [default], text)))])
