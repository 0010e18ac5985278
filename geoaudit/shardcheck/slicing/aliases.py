"""Other names of variables: references and pointers of C++, objects that Python names twice."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.walking import expressions_of, within
from geoaudit.shardcheck.slicing.points import SOME_ELEMENT, Place, Point, place_of, targets

MOST_STEPS = 4


@dataclass(frozen=True, kw_only=True)
class Alias:
    """A name of something else.

    Attributes:
        places: what it may stand for.
        is_certain: it is the one place throughout, so that what is written by the name is written
            there.
        is_local: that is certain, and of a variable of the function: it is also read there.
        is_pointer: it holds an address.
        binding: identities of the statements that make it so.
    """

    places: tuple[Place, ...]
    is_certain: bool
    is_local: bool
    is_pointer: bool
    binding: frozenset[int]


def aliases_of(points: Sequence[Point], language: str, given: frozenset[str]) -> dict[str, Alias]:
    """The other names that matter in a function: something is written by them, or beside them.

    Args:
        points: of the function.
        language: of its file.
        given: names of its parameters.
    """
    statements = [point.statement for point in points]
    found: dict[str, list[tuple[int, Place]]] = defaultdict(list)
    pointers: set[str] = set()
    for place, one in enumerate(statements):
        if not isinstance(one, s.Assign) or not isinstance(one.target, e.Name) or one.operator:
            continue
        name = one.target.text
        other, is_pointer = _bound(one, language, pointers)
        if other is not None and other[0] != name:
            found[name].append((place, other))
            pointers |= {name} if is_pointer else set()
    if not found:
        return {}
    plain = _times_given(statements, given)
    matters = {
        name for name, bindings in found.items() if _matters(name, bindings, statements, language)
    }
    waiting = list(matters)
    while waiting:
        roots = {place[0] for _, place in found[waiting.pop()]} & found.keys() - matters
        matters |= roots
        waiting.extend(roots)
    return {
        name: _alias(name, found[name], statements, plain, language, name in pointers)
        for name in matters
    }


def _bound(one: s.Assign, language: str, pointers: set[str]) -> tuple[Place | None, bool]:
    """What an assignment makes its target another name of, and whether by its address."""
    value = one.value
    if value is None:
        return None, False
    if language != "c":
        return (place_of(value) if isinstance(value, e.Name | e.Member) else None), False
    if isinstance(value, e.Operation) and value.operator == "&" and len(value.operands) == 1:
        return place_of(value), True
    if one.type.endswith("&"):
        return place_of(value), False
    is_copy = isinstance(value, e.Name) and value.text in pointers and one.type != ""
    return (place_of(value), True) if is_copy else (None, False)


def _times_given(statements: Sequence[s.Statement], given: frozenset[str]) -> Counter[str]:
    """Variables -> how often they are given a value as a whole."""
    return Counter(given) + Counter(
        place[0]
        for one in statements
        if isinstance(one, s.Assign)
        for place in targets(one.target)
        if len(place) == 1
    )


def _matters(
    name: str, bindings: list[tuple[int, Place]], statements: Sequence[s.Statement], language: str
) -> bool:
    """Whether something is written by a name, or to what it stands for while it does."""
    own = {place for place, _ in bindings}
    roots = {place[0] for _, place in bindings}
    return any(
        _writes(statements[place], name, roots, language)
        for place in range(bindings[0][0] + 1, len(statements))
        if place not in own
    )


def _alias(
    name: str,
    bindings: list[tuple[int, Place]],
    statements: Sequence[s.Statement],
    plain: Counter[str],
    language: str,
    is_pointer: bool,
) -> Alias:
    binding = frozenset(id(statements[place]) for place, _ in bindings)
    places = tuple(dict.fromkeys(place for _, place in bindings))
    is_steady = (
        _is_declared_once(name, statements, binding)
        if language == "c"
        else plain[name] == 1 and plain[places[0][0]] <= 1
    )
    is_certain = len(places) == 1 and is_steady
    return Alias(
        places=places,
        is_certain=is_certain,
        is_local=is_certain and plain[places[0][0]] > 0,
        is_pointer=is_pointer,
        binding=binding,
    )


def _is_declared_once(
    name: str, statements: Sequence[s.Statement], binding: frozenset[int]
) -> bool:
    """Whether no other variable of the function, in a block of its own, has the name."""
    return all(
        id(one) in binding
        for one in statements
        if isinstance(one, s.Assign) and one.type and one.target == e.Name(name)
    )


def _writes(one: s.Statement, name: str, roots: set[str], language: str) -> bool:
    """Whether a statement may write by a name, or to what it stands for."""
    if isinstance(one, s.Assign):
        for place in targets(one.target):
            if (language == "c" or len(place) > 1) and (place[0] == name or place[0] in roots):
                return True
    return any(name in _given(node) for node in _calls(one))


def _calls(one: s.Statement) -> Iterator[e.Call]:
    for expression in expressions_of(one):
        for node in within(expression):
            if isinstance(node, e.Call):
                yield node


def _given(call: e.Call) -> set[str]:
    receiver = [call.function.value] if isinstance(call.function, e.Member) else []
    return {place[0] for one in (*call.arguments, *receiver) if (place := place_of(one))}


def meant(aliases: Mapping[str, Alias], place: Place) -> Place:
    """The place that a place is by another name; of several, or of some element, itself."""
    for _ in range(MOST_STEPS):
        alias = aliases.get(place[0])
        if alias is None or not alias.is_local or SOME_ELEMENT in alias.places[0]:
            break
        place = (*alias.places[0], *place[1:])
    return place


def written(
    aliases: Mapping[str, Alias], target: Place, root: str, language: str
) -> tuple[Place, bool] | None:
    """The place of a variable that is written by another name, and whether for certain."""
    if language != "c" and len(target) < 2:
        return None
    waiting = [(target, True)]
    for _ in range(MOST_STEPS):
        following: list[tuple[Place, bool]] = []
        for place, is_certain in waiting:
            alias = aliases.get(place[0])
            if alias is None:
                continue
            for other in alias.places:
                made = (*other, *place[1:]), is_certain and alias.is_certain
                if other[0] == root:
                    return made
                following.append(made)
        waiting = following
    return None


def names_by_root(aliases: Mapping[str, Alias]) -> dict[str, frozenset[str]]:
    """Variables -> the other names by which they may be written."""
    found: dict[str, set[str]] = defaultdict(set)
    for name in aliases:
        seen, waiting = {name}, [name]
        while waiting:
            alias = aliases.get(waiting.pop())
            for place in alias.places if alias else ():
                if place[0] not in seen:
                    seen.add(place[0])
                    waiting.append(place[0])
                    found[place[0]].add(name)
    return {root: frozenset(names) for root, names in found.items()}
