"""What operations on tensors make of their extents."""

from collections.abc import Callable
from dataclasses import replace

from geoaudit.shardcheck.slicing.tensors import rearranging, shapes
from geoaudit.shardcheck.slicing.tensors.operation_arguments import Given, integer_of
from geoaudit.shardcheck.slicing.values import (
    Items,
    Reference,
    Shaped,
    Value,
    Words,
    computed,
    number,
)

_SAME_SHAPE = frozenset({
    "contiguous", "to", "float", "half", "bfloat16", "detach", "clone", "cuda", "cpu",
    "requires_grad_", "type", "toType", "data", "copy_", "empty_like", "zeros_like",
    "ones_like", "full_like", "rand_like", "randn_like", "zero_", "fill_", "masked_fill",
    "pin_memory", "masked_fill_", "softmax", "sigmoid", "silu", "gelu", "relu", "tanh", "exp",
    "log", "sqrt", "rsqrt", "clamp_", "clamp_min", "neg", "abs_", "normalize", "dropout",
    "cumsum", "flip", "roll", "asarray", "ascontiguousarray", "as_contiguous",
    "maybe_contiguous", "toTensor", "to_dtype",
})  # fmt: skip
MADE = frozenset({
    "empty", "zeros", "ones", "full", "rand", "randn", "new_empty", "new_zeros", "new_ones",
    "new_full", "empty_strided",
})  # fmt: skip
_REDUCED = frozenset({
    "sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "any", "all", "prod",
    "logsumexp",
})  # fmt: skip


def _same(given: Given) -> Value | None:
    return given.tensor


def _new(given: Given) -> Value | None:
    return shapes.shaped(given.flat("size", "shape"), given.tensor)


def _view(given: Given) -> Value | None:
    wanted = given.flat("shape", "size")
    if not wanted.values or isinstance(wanted.values[0], Words):
        return given.tensor
    if "dtype" in given.keywords or _is_type(wanted.values[0]):
        return given.tensor
    return shapes.reshaped(given.tensor, wanted, given.number)


def _is_type(value: Value) -> bool:
    """Whether a view is of another type of element."""
    return isinstance(value, Reference) and value.text.startswith(("torch.", "torch::", "at::"))


def _like(given: Given) -> Value | None:
    return given.values.values[0] if given.values.values else None


def _expand(given: Given) -> Value | None:
    return shapes.expanded(given.tensor, given.flat("size", "sizes"))


def _transpose(given: Given) -> Value | None:
    first, second = given.integer(0, "dim0"), given.integer(1, "dim1")
    if first is None or second is None:
        return _permute(given) if given.values.values else None
    return shapes.transposed(given.tensor, first, second)


def _t(given: Given) -> Value | None:
    return shapes.transposed(given.tensor, 0, 1)


def _permute(given: Given) -> Value | None:
    order = [integer_of(one) for one in given.flat("dims").values]
    known = [one for one in order if one is not None]
    return shapes.permuted(given.tensor, known) if len(known) == len(order) and known else None


def _unsqueeze(given: Given) -> Value | None:
    place = given.integer(0, "dim", "axis")
    return None if place is None else shapes.unsqueezed(given.tensor, place)


def _without(given: Given) -> Value | None:
    """A tensor that lacks the dimension given first: of ``squeeze``, ``select``, a reduction."""
    place = given.integer(0, "dim", "axis")
    new = (number(1),) if {"keepdim", "keepdims"} & set(given.keywords) else ()
    return None if place is None else given.with_extent(place, *new)


def _narrow(given: Given) -> Value | None:
    place, length = given.integer(0, "dim"), given.argument(2, "length")
    return None if place is None or length is None else given.with_extent(place, length)


def _flatten(given: Given) -> Value | None:
    first, last = given.integer(0, "start_dim") or 0, given.integer(1, "end_dim")
    last, found = -1 if last is None else last, shapes.extents(given.tensor)
    if found is None or (found.back and (first < 0) != (last < 0)):
        return None
    if not found.back:
        first, last = (place % max(1, len(found.values)) for place in (first, last))
    parts = [shapes.at(found, place) for place in range(first, last + 1)]
    known = [given.number(one) for one in parts if one is not None]
    if not known or len(known) != len(parts):
        return None
    changed: Items | None = found
    for _ in known[1:]:
        changed = shapes.replaced(changed, first if first >= 0 else last) if changed else None
        last += first < 0
    place = first if first >= 0 else -1
    changed = shapes.replaced(changed, place, computed("*", known)) if changed else None
    return None if changed is None else shapes.shaped(changed, given.tensor)


def _unflatten(given: Given) -> Value | None:
    place, sizes = given.integer(0, "dim"), given.argument(1, "sizes")
    found = shapes.extents(given.tensor)
    if place is None or not isinstance(sizes, Items) or sizes.back or found is None:
        return None
    part = shapes.at(found, place)
    if part is None:
        return None
    whole = Shaped(extents=(part,))
    parts = shapes.extents(shapes.reshaped(whole, sizes, given.number))
    return None if parts is None else given.with_extent(place, *parts.values)


def _unbind(given: Given) -> Value | None:
    place = given.integer(0, "dim") or 0
    part, whole = given.with_extent(place), given.extent(place)
    return None if part is None or whole is None else _several(part, integer_of(whole))


def _split(given: Given) -> Value | None:
    place = given.integer(1, "dim", "axis") or 0
    sizes = given.argument(0, "split_size_or_sections", "split_size", "split_sizes")
    if isinstance(sizes, Items):
        parts = [given.with_extent(place, size) for size in sizes.values]
        known = [one for one in parts if one is not None]
        return Items(values=tuple(known)) if len(known) == len(parts) else None
    part = None if sizes is None else given.with_extent(place, sizes)
    return None if part is None else _several(part, None)


def _chunk(given: Given) -> Value | None:
    count, place = given.integer(0, "chunks"), given.integer(1, "dim", "axis") or 0
    whole = given.extent(place)
    if whole is None or count is None:
        return None
    part = given.with_extent(place, computed("cdiv", [given.number(whole), number(count)]))
    return None if part is None else _several(part, count)


def _several(tensor: Value, count: int | None) -> Items:
    """So many tensors of one form; None: it is not known how many."""
    if count is not None and 0 < count <= shapes.MOST_DIMENSIONS:
        return Items(values=(tensor,) * count)
    same = (tensor,) * shapes.MOST_DIMENSIONS
    return Items(values=same, back=same)


def _repeat(given: Given) -> Value | None:
    wanted = given.flat("repeats")
    if wanted.back:
        return None
    count = len(wanted.values)
    values = [
        computed("*", [given.number(given.extent(place - count) or number(1)), given.number(one)])
        for place, one in enumerate(wanted.values)
    ]
    return shapes.shaped(Items(values=tuple(values)), given.tensor)


def _repeat_interleave(given: Given) -> Value | None:
    place, times = given.integer(1, "dim", "axis"), given.argument(0, "repeats")
    own = None if place is None else given.extent(place)
    if place is None or own is None or times is None:
        return None
    return given.with_extent(place, computed("*", [given.number(own), given.number(times)]))


def _cat(given: Given) -> Value | None:
    place = given.integer(0, "dim", "axis") or 0
    if not isinstance(given.tensor, Items) or given.tensor.back:
        return None
    parts = [replace(given, tensor=one).extent(place) for one in given.tensor.values]
    known = [given.number(one) for one in parts if one is not None]
    if not known or len(known) != len(parts):
        return None
    return replace(given, tensor=given.tensor.values[0]).with_extent(place, computed("+", known))


def _stack(given: Given) -> Value | None:
    place = given.integer(0, "dim", "axis") or 0
    if not isinstance(given.tensor, Items) or not given.tensor.values or given.tensor.back:
        return None
    return shapes.unsqueezed(given.tensor.values[0], place, number(len(given.tensor.values)))


def _rearrange(given: Given) -> Value | None:
    pattern, found = given.argument(0, "pattern"), shapes.extents(given.tensor)
    if not isinstance(pattern, Words) or found is None:
        return None
    changed = rearranging.rearranged(found, pattern.text, given.keywords, given.number)
    return None if changed is None else shapes.shaped(changed, given.tensor)


def _size(given: Given) -> Value | None:
    tensor, place = given.tensor, given.integer(0, "dim")
    if place is not None and isinstance(tensor, Reference):
        return shapes.size_of(tensor, given.name, place)
    if given.values.values or given.keywords:
        return None if place is None else given.extent(place)
    if not isinstance(tensor, Reference):
        return shapes.extents(tensor)
    shape = shapes.shape_reference(tensor, "sizes" if given.name == "sizes" else "shape")
    return replace(shape, text=f"{shape.text}()") if given.name == "sizes" else shape


def _count(given: Given) -> Value | None:
    if isinstance(given.tensor, Reference):
        return shapes.read_of(given.tensor, f"{given.name}()", "numel")
    found = shapes.extents(given.tensor)
    if found is None or found.back:
        return None
    return computed("*", [given.number(one) for one in found.values])


def _rank(given: Given) -> Value | None:
    if isinstance(given.tensor, Shaped) and not given.tensor.back:
        return number(len(given.tensor.extents))
    if isinstance(given.tensor, Reference):
        return shapes.read_of(given.tensor, f"{given.name}()", "ndim")
    return None


OPERATIONS: dict[str, Callable[[Given], Value | None]] = {
    **dict.fromkeys(_SAME_SHAPE, _same),
    **dict.fromkeys(MADE, _new),
    **dict.fromkeys(_REDUCED, _without),
    **dict.fromkeys(("view", "reshape"), _view),
    **dict.fromkeys(("view_as", "reshape_as", "expand_as"), _like),
    **dict.fromkeys(("expand", "broadcast_to"), _expand),
    **dict.fromkeys(("transpose", "swapaxes", "transpose_", "swapdims"), _transpose),
    **dict.fromkeys(("squeeze", "select"), _without),
    **dict.fromkeys(("cat", "concat", "concatenate"), _cat),
    **dict.fromkeys(("numel", "nelement"), _count),
    **dict.fromkeys(("dim", "ndimension"), _rank),
    **dict.fromkeys(("size", "shape"), _size),
    "sizes": _size,
    **dict.fromkeys(("split", "split_with_sizes"), _split),
    "t": _t,
    "permute": _permute,
    "unflatten": _unflatten,
    "unsqueeze": _unsqueeze,
    "narrow": _narrow,
    "flatten": _flatten,
    "unbind": _unbind,
    "chunk": _chunk,
    "repeat": _repeat,
    "repeat_interleave": _repeat_interleave,
    "stack": _stack,
    "rearrange": _rearrange,
}
