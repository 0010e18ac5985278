"""Values as numbers, and symbols of what is only known by its name."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from geoaudit.shardcheck.slicing.values import (
    Either,
    Items,
    Nothing,
    Quantity,
    Record,
    Reference,
    Shaped,
    Value,
    computed,
    either,
    known_member,
    unknown,
    used,
)
from geoaudit.shardcheck.symbolic.extents import Symbol, SymbolKind
from geoaudit.shardcheck.words import is_parallel_size, is_rank, is_sm_count

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

SM_COUNT = "sm_count"
MOST_DEPENDENCIES = 24


def is_known_role(name: str) -> bool:
    """Whether a name says what it is, so that nobody need look where it is set."""
    return is_parallel_size(name) or is_rank(name) or is_sm_count(name)


def as_ranks(value: Value, text: str, path: str) -> Value:
    """A value, or a number of ranks where its name says one: what it is here says nothing."""
    if isinstance(value, Quantity) and is_parallel_size(text):
        return Reference(text=text, kind="parallel_size", path=path, trail=value.trail)
    return value


def as_quantity(slicer: "Slicer", value: Value, text: str) -> Quantity:
    """A value as a number; what is none is unknown, with `text` as its reason."""
    match value:
        case Quantity():
            return value
        case Reference():
            return symbol_of(slicer, value)
        case Either(options=options):
            found = either(
                [(guard, as_quantity(slicer, one, text)) for guard, one in used(options)]
            )
            assert isinstance(found, Quantity)
            return found
        case Record(type="dim3"):
            parts = [known_member(value, name) for name in ("x", "y", "z")]
            return computed("*", [as_quantity(slicer, one, text) for one in parts if one])
        case Record(rest=Reference() as rest):
            return symbol_of(slicer, rest)
        case Nothing():
            return unknown(f"{text} is None")
        case Items(values=(one,)):
            return as_quantity(slicer, one, text)
        case _:
            return unknown(f"{text} is no number that can be told")


def _other_names(reference: Reference, name: str) -> set[str]:
    """What a reference has been called on its way, without the names of what it is a part of."""
    outer = reference.of.trail.names if reference.of is not None else frozenset()
    return {one for _, one in reference.trail.names - outer if one != name}


def symbol_of(slicer: "Slicer", reference: Reference) -> Quantity:
    """The symbol of a reference."""
    last = reference.text.rpartition(".")[2]
    kind = reference.kind
    path, line, scope, name = reference.path, reference.line, reference.scope, reference.text
    if is_parallel_size(last):
        kind, path, line, scope = "parallel_size", "", 0, ""
    elif is_rank(last):
        kind, path, line, scope = "rank", "", 0, ""
    elif is_sm_count(last):
        kind, path, line, scope, name = SM_COUNT, "", 0, "", SM_COUNT
    symbol = Symbol(name=name, kind=cast(SymbolKind, kind), path=path, line=line, scope=scope)
    slicer.origins.setdefault(symbol, reference)
    slicer.aliases.setdefault(symbol, set()).update(_other_names(reference, name))
    trail = reference.trail.through(reference.path, reference.text)
    return Quantity(extent=symbol, trail=trail.through(reference.path, name))


def dependencies(slicer: "Slicer", values: Sequence[Value], text: str) -> list[Quantity]:
    """The numbers that something depends on which is made of values and is not told."""
    found: list[Quantity] = []
    for value in values:
        match value:
            case Quantity() | Reference():
                found.append(as_quantity(slicer, value, text))
            case Items(values=inner):
                found.extend(dependencies(slicer, (*inner, *value.back), text))
            case Shaped(extents=inner):
                found.extend(dependencies(slicer, (*inner, *value.back), text))
            case Record(members=dict() as members, rest=rest):
                others = () if rest is None else (rest,)
                found.extend(dependencies(slicer, (*members.values(), *others), text))
            case Either(options=options):
                found.extend(dependencies(slicer, [one for _, one in options], text))
            case _:
                continue
    return list(dict.fromkeys(found))[:MOST_DEPENDENCIES]
