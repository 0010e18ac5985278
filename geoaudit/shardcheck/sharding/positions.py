"""Sizes of tensors by position: ``q.shape[1]`` is heads by convention, in attention alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from geoaudit.shardcheck.words import (
    BATCH,
    FFN,
    HEADS,
    KV_HEADS,
    SHARDED_BY,
    VALUE_HEADS,
    WEIGHT_ROWS,
    dimension_of,
    is_activation,
    is_product,
    is_sequence,
    words_of,
)

_POSITION = re.compile(
    r"(?P<tensor>.+?)(?:\.shape\[(?P<shape>-?\d+)\]|\.(?:size|dim|extent)\((?P<size>-?\d+)\)|"
    r"\.sizes\(\)\[(?P<sizes>-?\d+)\]|(?:\.|->)ne\[(?P<ne>\d)\])"
)
_GGML = re.compile(r"ne[a-z]*(?P<tensor>\d?)(?P<index>\d)")
_ATTENTION = re.compile(
    r"attn|attention|flash|fmha|mha|mla|gqa|mqa|rope|rotary|soft_?max|paged|delta|gla|retention|"
    r"kda|rwkv|ssm|mamba|linear_attn|reduce_segments|qk"
)
_WEIGHTS = {"w", "b", "weight", "weights", "qweight", "kernel"}
_OUTPUTS = {"c", "d", "out", "output", "y"}
_ENDS = re.compile(r"cu_?seq|seq_?start|indptr|start_?loc|offsets?|cumsum|prefix_?sum")
"""Tensors with the end of each sequence: one more than there are sequences."""
_SIZE = re.compile(r"[DKVE]|[dD]_?[ckvr]?|head_?dim\w*|[dD]im|[RMN]")
"""Names of one extent that are sizes of a head or rows: where they stand, position says nothing."""
_TENSORS = {"q", "k", "v", "o", "query", "key", "value", "out", "output", "mid", "qkv"}


@dataclass(frozen=True, kw_only=True)
class Position:
    """One extent of a tensor: ``q.shape[1]``. ``innermost_first``: ggml counts from the inside."""

    tensor: str
    index: int
    innermost_first: bool = False


def position_of(name: str) -> Position | None:
    """The tensor and position that a symbol's name is; None: it is no extent of a tensor.

    >>> position_of("query.size(1)")
    Position(tensor='query', index=1, innermost_first=False)
    >>> position_of("params.ne02")
    Position(tensor='0', index=2, innermost_first=True)
    """
    found = _POSITION.fullmatch(name)
    if found is not None:
        index = next(value for value in found.groups()[1:] if value is not None)
        return Position(
            tensor=found["tensor"], index=int(index), innermost_first=found["ne"] is not None
        )
    found = _GGML.fullmatch(name.rpartition(".")[2])
    if found is None:
        return None
    return Position(tensor=found["tensor"], index=int(found["index"]), innermost_first=True)


def dimension_at(
    position: Position, names: Iterable[str], others: Iterable[Position], surroundings: str
) -> tuple[str, str] | None:
    """The dimension at a position and why; None: it cannot be told.

    Names on the way from the grid to the tensor say most: ``head_num = mid_out.shape[1]``. Without
    any, [tokens, heads, size] and [batch, sequence, heads, size] are the conventions, for tensors
    of attention.

    Args:
        position: the position asked about.
        names: all names on the way, of its axis.
        others: positions of the same axis.
        surroundings: kernel, function and path, in lower case.
    """
    plain = [name for name in names if position_of(name) is None]
    found = _in_product_or_activation(position, surroundings)
    if found is not None:
        return found
    if position.index == 0 and not position.innermost_first:
        is_batch = _ATTENTION.search(surroundings) and not _ENDS.search(position.tensor.lower())
        return (BATCH, "the first extent is tokens or sequences") if is_batch else None
    if position.index != _heads_index(position, others):
        return None
    for name in plain:
        dimension = dimension_of(name, surroundings)
        if dimension is not None and dimension in SHARDED_BY:
            return dimension, f"it is named {name}"
    if any(is_sequence(name) for name in plain) or not _ATTENTION.search(surroundings):
        return None
    if any(_SIZE.fullmatch(name) for name in plain):
        return None
    words = set(words_of(position.tensor)) or {position.tensor}
    if not position.innermost_first and not words & _TENSORS:
        return None
    order = "[size, tokens, heads, sequences]" if position.innermost_first else "[..., heads, size]"
    return _kind_of_heads(words), f"by position, as {order}"


def _in_product_or_activation(position: Position, surroundings: str) -> tuple[str, str] | None:
    """Columns of a weight, of a product's output or of an activation's input; None: none."""
    last = position.tensor.rpartition(".")[2].strip("_").lower()
    is_last = position.index in (1, -1) and not position.innermost_first
    if is_product(surroundings):
        if words_of(last) and _WEIGHTS & {last, *words_of(last)}:
            return WEIGHT_ROWS, "an extent of a weight"
        if is_last and last in _OUTPUTS:
            return WEIGHT_ROWS, "the columns of a matrix product"
    if is_last and is_activation(surroundings):
        return FFN, "the columns of an activation"
    return None


def counts_columns(name: str, names: Iterable[str], surroundings: str) -> bool:
    """Whether a name is all elements of an activation's input, not divided by an extent of its.

    >>> counts_columns("x.numel()", ["x.numel()"], "silu_kernel f a.cu")
    True
    >>> counts_columns("x.numel()", ["x.numel()", "x.size(-1)"], "silu_kernel f a.cu")
    False
    """
    tensor, _, last = name.rpartition(".")
    if last != "numel()" or not is_activation(surroundings):
        return False
    return all(other.tensor != tensor for other in filter(None, map(position_of, names)))


def _heads_index(position: Position, others: Iterable[Position]) -> int:
    """Which position may be heads: the third where it is asked for, else the second."""
    if position.innermost_first:
        return 2
    return 2 if any(other.index == 2 for other in (position, *others)) else 1


def _kind_of_heads(words: set[str]) -> str:
    if words & {"k", "key"}:
        return KV_HEADS
    return VALUE_HEADS if words & {"v", "value"} else HEADS
