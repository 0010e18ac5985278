"""What a statement may change, worked out once for each."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.walking import blocks_of, expressions_of, last_name, within
from geoaudit.shardcheck.slicing.definitions.mutating_calls import mutated
from geoaudit.shardcheck.slicing.points import Block, place_of, targets


@dataclass(frozen=True, kw_only=True)
class Effects:
    """What a statement may change, and those within it.

    Attributes:
        statement: the statement.
        assigned: variables that it assigns, also a member or an element of.
        addressed: variables whose address it gives to a call.
        passed: variables that it gives to a call, which may take them by reference.
        receivers: variables of which it calls a method, or of a part of which.
        called: what it calls, last component each.
        nested: numbers of functions that it gives to calls.
        calls: calls in the statement itself.
    """

    statement: s.Statement
    assigned: frozenset[str]
    addressed: frozenset[str]
    passed: frozenset[str]
    receivers: frozenset[str]
    called: frozenset[str]
    nested: frozenset[int]
    calls: tuple[e.Call, ...]


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Where in a block something may be changed.

    Attributes:
        block: the block.
        by_name: variable -> places of the statements that may change it, in order.
        anything: places of statements that may change any variable.
        leaving: places of branches after which the function goes on only if they are not taken.
    """

    block: Block
    by_name: Mapping[str, Sequence[int]]
    anything: Sequence[int]
    leaving: Sequence[int]

    def before(self, names: Iterable[str], end: int) -> Iterator[int]:
        """Places before one that may change one of some variables, the last first."""
        every = (self.anything, *(self.by_name.get(name, ()) for name in names))
        earlier = (reversed(places[: bisect_left(places, end)]) for places in every if places)
        last = end
        for place in merge(*earlier, reverse=True):
            if place != last:
                yield place
            last = place


def effects_of(statement: s.Statement, known: dict[int, Effects]) -> Effects:
    """The effects of a statement; `known` holds those worked out before, by identity."""
    found = known.get(id(statement))
    if found is None or found.statement is not statement:
        found = known[id(statement)] = _effects(statement, known)
    return found


def _effects(statement: s.Statement, known: dict[int, Effects]) -> Effects:
    assigned: set[str] = set()
    match statement:
        case s.Assign(target=target):
            assigned.update(place[0] for place in targets(target))
        case s.Loop(target=target) if target is not None:
            assigned.update(place[0] for place in targets(target))
        case _:
            pass
    calls = tuple(
        one for node in expressions_of(statement) for one in within(node) if isinstance(one, e.Call)
    )
    changed = [mutated(one) for one in calls]
    assigned.update(place[0] for place in changed if place)
    given = [(one, place_of(one)) for call in calls for one in call.arguments]
    inner = [effects_of(one, known) for block in blocks_of(statement) for one in block]
    return Effects(
        statement=statement,
        assigned=frozenset(assigned).union(*(one.assigned for one in inner)),
        addressed=frozenset(
            place[0] for one, place in given if place and isinstance(one, e.Operation)
        ).union(*(one.addressed for one in inner)),
        passed=frozenset(
            place[0] for one, place in given if place and not isinstance(one, e.Operation)
        ).union(*(one.passed for one in inner)),
        receivers=frozenset(
            place[0]
            for call in calls
            if isinstance(call.function, e.Member) and (place := place_of(call.function.value))
        ).union(*(one.receivers for one in inner)),
        nested=frozenset(
            one.function for one, _ in given if isinstance(one, e.FunctionValue)
        ).union(*(one.nested for one in inner)),
        called=frozenset(last_name(call.function) for call in calls).union(
            *(one.called for one in inner)
        ),
        calls=calls,
    )
