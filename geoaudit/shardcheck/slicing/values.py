"""What an expression of host code stands for, as far as grids need it.

Every number carries the names it came through, so that each axis of a grid knows its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Optional

from geoaudit.shardcheck.slicing.sites import Hop
from geoaudit.shardcheck.symbolic.extents import Case, Extent, Integer, Unknown
from geoaudit.shardcheck.symbolic.making import arithmetic, cases
from geoaudit.shardcheck.symbolic.walking import is_choice_of_numbers

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.frames import Frame
    from geoaudit.shardcheck.slicing.functions import IndexedFunction
    from geoaudit.shardcheck.slicing.points import Point

MOST_HOPS = 40


@dataclass(frozen=True, kw_only=True)
class Trail:
    """Where a value has come through.

    Attributes:
        names: (path, name as written) of every variable, field and extent on the way.
        hops: lines on the way, nearest first.
        calls: calls between the launch and the farthest name on the way.
    """

    names: frozenset[tuple[str, str]] = frozenset()
    hops: tuple[Hop, ...] = ()
    calls: int = 0

    def through(self, path: str, name: str, calls: int = 0) -> "Trail":
        """With one more name, so many calls away from the launch."""
        return replace(self, names=self.names | {(path, name)}, calls=max(self.calls, calls))

    def after(self, hop: Hop) -> "Trail":
        """With a line in front."""
        if hop in self.hops:
            return self
        return replace(self, hops=(hop, *self.hops)[:MOST_HOPS])


def joined(trails: Iterable[Trail]) -> Trail:
    """Several trails as one."""
    found = list(trails)
    if len(found) == 1:
        return found[0]
    hops = dict.fromkeys(hop for trail in found for hop in trail.hops)
    names = frozenset[tuple[str, str]]().union(*(trail.names for trail in found))
    calls = max((trail.calls for trail in found), default=0)
    return Trail(names=names, hops=tuple(hops)[:MOST_HOPS], calls=calls)


NOWHERE = Trail()


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number."""

    extent: Extent
    trail: Trail = NOWHERE


@dataclass(frozen=True, kw_only=True)
class Record:
    """A value with members: ``dim3``, a structure, an object.

    Attributes:
        type: its class as written; ``dim3`` members are x, y, z, and 1 where not given.
        members: those that are known.
        rest: what every other member is a member of; None: nothing is known of them.
    """

    type: str
    members: Mapping[str, "Value"] = field(default_factory=dict)
    rest: "Reference | None" = None


@dataclass(frozen=True, kw_only=True)
class Items:
    """Values side by side: a tuple, a list, a pair, braces without a type.

    ``back``: the same from the last one backwards, where it is not known how many there are; then
    `values` are the first ones.
    """

    values: tuple["Value", ...]
    back: tuple["Value", ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reference:
    """An object, a tensor or a number of which no more is known than how it is written.

    Attributes:
        text: ``params``, ``q.shape``, ``self.num_heads``.
        kind: of `Symbol`.
        type: declared type, where known.
        path, line, scope: of `Symbol`.
        of: what it is a member or element of; None: it is a variable.
        member: name or index within `of`.
    """

    text: str
    kind: str
    path: str
    line: int = 0
    scope: str = ""
    type: str = ""
    of: Optional["Reference"] = None
    member: str = ""
    trail: Trail = NOWHERE

    @property
    def base(self) -> "Reference":
        """The variable it is reached through."""
        return self if self.of is None else self.of.base


@dataclass(frozen=True, kw_only=True)
class Shaped:
    """A tensor whose extents are known: of ``view``, ``reshape``, ``empty``, ``transpose``.

    Attributes:
        extents: in order.
        text: how it is written.
        back: extents from the last one backwards, where the rank is not known.
    """

    extents: tuple["Value", ...]
    text: str = ""
    back: tuple["Value", ...] = ()


@dataclass(frozen=True, kw_only=True)
class Closure:
    """Functions that may be meant by a name, where a nested one was made, and what is given."""

    functions: tuple["IndexedFunction", ...]
    frame: Optional["Frame"] = None
    point: Optional["Point"] = None
    receiver: Optional["Value"] = None
    given: tuple["Value", ...] = ()
    named: Mapping[str, "Value"] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Words:
    """A string."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Either:
    """One of several values that have nothing in common; guards as in `Case`."""

    options: tuple[tuple[Quantity | None, "Value"], ...]


@dataclass(frozen=True)
class Nothing:
    """Python's None: no number, and false."""


NOTHING = Nothing()
Value = Quantity | Record | Items | Reference | Shaped | Closure | Words | Nothing | Either


def number(value: int) -> Quantity:
    """A known number."""
    return Quantity(extent=Integer(value=value))


def unknown(reason: str, parts: Iterable[Quantity] = ()) -> Quantity:
    """A number that cannot be told, and what it depends on."""
    found = list(parts)
    extent = Unknown(reason=reason, parts=tuple(part.extent for part in found))
    return Quantity(extent=extent, trail=joined([NOWHERE, *(part.trail for part in found)]))


def is_unknown(value: Value) -> bool:
    """Whether nothing is known of a value."""
    return isinstance(value, Quantity) and isinstance(value.extent, Unknown)


def computed(operator: str, operands: Sequence[Quantity]) -> Quantity:
    """An operator applied to numbers."""
    extent = arithmetic(operator, *(operand.extent for operand in operands))
    return Quantity(extent=extent, trail=joined(operand.trail for operand in operands))


Option = tuple[Quantity | None, Value]


def either(options: Sequence[Option]) -> Value:
    """One of several values: member by member where they have the same form."""
    options = _reached(options)
    values = [value for _, value in options]
    first = values[0]
    if all(value == first for value in values):
        return first
    if any(isinstance(value, Either) for value in values):
        return either(list(_flat(options)))
    if all(isinstance(value, Quantity) for value in values):
        return either_number(options)
    if all(isinstance(value, Record) for value in values):
        return _either_record(options)
    if all(
        isinstance(one, Closure) and not (one.frame or one.given or one.named) for one in values
    ):
        functions = dict.fromkeys(
            one for value in values if isinstance(value, Closure) for one in value.functions
        )
        return Closure(functions=tuple(functions))
    if isinstance(first, Items) and all(
        isinstance(value, Items) and len(value.values) == len(first.values) and not value.back
        for value in values
    ):
        return Items(values=tuple(_each(options, place) for place in range(len(first.values))))
    return Either(options=tuple(options))


def _reached(options: Sequence[Option]) -> Sequence[Option]:
    """The options that conditions which are known do not exclude."""
    found: list[Option] = []
    for guard, value in options:
        known = guard.extent if guard is not None else None
        if known == Integer(value=0):
            continue
        found.append((guard, value))
        if isinstance(known, Integer):
            break
    return found or options


def used(options: Sequence[Option]) -> Sequence[Option]:
    """Options of something that is used, so that it is not None."""
    return [option for option in options if not isinstance(option[1], Nothing)] or options


def _flat(options: Sequence[Option]) -> Iterable[Option]:
    for guard, value in options:
        if not isinstance(value, Either):
            yield guard, value
            continue
        for inner, option in value.options:
            both = [one for one in (guard, inner) if one is not None]
            yield (computed("&&", both) if len(both) == 2 else (both[0] if both else None)), option


def _each(options: Sequence[Option], place: int) -> Value:
    return either(
        [(guard, value.values[place]) for guard, value in options if isinstance(value, Items)]
    )


def either_number(options: Sequence[Option]) -> Quantity:
    """One of several numbers.

    The names in guards are on its way where all it chooses from is constants.
    """
    found = [(guard, value) for guard, value in options if isinstance(value, Quantity)]
    extent = cases(
        Case(guard=guard.extent if guard else None, value=value.extent) for guard, value in found
    )
    trails = [value.trail for _, value in found]
    if is_choice_of_numbers(extent):
        trails += [guard.trail for guard, _ in found if guard]
    return Quantity(extent=extent, trail=joined(trails))


def _either_record(options: Sequence[Option]) -> Value:
    found = [(guard, value) for guard, value in options if isinstance(value, Record)]
    names = dict.fromkeys(name for _, record in found for name in record.members)
    members: dict[str, Value] = {}
    if any(known_member(record, name) is None for _, record in found for name in names):
        return Either(options=tuple(options))
    for name in names:
        given = [(guard, known_member(record, name)) for guard, record in found]
        members[name] = either([(guard, value) for guard, value in given if value is not None])
    rests = {record.rest for _, record in found}
    return Record(
        type=found[0][1].type, members=members, rest=rests.pop() if len(rests) == 1 else None
    )


def known_member(record: Record, name: str) -> Value | None:
    """A member of a record, where it is known; extents of a ``dim3`` are 1 unless given."""
    if name in record.members:
        return record.members[name]
    if record.type == "dim3" and record.rest is None and name in {"x", "y", "z"}:
        return number(1)
    return None
