"""Values one after another: of arguments, of braces, of ``*value``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import SOME_ELEMENT, Place, Point
from geoaudit.shardcheck.slicing.tensors import shapes
from geoaudit.shardcheck.slicing.values import Items, Reference, Value, unknown
from geoaudit.shardcheck.symbolic.extents import Integer

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


def told(slicer: "Slicer", place: Place, node: e.Expression, frame: Frame, point: Point) -> Place:
    """A place with the number of its element, where what is written for it is a known one."""
    if place[-1] != SOME_ELEMENT or not isinstance(node, e.Subscript):
        return place
    known = slicer.quantity(node.indices[0], frame, point).extent
    return (*place[:-1], f"[{known.value}]") if isinstance(known, Integer) else place


def listed(slicer: "Slicer", nodes: Sequence[e.Expression], frame: Frame, point: Point) -> Items:
    """The values of expressions, those of ``*value`` among them."""
    return concatenated(
        [
            unpacked(slicer, slicer.value(one.value, frame, point), spelled(one))
            if isinstance(one, e.Starred)
            else Items(values=(slicer.value(one, frame, point),))
            for one in nodes
        ]
    )


def unpacked(slicer: "Slicer", value: Value, text: str) -> Items:
    """The values of ``*value``."""
    if isinstance(value, Items):
        return value
    if isinstance(value, Reference):
        return shapes.all_extents(value)
    return Items(values=(unknown(f"{text} is unpacked"),))


def concatenated(parts: Sequence[Items]) -> Items:
    """Values one after another."""
    opened = [place for place, part in enumerate(parts) if part.back]
    last = opened[0] if opened else len(parts) - 1
    values = tuple(value for part in parts[: last + 1] for value in part.values)
    back: list[Value] = []
    if opened:
        for part in reversed(parts[opened[-1] + 1 :]):
            back.extend(reversed(part.values))
        back.extend(parts[opened[-1]].back)
    return Items(values=values, back=tuple(back))
