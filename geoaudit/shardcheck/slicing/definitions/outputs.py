"""What calls write through the addresses they are given."""

from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import expressions_of, last_name, within
from geoaudit.shardcheck.slicing import quantities
from geoaudit.shardcheck.slicing.calls import calling
from geoaudit.shardcheck.slicing.definitions import reaching
from geoaudit.shardcheck.slicing.definitions.effects import effects_of
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Place, Point, place_of
from geoaudit.shardcheck.slicing.scopes import members
from geoaudit.shardcheck.slicing.values import Reference, Value, either, unknown
from geoaudit.shardcheck.words import is_sm_attribute

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_OCCUPANCY = ("OccupancyMaxActiveBlocksPerMultiprocessor", "OccupancyMaxActiveClusters")
_ATTRIBUTE = ("DeviceGetAttribute",)


def after_calls(
    slicer: "Slicer",
    statement: s.Statement,
    place: Place,
    frame: Frame,
    point: Point,
    holds: bool | None = None,
) -> Value | None:
    """A place that the calls in a statement itself may change; None: they do not.

    Args:
        slicer: that evaluates.
        statement: in whose expressions the calls stand.
        place: what is read.
        frame: of the statement.
        point: of the statement.
        holds: whether its condition is known to have held.
    """
    for one in effects_of(statement, slicer.program.effects).calls:
        found = _after_call(slicer, one, place, frame, point)
        if found is None:
            continue
        if all(_is_reached(node, one, holds) for node in expressions_of(statement)):
            return found
        return either([(None, found), (None, reaching.current(slicer, place, frame, point))])
    return None


def _is_reached(node: e.Expression, call: e.Call, holds: bool | None) -> bool:
    """Whether a call in an expression is made whenever the expression is asked, or not in it."""
    match node:
        case e.Operation(operator="!", operands=(inner,)):
            return _is_reached(inner, call, None if holds is None else not holds)
        case e.Operation(operator="&&" | "||" as operator, operands=(first, *others)):
            is_decided = holds is (operator == "&&")
            inner_holds = holds if is_decided else None
            is_skipped = not is_decided and any(_holds(one, call) for one in others)
            return not is_skipped and all(
                _is_reached(one, call, inner_holds) for one in (first, *others)
            )
        case e.Choice(then=then, otherwise=otherwise):
            return not _holds(then, call) and not _holds(otherwise, call)
        case _:
            return True


def _holds(node: e.Expression, call: e.Call) -> bool:
    return any(one is call for one in within(node))


def _after_call(
    slicer: "Slicer", call: e.Call, place: Place, frame: Frame, point: Point
) -> Value | None:
    for number, argument in enumerate(call.arguments):
        given = place_of(argument)
        if given is None or given != place[: len(given)]:
            continue
        is_address = isinstance(argument, e.Operation) and argument.operator == "&"
        found = _interface(call, number, spelled(argument), frame) if is_address else None
        if found is None:
            found = calling.written(slicer, call, number, frame, point)
        if found is None and is_address:
            found = _unknown(slicer, call, place, frame)
        if found is None:
            continue
        for part in place[len(given) :]:
            found = members.part(slicer, found, part)
        return found
    return None


def _interface(call: e.Call, number: int, text: str, frame: Frame) -> Value | None:
    """What the CUDA, HIP and driver interfaces write."""
    name = last_name(call.function)
    if number:
        return None
    kind = None
    if any(name.find(one) >= 0 for one in _OCCUPANCY):
        kind = "occupancy"
    elif any(name.endswith(one) for one in _ATTRIBUTE):
        asked = spelled(call.arguments[1]) if len(call.arguments) > 1 else ""
        if not is_sm_attribute(asked):
            text = asked or text
        kind = quantities.SM_COUNT if is_sm_attribute(asked) else "constant"
    elif "GetDeviceProperties" in name:
        return Reference(
            text=text.lstrip("&"), kind="unknown", path=frame.path, type="cudaDeviceProp"
        )
    if kind is None:
        return None
    return Reference(text=text.lstrip("&"), kind=kind, path=frame.path, line=call.line)


def _unknown(slicer: "Slicer", call: e.Call, place: Place, frame: Frame) -> Value | None:
    if len(place) > 1:
        return None
    return unknown(f"{place[0]} is written by {last_name(call.function)}, which is not followed")
