"""What functions change beyond their own: what they are given, their object, what is around."""

from collections import defaultdict
from collections.abc import Iterable

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.slicing import aliases
from geoaudit.shardcheck.slicing.functions import IndexedFunction

MOST_CALLS = 4


def writing_functions(functions: Iterable[IndexedFunction]) -> frozenset[str]:
    """Functions that change what they are given, themselves or by what they call, by name."""
    found: set[str] = set()
    passing: dict[str, set[str]] = defaultdict(set)
    for function in functions:
        own = function.function
        if own.is_declaration and any(one.type.endswith("&") for one in own.parameters):
            found.add(own.name)
        if function.changed_parts:
            found.add(own.name)
        for callees in function.passed_on.values():
            for name in callees:
                passing[name].add(own.name)
    waiting = list(found)
    while waiting:
        for name in passing.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return frozenset(found - {""})


def field_writes(methods: Iterable[IndexedFunction]) -> dict[str, frozenset[str]]:
    """Methods -> the fields of their own object that they assign, or methods that they call."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    every = [one for one in methods if not one.function.is_declaration]
    for method in every:
        own = method.function
        if own.name not in {own.owner, "__init__"}:
            found[own.owner, own.name] |= _own_fields(method)
    for _ in range(MOST_CALLS):
        for method in every:
            own = method.function
            for name in own.calls:
                if (own.owner, name) in found and (own.owner, own.name) in found:
                    found[own.owner, own.name] |= found[own.owner, name]
    by_name: dict[str, set[str]] = defaultdict(set)
    for (_, name), fields in found.items():
        by_name[name] |= fields
    return {name: frozenset(fields) for name, fields in by_name.items() if fields}


def _own_fields(method: IndexedFunction) -> set[str]:
    own = {one.name for one in method.function.parameters}
    is_c = method.file.language == "c"
    if is_c:
        own |= {name for name, one in method.declarations.items() if one.type}
    this = "this" if is_c else method.object_name
    found: set[str] = set()
    for place in method.assigned:
        root, *tail = aliases.meant(method.aliases, place)
        if root == this and tail:
            found.add(tail[0])
        elif is_c and root not in own:
            found.add(root)
    return found


def macro_writes(macros: Iterable[IndexedFunction]) -> dict[str, frozenset[str]]:
    """Macros that assign variables, or use macros that do -> those variables.

    A parameter stands among them for what it is given, a name with ``##`` for any.
    """
    found: dict[str, set[str]] = defaultdict(set)
    using: dict[str, set[str]] = defaultdict(set)
    for macro in macros:
        name = macro.function.name
        found[name] |= {place[0] for place in macro.assigned}
        for called in macro.function.calls:
            using[called].add(name)
    waiting = [name for name, names in found.items() if names]
    while waiting:
        inner = waiting.pop()
        for name in using.get(inner, ()):
            if not found[inner] <= found[name]:
                found[name] |= found[inner]
                waiting.append(name)
    return {name: frozenset(names) for name, names in found.items() if names}


def written_around(function: IndexedFunction) -> frozenset[str]:
    """Variables of the function around that a nested one assigns, or members of them."""
    own = {one.name for one in function.function.parameters}
    places = [aliases.meant(function.aliases, place) for place in function.assigned]
    if function.file.language == "c":
        own |= {name for name, one in function.declarations.items() if one.type}
        roots = {place[0] for place in places} - own
        return frozenset(one for one in roots if not function.is_copied(one))
    shared = {
        part.text
        for point in function.points
        if isinstance(point.statement, s.Evaluate)
        and isinstance(point.statement.value, e.Opaque)
        and point.statement.value.text == "nonlocal"
        for part in point.statement.value.parts
        if isinstance(part, e.Name)
    }
    own |= {place[0] for place in places if len(place) == 1} - shared
    return frozenset({place[0] for place in places} - own)
