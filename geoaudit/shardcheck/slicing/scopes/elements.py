"""Elements of values: ``value[index]``."""

from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.scopes.members import item, member, some_element
from geoaudit.shardcheck.slicing.tensors import indexing, shapes
from geoaudit.shardcheck.slicing.values import (
    Either,
    Items,
    Record,
    Reference,
    Value,
    Words,
    either,
    unknown,
    used,
)
from geoaudit.shardcheck.symbolic.extents import Integer

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


def element(slicer: "Slicer", value: Value, node: e.Subscript, frame: Frame, point: Point) -> Value:
    """``value[index]``."""
    if isinstance(value, Either):
        options = used(value.options)
        return either([(guard, element(slicer, one, node, frame, point)) for guard, one in options])
    if indexing.is_part(value, node, frame):
        return indexing.part(slicer, value, node.indices, frame, point)
    if len(node.indices) == 1:
        match node.indices[0]:
            case e.Text(value=key):
                return _keyed(slicer, value, key)
            case e.Slice() as cut if isinstance(value, Items | Reference):
                return _slice(slicer, value, cut, frame, point)
            case e.Number() | e.Operation() | e.Name() | e.Member() as index:
                place = slicer.value(index, frame, point)
                if isinstance(place, Words):
                    return _keyed(slicer, value, place.text)
                known = as_quantity(slicer, place, spelled(index)).extent
                if hasattr(known, "value") and isinstance(known.value, int):
                    return item(slicer, value, known.value, spelled(node.value))
            case _:
                pass
    return some_element(slicer, value, spelled(node), frame, node)


def _keyed(slicer: "Slicer", value: Value, key: str) -> Value:
    if isinstance(value, Record) and key not in value.members and value.rest is None:
        return unknown(f"{key} is not among the values given")
    return member(slicer, value, key)


def _written_slice(value: Reference, cut: e.Slice) -> Reference:
    """A slice whose bounds are no numbers, as it is written."""
    bounds = (spelled(one) if one is not None else "" for one in (cut.lower, cut.upper))
    member = f"[{':'.join(bounds)}]"
    return replace(value, text=f"{value.text}{member}", of=value, member=member, type="")


def _slice(
    slicer: "Slicer", value: "Items | Reference", cut: e.Slice, frame: Frame, point: Point
) -> Value:
    bounds: list[int | None] = []
    for bound in (cut.lower, cut.upper):
        known = slicer.quantity(bound, frame, point).extent if bound is not None else None
        if known is not None and not isinstance(known, Integer):
            if isinstance(value, Reference):
                return _written_slice(value, cut)
            return some_element(slicer, value, "a slice")
        bounds.append(known.value if known is not None else None)
    lower, upper = bounds
    if isinstance(value, Reference) and shapes.is_shape(value):
        value = shapes.all_extents(value)
    if isinstance(value, Items):
        return shapes.cut(value, lower, upper)
    text = (
        f"{value.text}[{lower if lower is not None else ''}:{upper if upper is not None else ''}]"
    )
    return replace(value, text=text, of=value, member=text)
