"""Values that are given a name, or are written in another way, on their way to a grid."""

from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.quantities import symbol_of
from geoaudit.shardcheck.slicing.sites import Hop
from geoaudit.shardcheck.slicing.values import Either, Items, Quantity, Record, Reference, Value
from geoaudit.shardcheck.symbolic.extents import Symbol

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


def named(value: Value, name: str, frame: Frame) -> Value:
    """A value that is also written as `name`."""
    match value:
        case Quantity() | Reference():
            return replace(value, trail=value.trail.through(frame.path, name, frame.depth))
        case Either(options=options):
            return Either(options=tuple((guard, named(one, name, frame)) for guard, one in options))
        case _:
            return value


def annotated(
    slicer: "Slicer", value: Value, name: str, frame: Frame, line: int, text: str
) -> Value:
    """A value that has been given a name on a line of a frame's file."""
    hop = Hop(path=frame.path, line=line, text=text)
    match value:
        case Quantity():
            if isinstance(value.extent, Symbol):
                slicer.aliases.setdefault(value.extent, set()).add(name)
            return replace(
                value, trail=value.trail.after(hop).through(frame.path, name, frame.depth)
            )
        case Reference():
            known = symbol_of(slicer, value).extent
            if isinstance(known, Symbol):
                slicer.aliases.setdefault(known, set()).add(name)
            return replace(
                value, trail=value.trail.after(hop).through(frame.path, name, frame.depth)
            )
        case Record(type="dim3") | Items():
            return _with_hop(value, hop)
        case Either():
            return _with_hop(named(value, name, frame), hop)
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
        case Either(options=options):
            return Either(options=tuple((guard, _with_hop(one, hop)) for guard, one in options))
        case _:
            return value
