"""What a call of a tensor's method is given."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.tensors import shapes
from geoaudit.shardcheck.slicing.values import Items, Quantity, Reference, Value
from geoaudit.shardcheck.symbolic.extents import Integer

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


@dataclass(frozen=True, kw_only=True)
class Given:
    """A tensor and what else a call is given: values, and those that are integers as such."""

    slicer: "Slicer"
    name: str
    tensor: Value
    values: Items
    keywords: dict[str, Value]

    def integer(self, place: int, *names: str) -> int | None:
        """An integer argument by place or name; None: it is not given, or is not known."""
        given = self.argument(place, *names)
        return None if given is None else integer_of(given)

    def argument(self, place: int, *names: str) -> Value | None:
        """An argument by place or name; None: it is not given."""
        given = [self.keywords[name] for name in names if name in self.keywords]
        values = self.values.values
        return given[0] if given else values[place] if place < len(values) else None

    def number(self, value: Value) -> Quantity:
        """An extent as a number."""
        return as_quantity(self.slicer, value, "an extent")

    def with_extent(self, place: int, *new: Value) -> Value | None:
        """The tensor with none, one or several extents in place of one; None: it has no such."""
        found = shapes.extents(self.tensor)
        changed = shapes.replaced(found, place, *new) if found else None
        return None if changed is None else shapes.shaped(changed, self.tensor)

    def extent(self, place: int) -> Value | None:
        """An extent of the tensor; None: it has no such."""
        found = shapes.extents(self.tensor)
        return shapes.at(found, place) if found else None

    def flat(self, *names: str) -> Items:
        """Extents as a call takes them: several, or one collection."""
        named = [self.keywords[name] for name in names if name in self.keywords]
        values = Items(values=(named[0],)) if named else self.values
        first = values.values[0] if values.values else None
        if isinstance(first, Items):
            return first
        if isinstance(first, Reference) and shapes.is_shape(first):
            return shapes.all_extents(first)
        return values


def integer_of(value: Value) -> int | None:
    """A known number as an integer; None: it is none."""
    if isinstance(value, Quantity) and isinstance(value.extent, Integer):
        return value.extent.value
    return None
