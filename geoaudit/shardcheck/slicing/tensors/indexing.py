"""Parts of tensors: ``x[:, 0]``, ``x[..., :k]``, ``x[None]``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.sequences import concatenated
from geoaudit.shardcheck.slicing.tensors import shapes
from geoaudit.shardcheck.slicing.values import (
    Items,
    Quantity,
    Reference,
    Shaped,
    Value,
    computed,
    number,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Integer

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


def is_part(value: Value, node: e.Subscript, frame: Frame) -> bool:
    """Whether a subscript is one of a tensor, rather than of a list or a dictionary."""
    if isinstance(value, Shaped):
        return True
    if not isinstance(value, Reference) or frame.function.file.language != "python":
        return False
    plain = len(node.indices) == 1 and not _is_new(node.indices[0])
    return not shapes.is_shape(value) and (not plain or isinstance(node.indices[0], e.Slice))


def part(
    slicer: "Slicer", tensor: Value, indices: Sequence[e.Expression], frame: Frame, point: Point
) -> Value:
    """The tensor that ``tensor[indices]`` is."""
    found = shapes.extents(tensor)
    places = [place for place, one in enumerate(indices) if _is_rest(one)]
    before = indices[: places[0]] if places else indices
    after = indices[places[0] + 1 :] if places else ()
    if found is None:
        return unknown("a part of what is no tensor")
    count, last = (sum(not _is_new(one) for one in side) for side in (before, after))
    first = [shapes.at(found, place) for place in range(count)]
    final = [shapes.at(found, place - last) for place in range(last)]
    head, tail = _taken(slicer, first, before, frame, point), None
    tail = _taken(slicer, final, after, frame, point)
    if head is None or tail is None:
        return unknown("a part of a tensor that has fewer dimensions")
    middle = Items(
        values=found.values[count : len(found.values) - (0 if found.back else last)],
        back=found.back[last:],
    )
    return shapes.shaped(concatenated([head, middle, tail]), tensor)


def _taken(
    slicer: "Slicer",
    extents: Sequence[Value | None],
    indices: Sequence[e.Expression],
    frame: Frame,
    point: Point,
) -> Items | None:
    """The extents that are left of some, under the index of each."""
    left: list[Value] = []
    waiting = iter(extents)
    for index in indices:
        if _is_new(index):
            left.append(number(1))
            continue
        extent = next(waiting)
        if extent is None:
            return None
        if isinstance(index, e.Slice):
            left.append(_length(slicer, extent, index, frame, point))
            continue
        value = slicer.value(index, frame, point)
        if isinstance(value, Shaped):
            left.extend(value.extents)
    return Items(values=tuple(left))


def _length(slicer: "Slicer", extent: Value, cut: e.Slice, frame: Frame, point: Point) -> Value:
    """How many elements a slice leaves; as many as it asks for are taken to be there."""
    lower = None if cut.lower is None else slicer.quantity(cut.lower, frame, point)
    upper = None if cut.upper is None else slicer.quantity(cut.upper, frame, point)
    if lower is None and upper is None and cut.step is None:
        return extent
    whole = as_quantity(slicer, extent, "an extent")
    start = number(0) if lower is None else _from_end(lower, whole)
    end = whole if upper is None else _from_end(upper, whole)
    length = computed("-", [end, start])
    step = None if cut.step is None else slicer.quantity(cut.step, frame, point)
    return length if step is None else computed("cdiv", [length, step])


def _from_end(bound: Quantity, whole: Quantity) -> Quantity:
    if isinstance(bound.extent, Integer) and bound.extent.value < 0:
        return computed("+", [whole, bound])
    return bound


def _is_new(index: e.Expression) -> bool:
    return isinstance(index, e.Name) and index.text == "None"


def _is_rest(index: e.Expression) -> bool:
    return isinstance(index, e.Name | e.Opaque) and index.text in {"...", "Ellipsis"}
