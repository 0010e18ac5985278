"""What the symbols of a manifest are given, in the order in which they follow from each other."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from geoaudit.manifest.location import KeyPath
from geoaudit.shardcheck.manifest.document import Document, UnreadableError
from geoaudit.shardcheck.manifest.formulas import names_in
from geoaudit.shardcheck.program.expressions import Collection as Several
from geoaudit.shardcheck.program.expressions import Expression, Name, Number
from geoaudit.shardcheck.program.statements import Assign
from geoaudit.shardcheck.words import WIDTH_KINDS, parallel_kind

_RANKS = "tp_size"


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What a symbol is given, and the line."""

    value: Expression
    line: int

    @property
    def names(self) -> frozenset[str]:
        """The symbols that it follows from."""
        return names_in(self.value)


Definitions = Mapping[str, Definition]


def definitions(document: Document, path: KeyPath) -> dict[str, Definition]:
    """The symbols of a table as they stand there.

    Raises:
        UnreadableError: one is no formula.
    """
    return {
        name: Definition(value=document.formula((*path, name)), line=document.line((*path, name)))
        for name in document.table(path)
    }


def ordered_definitions(document: Document, path: KeyPath) -> dict[str, Definition]:
    """The symbols of a table, each after those that it follows from.

    Raises:
        UnreadableError: one is no formula, or they follow from each other in a circle.
    """
    found = definitions(document, path)
    return {name: found[name] for name in _ordered(found)}


def top_definitions(document: Document) -> dict[str, Definition]:
    """``[symbols]`` and arms, which are off: 0.

    A symbol that is a number of ranks by its name is left out, whatever the file gives it: the
    check varies it. One that only the key ``ranks`` says to be is such a number by another name.
    """
    arms = {
        name: Definition(value=Number(0), line=document.line(("arms", name)))
        for name in document.table(("arms",))
    }
    symbols = {
        name: one
        for name, one in ordered_definitions(document, ("symbols",)).items()
        if parallel_kind(name) not in WIDTH_KINDS
    }
    ranks = document.value(("ranks",))
    if isinstance(ranks, str) and ranks in symbols:
        symbols[ranks] = Definition(value=Name(_RANKS), line=document.line(("ranks",)))
    return arms | symbols


def following_from(symbols: Definitions, changed: Collection[str]) -> dict[str, Definition]:
    """Those of ordered symbols that follow from changed ones, which are not among them."""
    found: dict[str, Definition] = {}
    for name, one in symbols.items():
        if name not in changed and not one.names.isdisjoint({*changed, *found}):
            found[name] = one
    return found


def needed_names(first: Iterable[str], levels: Iterable[Definitions]) -> set[str]:
    """Names that others need, wherever they are given something."""
    found, waiting, several = set[str](), list(first), list(levels)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            for level in several:
                waiting.extend(level[name].names if name in level else ())
    return found


def assignments(symbols: Definitions, *, constant: bool = False) -> Iterator[Assign]:
    """A statement for each symbol, in their order."""
    for name, one in symbols.items():
        yield Assign(Name(name), one.value, one.line, constant=constant)


def at_once(symbols: Definitions) -> Iterator[Assign]:
    """Statements that give symbols their values, all as they were before any has its own."""
    if all(one.names.isdisjoint(symbols.keys() - {name}) for name, one in symbols.items()):
        yield from assignments(symbols)
        return
    names = tuple(Name(name) for name in symbols)
    values = tuple(one.value for one in symbols.values())
    line = min(one.line for one in symbols.values())
    yield Assign(Several(names), Several(values), line)


def _ordered(symbols: Definitions) -> Iterator[str]:
    """Names, each after those that it follows from."""
    done: set[str] = set()
    for first in symbols:
        waiting = [(first, iter(sorted(symbols[first].names & symbols.keys())))]
        open_names = {first}
        while first not in done:
            name, others = waiting[-1]
            other = next((one for one in others if one not in done), None)
            if other is None:
                done.add(name)
                open_names.discard(name)
                waiting.pop()
                yield name
            elif other in open_names:
                raise UnreadableError(symbols[other].line, f"{other} follows from itself")
            else:
                open_names.add(other)
                waiting.append((other, iter(sorted(symbols[other].names & symbols.keys()))))
