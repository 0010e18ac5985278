"""What calls write through the addresses they are given."""

from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing import quantities
from geoaudit.shardcheck.slicing.calls import calling
from geoaudit.shardcheck.slicing.definitions.effects import effects_of
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Place, Point, place_of
from geoaudit.shardcheck.slicing.scopes import members
from geoaudit.shardcheck.slicing.values import Reference, Value, unknown
from geoaudit.shardcheck.words import is_sm_attribute

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_OCCUPANCY = ("OccupancyMaxActiveBlocksPerMultiprocessor", "OccupancyMaxActiveClusters")
_ATTRIBUTE = ("DeviceGetAttribute",)


def after_calls(
    slicer: "Slicer", statement: s.Statement, place: Place, frame: Frame, point: Point
) -> Value | None:
    """A place whose address a statement's calls are given; None: they are not."""
    for one in effects_of(statement, slicer.program.effects).calls:
        found = _after_call(slicer, one, place, frame, point)
        if found is not None:
            return found
    return None


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
