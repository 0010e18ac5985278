"""Calls that make tensors of others, or read their extents: of PyTorch, and those like it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing import sequences
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Place, Point
from geoaudit.shardcheck.slicing.tensors import shapes
from geoaudit.shardcheck.slicing.tensors.operation_arguments import Given
from geoaudit.shardcheck.slicing.tensors.operations import MADE, OPERATIONS
from geoaudit.shardcheck.slicing.values import (
    Either,
    Items,
    Quantity,
    Reference,
    Shaped,
    Value,
    either,
    number,
    used,
)
from geoaudit.shardcheck.symbolic.extents import Integer, Symbol, Unknown

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_LIBRARIES = ("torch", "numpy", "cupy", "jax", "einops", "paddle", "np", "jnp", "F")
_METHODS_ALONE = frozenset({
    "size", "shape", "max", "min", "any", "all", "abs", "type", "float", "half", "data", "dim",
    "sum", "prod", "to", "t",
})  # fmt: skip
"""As functions they mean something else, or nothing."""
_EXTENTS = frozenset({"size", "sizes", "shape", "dim", "ndim", "ndimension", "numel", "stride"})


def of_tensor(
    slicer: "Slicer", node: e.Call, receiver: Value | None, frame: Frame, point: Point
) -> Value | None:
    """What a call of a tensor's method, or of a function of a library of tensors, is."""
    name = last_name(node.function)
    is_count = name == "size" and not node.arguments and frame.function.file.language == "c"
    if name not in OPERATIONS or is_count:
        return None
    values = sequences.listed(slicer, node.arguments, frame, point)
    keywords = {key: slicer.value(value, frame, point) for key, value in node.keywords}
    given = Given(slicer=slicer, name=name, tensor=number(0), values=values, keywords=keywords)
    if isinstance(node.function, e.Member) and not _is_library(receiver):
        return _applied(given, as_tensor(slicer, receiver, node.function.value, frame))
    if name in MADE:
        wanted = given.flat("size", "shape")
        return Shaped(extents=wanted.values, back=wanted.back, text=spelled(node))
    if not node.arguments or name in _METHODS_ALONE:
        return None
    rest = Items(values=values.values[1:], back=values.back)
    tensor = as_tensor(slicer, values.values[0], node.arguments[0], frame)
    return _applied(replace(given, values=rest), tensor)


def is_extent_of_tensor(node: e.Call, receiver: Value | None) -> bool:
    """Whether a call asks an object of a tensor's class, whichever, for its extents."""
    return (
        isinstance(receiver, Reference)
        and last_name(node.function) in _EXTENTS
        and "tensor" in receiver.type.lower()
    )


def _is_library(receiver: Value | None) -> bool:
    if not isinstance(receiver, Reference) or receiver.kind not in {"module", "unknown"}:
        return False
    module = (receiver.type or receiver.text).partition(".")[0]
    return receiver.kind == "module" or module in _LIBRARIES


def as_tensor(slicer: "Slicer", value: Value | None, written: e.Expression, frame: Frame) -> Value:
    """A tensor of which nothing is known by its name; any other value as it is."""
    known = value.extent if isinstance(value, Quantity) else None
    if isinstance(known, Symbol) and known in slicer.origins:
        return slicer.origins[known]
    if value is None or (known is not None and not isinstance(known, Integer)):
        text = spelled(written)
        return Reference(text=text, kind="unknown", path=frame.path, scope=frame.function.name)
    return value


def as_tensor_of(value: Value, place: Place, length: int, frame: Frame) -> Value:
    """A tensor by its name, where nothing is known of what the first parts of a place name."""
    if length == len(place) or place[length] not in shapes.SHAPES:
        return value
    if not isinstance(value, Quantity) or not isinstance(value.extent, Unknown):
        return value
    text = ".".join(place[:length])
    return Reference(text=text, kind="unknown", path=frame.path, scope=frame.function.name)


def _applied(given: Given, tensor: Value) -> Value | None:
    if isinstance(tensor, Either):
        each = [(guard, _applied(given, one)) for guard, one in used(tensor.options)]
        known = [(guard, one) for guard, one in each if one is not None]
        return either(known) if len(known) == len(each) else None
    if not isinstance(tensor, Shaped | Reference | Items):
        return None
    return OPERATIONS[given.name](replace(given, tensor=tensor))
