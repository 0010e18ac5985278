"""What a symbol of a grid stands for by its kind, its names or its position: never certain."""

from collections.abc import Iterable

from geoaudit.shardcheck import words
from geoaudit.shardcheck.sharding.dimensions import named_dimension
from geoaudit.shardcheck.sharding.naming import Clues
from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.sharding.positions import (
    Position,
    counts_columns,
    dimension_at,
    position_of,
)
from geoaudit.shardcheck.sharding.worth import Fixed, Ranks, Role, Share, of_unknown_size
from geoaudit.shardcheck.slicing.sites import Axis
from geoaudit.shardcheck.symbolic.extents import Symbol
from geoaudit.shardcheck.symbolic.walking import symbols
from geoaudit.shardcheck.symbolic.wording import as_text
from geoaudit.shardcheck.words import is_prefill

MADE_OF = "is made of"


def by_kind(symbol: Symbol, options: ShardOptions) -> Role | None:
    """What a symbol is whatever it is called: ranks, SMs, resident blocks; None: a plain number."""
    if symbol.kind == "parallel_size":
        return Ranks(kind=words.parallel_kind(symbol.name) or "tp")
    if symbol.kind == "rank":
        return Fixed(values=(0,), taken="the first rank")
    if symbol.kind == "sm_count":
        return Fixed(values=(options.sms,))
    if symbol.kind == "occupancy":
        return Fixed(values=(1, 2), taken="resident blocks of an SM")
    return None


def by_meaning(symbol: Symbol, axis: Axis, clues: Clues, options: ShardOptions) -> Role | None:
    """What a symbol's names, its position in a tensor, or what it is elsewhere says."""
    dimension, why = _meaning(symbol, axis, clues)
    if dimension in words.SHARDED_BY and symbol.kind != "constant":
        share = named_dimension(symbol, dimension, why, options)
        is_part = why.startswith(MADE_OF)
        return of_unknown_size(symbol.name, share) if is_part else Share(dimension=share)
    if dimension == words.BATCH and is_prefill(clues.surroundings) and "batch" not in symbol.name:
        return None
    if dimension == words.BATCH:
        return Fixed(values=(options.batch,), taken=f"the batch, {why}")
    if dimension == words.CONTEXT:
        return Fixed(values=(options.context,), taken=f"the context, {why}")
    size = options.model.get(dimension) if dimension else None
    return None if size is None else Fixed(values=(size,), taken=f"the model's {dimension}, {why}")


def _meaning(symbol: Symbol, axis: Axis, clues: Clues) -> tuple[str, str]:
    """The dimension a symbol stands for, and why; both empty where nothing tells."""
    position = position_of(symbol.name)
    aliases = clues.names_of(symbol)[1:]
    if any(words.is_batch_of_heads(name) for name in (symbol.name, *aliases)):
        return words.HEADS, f"{MADE_OF} sequences and heads, by its name"
    if position is not None:
        if f"{position.tensor}.numel()" in axis.symbols:
            # All elements are divided by an extent of theirs: what is left is not it.
            return "", ""
        named = _sharded_alias(aliases, clues)
        if named is not None:
            return named
        if position.tensor in clues.tensors_with_heads:
            # Another extent of it is called heads: no other is, whatever its place.
            return "", ""
        others: Iterable[Position] = filter(None, map(position_of, axis.symbols))
        found = dimension_at(position, aliases or axis.symbols, others, clues.surroundings)
        if found is not None:
            return found
    for name, why in ((symbol.name, "by its name"), *((one, f"named {one}") for one in aliases)):
        dimension = words.dimension_of(name, clues.surroundings)
        if dimension is not None and position_of(name) is None and not clues.is_height(name):
            return dimension, why
    if counts_columns(symbol.name, axis.symbols, clues.surroundings):
        return words.FFN, f"{MADE_OF} the columns of an activation"
    return _meaning_beyond(symbol, clues)


def _sharded_alias(aliases: Iterable[str], clues: Clues) -> tuple[str, str] | None:
    """What a variable that is exactly an extent of a tensor is called, where that is divided."""
    for name in aliases:
        dimension = words.dimension_of(name, clues.surroundings)
        is_plain = position_of(name) is None and not clues.is_height(name)
        if is_plain and dimension in words.SHARDED_BY and dimension is not None:
            return dimension, f"it is named {name}"
    return None


def is_divided_out(position: Position, axis: Axis) -> bool:
    """Whether all elements of a tensor are divided by an extent of its own: the rest is left."""
    return f"{position.tensor}.numel()" in axis.symbols


def _meaning_beyond(symbol: Symbol, clues: Clues) -> tuple[str, str]:
    """What a symbol is beyond its file, where that is one name, or a product with a sharded one."""
    bound = clues.bindings.get(symbol)
    found = () if bound is None else symbols(bound)
    if _counts_heads(found):
        return words.HEADS, f"{MADE_OF} {as_text(bound or found[0], 60)}"
    for one in found:
        dimension = words.dimension_of(one.name, clues.surroundings) or ""
        if clues.is_height(one.name):
            continue
        if dimension in words.SHARDED_BY or bound == one:
            return dimension, f"{'it is' if bound == one else MADE_OF} {one.name}"
    return "", ""


def _counts_heads(found: Iterable[Symbol]) -> bool:
    """Whether all elements of a tensor are told apart by heads: ``x.numel() // head_dim``."""
    names = [one.name for one in found]
    has_all = any(name.removesuffix("()").endswith(".numel") for name in names)
    return has_all and any(words.dimension_of(name) == words.HEAD_DIM for name in names)
