"""What is gone over one by one: comprehensions, ``zip``, ``enumerate``, ``map``, ``range``.

Each element is written as an expression, so that it is worth what it is where it stands.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import parts_of, within
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Point, place_of, targets
from geoaudit.shardcheck.slicing.quantities import dependencies
from geoaudit.shardcheck.slicing.scopes import macros
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Items,
    Record,
    Value,
    Words,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Integer

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

MOST_ELEMENTS = 24
Elements = tuple[e.Expression, ...]


def gone_over(slicer: "Slicer", node: e.Expression, frame: Frame, point: Point) -> Value:
    """The values of what is gone over, or what they depend on."""
    found = elements(slicer, node, frame, point)
    if found is not None:
        slicer.written.extend(found)
        return Items(values=tuple(slicer.value(one, frame, point) for one in found))
    text = f"{spelled(node)} is not followed"
    return unknown(text, dependencies(slicer, list(_read(slicer, node, frame, point)), text))


def comprehension(slicer: "Slicer", node: e.Opaque, frame: Frame, point: Point) -> Value:
    """What a comprehension makes: a list, a generator, a dictionary."""
    loops = [one for one in node.parts if _is_loop(one)]
    if len(node.parts) - len(loops) == 1:
        return gone_over(slicer, node, frame, point)
    pairs = _elements_of_comprehension(slicer, node, frame, point)
    if pairs is None:
        text = f"{node.text} is not followed"
        return unknown(text, dependencies(slicer, list(_read(slicer, node, frame, point)), text))
    slicer.written.extend(pairs)
    members: dict[str, Value] = {}
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        name = slicer.value(key, frame, point)
        if not isinstance(name, Words):
            return unknown(f"the keys of {node.text}")
        members[name.text] = slicer.value(value, frame, point)
    return Record(type="", members=members)


def is_comprehension(node: e.Opaque) -> bool:
    """Whether an expression is a comprehension."""
    return bool(node.parts) and _is_loop(node.parts[-1])


def _is_loop(node: e.Expression) -> bool:
    return isinstance(node, e.Collection) and node.type == "for"


def elements(slicer: "Slicer", node: e.Expression, frame: Frame, point: Point) -> Elements | None:
    """The elements of what is gone over, each as an expression; None: they cannot be told."""
    match node:
        case e.Collection(items=items, keywords=()) if not _has_stars(items):
            return items if len(items) <= MOST_ELEMENTS else None
        case e.Opaque() if is_comprehension(node):
            is_set = node.text.startswith("{")
            return None if is_set else _elements_of_comprehension(slicer, node, frame, point)
        case e.Call(function=e.Name(text=name), arguments=given, keywords=()) if given:
            if not _has_stars(given) and name in _OF_CALLS:
                return _OF_CALLS[name](slicer, given, frame, point)
        case e.Call(function=e.Member(value=value, name="items" | "keys" | "values" as name)):
            return _of_dictionary(slicer, value, name, frame, point)
        case _:
            pass
    return _by_number(slicer, node, frame, point)


def _has_stars(nodes: Sequence[e.Expression]) -> bool:
    return any(isinstance(one, e.Starred) for one in nodes)


def _by_number(slicer: "Slicer", node: e.Expression, frame: Frame, point: Point) -> Elements | None:
    value = slicer.value(node, frame, point)
    if not isinstance(value, Items) or value.back or len(value.values) > MOST_ELEMENTS:
        return None
    return tuple(e.Subscript(node, (e.Number(place),)) for place in range(len(value.values)))


def _of_dictionary(
    slicer: "Slicer", node: e.Expression, name: str, frame: Frame, point: Point
) -> Elements | None:
    value = slicer.value(node, frame, point)
    if not isinstance(value, Record) or value.type or value.rest is not None:
        return None
    keys: Elements = tuple(e.Text(key) for key in value.members)
    values: Elements = tuple(e.Subscript(node, (key,)) for key in keys)
    pairs: Elements = tuple(e.Collection(pair) for pair in zip(keys, values, strict=True))
    return {"keys": keys, "values": values, "items": pairs}[name]


def _range(slicer: "Slicer", given: Elements, frame: Frame, point: Point) -> Elements | None:
    known = [slicer.quantity(one, frame, point).extent for one in given]
    ends = [one.value for one in known if isinstance(one, Integer)]
    if len(ends) != len(known) or len(ends) > 3 or ends[2:] == [0]:
        return None
    found = range(*ends)
    return tuple(map(e.Number, found)) if len(found) <= MOST_ELEMENTS else None


def _numbered(slicer: "Slicer", given: Elements, frame: Frame, point: Point) -> Elements | None:
    start = slicer.quantity(given[1], frame, point).extent if given[1:] else Integer(value=0)
    found = elements(slicer, given[0], frame, point)
    if found is None or not isinstance(start, Integer):
        return None
    return tuple(
        e.Collection((e.Number(place), one)) for place, one in enumerate(found, start.value)
    )


def _zipped(slicer: "Slicer", given: Elements, frame: Frame, point: Point) -> Elements | None:
    every = _each(slicer, given, frame, point)
    return None if every is None else tuple(map(e.Collection, zip(*every, strict=False)))


def _mapped(slicer: "Slicer", given: Elements, frame: Frame, point: Point) -> Elements | None:
    every = _each(slicer, given[1:], frame, point)
    if not every:
        return None
    return tuple(e.Call(given[0], arguments) for arguments in zip(*every, strict=False))


def _each(slicer: "Slicer", given: Elements, frame: Frame, point: Point) -> list[Elements] | None:
    every = [elements(slicer, one, frame, point) for one in given]
    found = [one for one in every if one is not None]
    return found if len(found) == len(every) else None


def _same(slicer: "Slicer", given: Elements, frame: Frame, point: Point) -> Elements | None:
    return elements(slicer, given[0], frame, point)


def _reversed(slicer: "Slicer", given: Elements, frame: Frame, point: Point) -> Elements | None:
    found = elements(slicer, given[0], frame, point)
    return None if found is None else found[::-1]


_OF_CALLS = {
    "range": _range,
    "enumerate": _numbered,
    "zip": _zipped,
    "map": _mapped,
    "list": _same,
    "tuple": _same,
    "reversed": _reversed,
}


def _elements_of_comprehension(
    slicer: "Slicer", node: e.Opaque, frame: Frame, point: Point
) -> Elements | None:
    if any(isinstance(one, e.FunctionValue) for one in within(node)):
        return None
    loops = [one for one in node.parts if isinstance(one, e.Collection) and _is_loop(one)]
    made = node.parts[: len(node.parts) - len(loops)]
    rounds: list[Mapping[str, e.Expression]] = [{}]
    for loop in loops:
        following: list[Mapping[str, e.Expression]] = []
        for known in rounds:
            more = _rounds(slicer, loop, known, frame, point)
            if more is None or len(following) + len(more) > MOST_ELEMENTS:
                return None
            following.extend(more)
        rounds = following
    return tuple(_with(one, known) for known in rounds for one in made)


def _rounds(
    slicer: "Slicer",
    loop: e.Collection,
    known: Mapping[str, e.Expression],
    frame: Frame,
    point: Point,
) -> list[Mapping[str, e.Expression]] | None:
    """What the names of one loop of a comprehension stand for, in each round."""
    target, iterable, *conditions = loop.items
    found = elements(slicer, _kept(slicer, _with(iterable, known)), frame, point)
    if found is None:
        return None
    rounds: list[Mapping[str, e.Expression]] = []
    for one in found:
        inner = {**known, **dict(_bound(target, one))}
        holds = [
            slicer.condition(_kept(slicer, _with(each, inner)), frame, point).extent
            for each in conditions
        ]
        if not all(isinstance(each, Integer) for each in holds):
            return None
        if all(isinstance(each, Integer) and each.value for each in holds):
            rounds.append(inner)
    return rounds


def _bound(target: e.Expression, one: e.Expression) -> Iterator[tuple[str, e.Expression]]:
    match target:
        case e.Name(text=text):
            yield text, one
        case e.Collection(items=items):
            for place, item in enumerate(items):
                if isinstance(one, e.Collection) and len(one.items) == len(items):
                    yield from _bound(item, one.items[place])
                else:
                    yield from _bound(item, e.Subscript(one, (e.Number(place),)))
        case _:
            return


def _with(node: e.Expression, known: Mapping[str, e.Expression]) -> e.Expression:
    """An expression with names replaced."""
    if not known:
        return node
    (found,) = macros.substituted((s.Evaluate(node, 0),), dict(known), 0)
    assert isinstance(found, s.Evaluate)
    return found.value


def _kept(slicer: "Slicer", node: e.Expression) -> e.Expression:
    slicer.written.append(node)
    return node


def _read(slicer: "Slicer", node: e.Expression, frame: Frame, point: Point) -> Iterator[Value]:
    """The values of the names that are read, but those that loops within give."""
    own = {
        place[0]
        for one in within(node)
        if isinstance(one, e.Collection) and one.type == "for"
        for place in targets(one.items[0])
    }
    for one in _outermost(node, own):
        value = slicer.value(one, frame, point)
        if not isinstance(value, Closure) and getattr(value, "kind", "") not in _NO_NUMBERS:
            yield value


_NO_NUMBERS = {"class", "module"}


def _outermost(node: e.Expression, own: set[str]) -> Iterator[e.Expression]:
    """Names, members and elements that are read, each as a whole."""
    place = place_of(node)
    if isinstance(node, e.Call) and isinstance(node.function, e.Name):
        for one in (*node.arguments, *(value for _, value in node.keywords)):
            yield from _outermost(one, own)
    elif place is None:
        for one in parts_of(node):
            yield from _outermost(one, own)
    elif place[0] not in own:
        yield node
    elif isinstance(node, e.Subscript):
        for one in node.indices:
            yield from _outermost(one, own)
