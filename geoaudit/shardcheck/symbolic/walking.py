"""Walks over extents: their parts, the symbols in them, their size."""

from collections.abc import Iterator

from geoaudit.shardcheck.symbolic.extents import (
    Arithmetic,
    Cases,
    Extent,
    Integer,
    Repeated,
    Symbol,
    Unknown,
)


def parts(extent: Extent) -> tuple[Extent, ...]:
    """What an extent is directly made of, guards and steps included."""
    if isinstance(extent, Arithmetic):
        return extent.operands
    if isinstance(extent, Cases):
        guards = tuple(case.guard for case in extent.cases if case.guard is not None)
        return (*guards, *(case.value for case in extent.cases))
    if isinstance(extent, Repeated):
        condition = () if extent.condition is None else (extent.condition,)
        return (*extent.initial, *condition, *extent.steps, extent.result)
    return extent.parts if isinstance(extent, Unknown) else ()


def walk(extent: Extent) -> Iterator[Extent]:
    """The extent and everything in it, from the left; what is in it twice comes twice."""
    pending = [extent]
    while pending:
        found = pending.pop()
        yield found
        pending.extend(reversed(parts(found)))


def valued(extent: Extent) -> Iterator[Extent]:
    """As `walk`, without what only decides: guards of cases and conditions of loops."""
    pending = [extent]
    while pending:
        found = pending.pop()
        yield found
        if isinstance(found, Cases):
            pending.extend(case.value for case in reversed(found.cases))
        elif isinstance(found, Repeated):
            pending.extend((*found.initial, *found.steps))
        else:
            pending.extend(reversed(parts(found)))


def symbols(extent: Extent) -> tuple[Symbol, ...]:
    """The symbols an extent depends on, each once, from the left; no variables of its loops."""
    found: dict[Symbol, None] = {}
    _collect(extent, frozenset(), found)
    return tuple(found)


def is_choice_of_numbers(extent: Extent) -> bool:
    """Whether an extent is one of several constants: the guards alone decide what it is."""
    return isinstance(extent, Cases) and all(
        is_constant(case.value) or is_choice_of_numbers(case.value) for case in extent.cases
    )


def is_constant(extent: Extent) -> bool:
    """Whether an extent is a number, or a symbol that stands for one."""
    return isinstance(extent, Integer) or (isinstance(extent, Symbol) and extent.kind == "constant")


def decisive_symbols(extent: Extent) -> frozenset[Symbol]:
    """The symbols that the size of an extent comes from, those of a loop too.

    A guard's are among them only where it chooses between constants.
    """
    found: set[Symbol] = set()
    for one in valued(extent):
        if isinstance(one, Symbol):
            found.add(one)
        elif isinstance(one, Cases) and is_choice_of_numbers(one):
            found.update(symbols(one))
    return frozenset(found)


def reasons(extent: Extent) -> tuple[str, ...]:
    """Why parts of an extent cannot be told, each once, from the left."""
    return tuple(
        dict.fromkeys(found.reason for found in walk(extent) if isinstance(found, Unknown))
    )


def standing_for(extent: Extent) -> Symbol:
    """A symbol in place of what cannot be told: equal for equal reasons and symbols."""
    reason = extent.reason if isinstance(extent, Unknown) else "a loop"
    return Symbol(name=reason, kind="unknown", scope=", ".join(s.name for s in symbols(extent)))


def is_fraction(extent: Extent) -> bool:
    """Whether an extent is a quotient that is not rounded, or made of one."""
    if isinstance(extent, Cases):
        return any(is_fraction(case.value) for case in extent.cases)
    if not isinstance(extent, Arithmetic):
        return False
    if extent.operator in ("+", "-", "*", "min", "max"):
        return any(is_fraction(operand) for operand in extent.operands)
    return extent.operator == "/"


def is_larger(extent: Extent, limit: int) -> bool:
    """Whether more than `limit` things are in an extent."""
    return any(number > limit for number, _ in enumerate(walk(extent), start=1))


def _collect(extent: Extent, bound: frozenset[Symbol], found: dict[Symbol, None]) -> None:
    if isinstance(extent, Symbol):
        if extent not in bound:
            found[extent] = None
        return
    if isinstance(extent, Repeated):
        for initial in extent.initial:
            _collect(initial, bound, found)
        bound |= frozenset(extent.variables)
        inner = parts(extent)[len(extent.initial) :]
    else:
        inner = parts(extent)
    for part in inner:
        _collect(part, bound, found)
