"""Extents of tensors: as they are read, and through what reshapes them.

Where the rank of a tensor is not known, its extents are kept from both ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

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

SHAPES = frozenset({"shape", "ne", "sizes"})
MOST_DIMENSIONS = 8


def member_of_reference(slicer: "Slicer", base: Reference, name: str) -> Value | None:
    """``tensor.shape`` and its like; None: it is another member."""
    if name in SHAPES:
        return shape_reference(base, name)
    if name in {"T", "mT"}:
        return transposed(base, 0, 1) if name == "T" else transposed(base, -1, -2)
    return None


def shape_reference(base: Reference, name: str = "shape") -> Reference:
    """The shape of a tensor of which no more than its name is known."""
    return replace(base, text=f"{base.text}.{name}", kind="extent", of=base, member=name, type="")


def read_of(tensor: Reference, written: str, member: str) -> Reference:
    """What is read of a tensor and known by its name alone: ``x.numel()``."""
    return replace(
        tensor, text=f"{tensor.text}.{written}", kind="extent", of=tensor, member=member, type=""
    )


def size_of(tensor: Reference, name: str, place: int) -> Reference:
    """``x.size(place)``."""
    return replace(extent_of(shape_reference(tensor), place), text=f"{tensor.text}.{name}({place})")


def is_shape(value: Value) -> bool:
    """Whether a value is the shape of a tensor."""
    return isinstance(value, Reference) and value.kind == "extent" and value.member in SHAPES


def extent_of(shape: Reference, place: int) -> Reference:
    """One extent of a shape, or one element of another thing that is only known by its name."""
    return replace(
        shape,
        text=f"{shape.text}[{place}]",
        kind="extent" if shape.member in SHAPES else "field",
        of=shape,
        member=f"[{place}]",
        type="",
    )


def all_extents(shape: Reference) -> Items:
    """The extents of a shape of which the rank is not known."""
    return Items(
        values=tuple(extent_of(shape, place) for place in range(MOST_DIMENSIONS)),
        back=tuple(extent_of(shape, -1 - place) for place in range(MOST_DIMENSIONS)),
    )


def member(tensor: Shaped, name: str) -> Value:
    """A member of a tensor whose extents are known."""
    if name in SHAPES:
        return Items(values=tensor.extents, back=tensor.back)
    if name == "ndim" and not tensor.back:
        return number(len(tensor.extents))
    if name in {"T", "mT"}:
        return transposed(tensor, 0, 1) if name == "T" else transposed(tensor, -1, -2)
    if name in {"data", "grad"}:
        return tensor
    return unknown(f"{tensor.text}.{name} is not followed")


def extents(tensor: Value) -> Items | None:
    """The extents of a tensor; None: it is no tensor."""
    match tensor:
        case Shaped():
            return Items(values=tensor.extents, back=tensor.back)
        case Reference():
            return all_extents(shape_reference(tensor))
        case _:
            return None


def shaped(found: Items, like: Value) -> Shaped:
    """A tensor of the given extents, written like another."""
    text = like.text if isinstance(like, Shaped | Reference) else "a tensor"
    return Shaped(extents=found.values, back=found.back, text=text)


def at(found: Items, place: int) -> Value | None:
    """An extent by its place, from the end where negative; None: there is none."""
    values = found.values
    if place < 0 and found.back:
        return found.back[-1 - place] if -place <= len(found.back) else None
    return values[place] if -len(values) <= place < len(values) else None


def replaced(found: Items, place: int, *new: Value) -> Items | None:
    """Extents with none, one or several in place of one; None: there is no such place."""
    if at(found, place) is None:
        return None
    if found.back and place < 0:
        before = -1 - place
        back = (*found.back[:before], *reversed(new), *found.back[before + 1 :])
        return Items(values=found.values, back=back)
    start = place % len(found.values)
    values = (*found.values[:start], *new, *found.values[start + 1 :])
    return Items(values=values, back=found.back)


def indexed(tensor: Shaped, place: int) -> Value:
    """``tensor[place]``."""
    changed = replaced(Items(values=tensor.extents, back=tensor.back), 0)
    return unknown(f"{tensor.text}[{place}]") if changed is None else shaped(changed, tensor)


def transposed(tensor: Value, first: int, second: int) -> Value:
    """A tensor with two dimensions exchanged."""
    found = extents(tensor)
    one, other = (at(found, place) if found else None for place in (first, second))
    if found is None or one is None or other is None:
        return unknown("a transposition of what is no tensor")
    changed = replaced(found, first, other)
    changed = replaced(changed, second, one) if changed else None
    assert changed is not None
    return shaped(changed, tensor)


def permuted(tensor: Value, order: Sequence[int]) -> Value:
    """A tensor with its dimensions in another order."""
    found = extents(tensor)
    if found is not None and found.back and isinstance(tensor, Reference):
        found = Items(values=found.values[: len(order)])
    chosen = [at(found, place) if found else None for place in order]
    known = [one for one in chosen if one is not None]
    if len(known) != len(order):
        return unknown("a permutation that cannot be told")
    return shaped(Items(values=tuple(known)), tensor)


def unsqueezed(tensor: Value, place: int, extent: Value | None = None) -> Value:
    """A tensor with one more dimension, of 1."""
    found = extents(tensor)
    new = extent if extent is not None else number(1)
    if found is None:
        return unknown("a new dimension of what is no tensor")
    if found.back and place < 0:
        back = (*found.back[: -1 - place], new, *found.back[-1 - place :])
        return shaped(Items(values=found.values, back=back), tensor)
    start = place if place >= 0 else len(found.values) + 1 + place
    values = (*found.values[:start], new, *found.values[start:])
    return shaped(Items(values=values, back=found.back), tensor)


def reshaped(tensor: Value, wanted: Items, number_of: Callable[[Value], Quantity]) -> Value:
    """A tensor of the given extents; one that is -1 is what remains."""
    kept = [
        _remaining(tensor, wanted, place, number_of) if _is_rest(value) else value
        for place, value in enumerate(wanted.values)
    ]
    back = tuple(unknown("what remains") if _is_rest(one) else one for one in wanted.back)
    return shaped(Items(values=tuple(kept), back=back), tensor)


def expanded(tensor: Value, wanted: Items) -> Value:
    """A tensor of the given extents; one that is -1 stays as it was, counted from the end."""
    found = extents(tensor)
    count = len(wanted.values)
    values = [
        (at(found, place - count) if found else None) or value if _is_rest(value) else value
        for place, value in enumerate(wanted.values)
    ]
    return shaped(Items(values=tuple(values), back=wanted.back), tensor)


def _is_rest(value: Value) -> bool:
    return isinstance(value, Quantity) and value.extent == Integer(value=-1)


def _remaining(
    tensor: Value, wanted: Items, place: int, number_of: Callable[[Value], Quantity]
) -> Value:
    found = extents(tensor)
    if wanted.back:
        return unknown("what remains")
    known = [number_of(value) for at_, value in enumerate(wanted.values) if at_ != place]
    if found and found.values and not found.back:
        whole = computed("*", [number_of(one) for one in found.values])
        return computed("//", [whole, computed("*", known)]) if known else whole
    if isinstance(tensor, Reference):
        return replace(
            tensor,
            text=f"{tensor.text}.view[{place}]",
            kind="extent",
            of=tensor,
            member=f"view[{place}]",
        )
    if not isinstance(tensor, Shaped):
        return unknown("what remains of what is no tensor", known)
    text = f"{tensor.text}.view[{place}]"
    return Reference(text=text, kind="extent", path="", scope=tensor.text)


def cut(found: Items, lower: int | None, upper: int | None) -> Items:
    """Some of the extents of a shape, or of other values: ``shape[lower:upper]``."""
    if not found.back:
        return Items(values=found.values[lower:upper])
    start = lower or 0
    if start < 0:
        last = found.back[-1 - upper if upper is not None and upper < 0 else 0 : -1 - start + 1]
        whole = upper is None or upper < 0
        return Items(values=tuple(reversed(last))) if whole else found
    if upper is not None and upper >= 0:
        return Items(values=found.values[start:upper])
    return Items(values=found.values[start:], back=found.back[-upper if upper else 0 :])
