"""Extents of tensors: as they are read, and through what reshapes them."""

from collections.abc import Sequence
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
SAME_SHAPE = frozenset(
    {
        "contiguous",
        "to",
        "float",
        "half",
        "bfloat16",
        "detach",
        "clone",
        "cuda",
        "requires_grad_",
        "type",
        "toType",
        "data",
        "empty_like",
        "zeros_like",
        "ones_like",
        "full_like",
        "rand_like",
        "randn_like",
    }
)
MADE = frozenset(
    {"empty", "zeros", "ones", "full", "rand", "randn", "new_empty", "new_zeros", "new_full"}
)
RESHAPED = frozenset({"view", "reshape"})
MOST_DIMENSIONS = 8


def member_of_reference(slicer: "Slicer", base: Reference, name: str) -> Value | None:
    """``tensor.shape`` and its like; None: it is another member."""
    if name in SHAPES:
        return replace(
            base, text=f"{base.text}.{name}", kind="extent", of=base, member=name, type=""
        )
    if name == "T":
        return transposed(slicer, base, 0, 1)
    return None


def extent_of(
    slicer: "Slicer", shape: Reference, place: int, count: int | None = None
) -> Reference:
    """One extent of a shape, or one element of another thing that is only known by its name."""
    is_shape = shape.member in SHAPES or shape.member.startswith("shape[")
    return replace(
        shape,
        text=f"{shape.text}[{place}]",
        kind="extent" if is_shape else "field",
        of=shape,
        member=f"[{place}]",
        type="",
    )


def all_extents(slicer: "Slicer", shape: Reference) -> Sequence[Value]:
    """The extents of a shape of which the rank is not known."""
    return [extent_of(slicer, shape, place) for place in range(MOST_DIMENSIONS)]


def member(slicer: "Slicer", tensor: Shaped, name: str) -> Value:
    """A member of a tensor whose extents are known."""
    if name in SHAPES:
        return Items(values=tensor.extents)
    if name == "ndim" and not tensor.is_open:
        return number(len(tensor.extents))
    if name == "T":
        return transposed(slicer, tensor, 0, 1)
    return unknown(f"{tensor.text}.{name} is not followed")


def extents(slicer: "Slicer", tensor: Value) -> tuple[Value, ...] | None:
    """The extents of a tensor; of unknown rank as many as any has; None: it is no tensor."""
    match tensor:
        case Shaped():
            return tensor.extents
        case Reference():
            shape = member_of_reference(slicer, tensor, "shape")
            assert isinstance(shape, Reference)
            return tuple(all_extents(slicer, shape))
        case _:
            return None


def text_of(tensor: Value) -> str:
    """How a tensor is written."""
    return tensor.text if isinstance(tensor, Shaped | Reference) else "a tensor"


def is_open(tensor: Value) -> bool:
    """Whether the rank of a tensor is not known."""
    return isinstance(tensor, Reference) or (isinstance(tensor, Shaped) and tensor.is_open)


def transposed(slicer: "Slicer", tensor: Value, first: int, second: int) -> Value:
    """A tensor with two dimensions exchanged."""
    found = extents(slicer, tensor)
    if found is None or not all(-len(found) <= one < len(found) for one in (first, second)):
        return unknown("a transposition of what is no tensor")
    if is_open(tensor) and (first < 0 or second < 0):
        return tensor
    changed = list(found)
    changed[first], changed[second] = changed[second], changed[first]
    return Shaped(extents=tuple(changed), text=text_of(tensor), is_open=is_open(tensor))


def permuted(slicer: "Slicer", tensor: Value, order: Sequence[int]) -> Value:
    """A tensor with its dimensions in another order."""
    found = extents(slicer, tensor)
    if found is None or any(not 0 <= one < len(found) for one in order):
        return unknown("a permutation that cannot be told")
    return Shaped(extents=tuple(found[one] for one in order), text=text_of(tensor))


def unsqueezed(slicer: "Slicer", tensor: Value, place: int) -> Value:
    """A tensor with one more dimension of 1."""
    found = extents(slicer, tensor)
    if found is None or (place < 0 and is_open(tensor)):
        return unknown("a new dimension at a place that cannot be told")
    at = place if place >= 0 else len(found) + 1 + place
    changed = (*found[:at], number(1), *found[at:])
    return Shaped(extents=changed, text=text_of(tensor), is_open=is_open(tensor))


def reshaped(slicer: "Slicer", tensor: Value, values: Sequence[Value]) -> Value:
    """A tensor of the given extents; one that is -1 is what remains."""
    flat = values[0].values if len(values) == 1 and isinstance(values[0], Items) else values
    text = text_of(tensor)
    kept: list[Value] = []
    for place, value in enumerate(flat):
        if isinstance(value, Quantity) and value.extent == Integer(value=-1):
            kept.append(_remaining(slicer, tensor, flat, place))
        else:
            kept.append(value)
    return Shaped(extents=tuple(kept), text=text)


def _remaining(slicer: "Slicer", tensor: Value, values: Sequence[Value], place: int) -> Value:
    found = extents(slicer, tensor)
    others = [value for number_, value in enumerate(values) if number_ != place]
    known = [value for value in others if isinstance(value, Quantity)]
    if (
        isinstance(tensor, Shaped)
        and not tensor.is_open
        and found is not None
        and len(known) == len(others)
        and all(isinstance(value, Quantity) for value in found)
    ):
        whole = computed("*", [one for one in found if isinstance(one, Quantity)])
        return computed("//", [whole, computed("*", known)]) if known else whole
    if isinstance(tensor, Reference):
        return replace(
            tensor,
            text=f"{tensor.text}.view[{place}]",
            kind="extent",
            of=tensor,
            member=f"view[{place}]",
        )
    return unknown(f"what remains of {text_of(tensor)}", known)
