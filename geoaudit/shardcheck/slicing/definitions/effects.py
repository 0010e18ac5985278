"""What a statement may change, worked out once for each."""

from dataclasses import dataclass

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.walking import blocks_of, expressions_of, last_name, within
from geoaudit.shardcheck.slicing.definitions.mutating_calls import mutated
from geoaudit.shardcheck.slicing.points import place_of, targets


@dataclass(frozen=True, kw_only=True)
class Effects:
    """What a statement may change, and those within it.

    Attributes:
        statement: the statement.
        assigned: variables that it assigns, also a member or an element of.
        addressed: variables whose address it gives to a call.
        passed: variables that it gives to a call, which may take them by reference.
        called: what it calls, last component each.
        calls: calls in the statement itself.
    """

    statement: s.Statement
    assigned: frozenset[str]
    addressed: frozenset[str]
    passed: frozenset[str]
    called: frozenset[str]
    calls: tuple[e.Call, ...]


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
        called=frozenset(last_name(call.function) for call in calls).union(
            *(one.called for one in inner)
        ),
        calls=calls,
    )
