"""What the analysis knows of a value: where its data is from, and what was combined on the way."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from geoaudit.source_axes.polynomials import Polynomial, constant, opaque

OWN = ""


class UnmodelledError(Exception):
    """A construct that the analysis does not follow. It never leaves this package.

    Attributes:
        reason: what it is.
        line: of the source, from 1.
    """

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, kw_only=True)
class Source:
    """A load that a value comes from.

    Attributes:
        pointer: parameter that was read.
        unit: type of what was read.
        index: element, in that unit.
        line: of the load.
        combined: axes of which the value combines several coordinates.
        chained: loops, still running, whose earlier iterations it comes from.
        moved: (axis, where to): the data of another coordinate came through shared memory, a
            shuffle or an array, to where a loop, an axis or a fixed place reads it.
        lost: axes along which it is not known whose data it is.
    """

    pointer: str
    unit: str
    index: Polynomial
    line: int
    combined: frozenset[str] = frozenset()
    chained: frozenset[str] = frozenset()
    moved: frozenset[tuple[str, str]] = frozenset()
    lost: frozenset[str] = frozenset()

    @property
    def origin(self) -> tuple[str, str, Polynomial]:
        """What was read."""
        return self.pointer, self.unit, self.index

    def is_own(self, axis: str) -> bool:
        """Whether it varies with an axis and is data of one's own coordinate along it."""
        moved = any(axis == one for one, _ in self.moved)
        touched = self.combined | self.chained | self.lost
        return axis in self.index.axes and axis not in touched and not moved

    def combining(self, axes: Iterable[str]) -> "Source":
        """With axes combined, and with them what was moved along them."""
        new = set(axes)
        for one, target in self.moved:
            if new & set(target.split()):
                new.add(one)
        moved = frozenset((one, to) for one, to in self.moved if one not in new)
        return replace(self, combined=self.combined | new, moved=moved)


Sources = frozenset[Source]


@dataclass(frozen=True, kw_only=True)
class Value:
    """A number, or anything that is copied whole.

    Attributes:
        index: as an index expression.
        sources: loads it depends on, by data or by condition.
        carried: loop variables of earlier iterations that it depends on, as (loop, variable).
    """

    index: Polynomial
    sources: Sources = frozenset()
    carried: frozenset[tuple[str, str]] = frozenset()

    def mapped(self, change: Callable[[Source], Source]) -> "Value":
        """With every source changed."""
        return replace(self, sources=frozenset(map(change, self.sources)))


@dataclass(frozen=True, kw_only=True)
class Pointer:
    """A place in memory.

    Attributes:
        base: name of a parameter, or key of an array.
        offset: elements from its start.
        unit: type of the elements, or empty for that of the parameter.
        is_array: the base is an array of the kernel itself.
        sources, carried: as in `Value`, of the offset.
    """

    base: str
    offset: Value
    unit: str
    is_array: bool = False


Pointers = tuple[Pointer, ...]


@dataclass(frozen=True, kw_only=True)
class Write:
    """What was stored to an array.

    Attributes:
        place: index of each dimension.
        value: with the conditions of the store.
        pinned: axes of which one coordinate alone stores.
        loops: those it was stored in.
    """

    place: tuple[Polynomial, ...]
    value: Value
    pinned: frozenset[str]
    loops: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Array:
    """An array of the kernel: shared by the block, or a thread's own.

    Attributes:
        is_shared: whether other threads see it.
        loops: those it was declared in; it does not outlive their iterations.
        writes: all that may be in it.
    """

    is_shared: bool
    loops: tuple[str, ...]
    writes: frozenset[Write] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Struct:
    """A value with members.

    Attributes:
        rest: every member that has no entry.
        members: those that were set one by one.
    """

    rest: Value
    members: Mapping[str, "Binding"] = field(default_factory=dict)


Binding = Value | Pointers | Array | Struct


def found_in(state: Mapping[str, Binding], key: str) -> Binding | None:
    """What a key stands for; a member without an entry of its own is as its whole is."""
    found = state.get(key)
    if found is None and "." in key:
        whole = found_in(state, key.rpartition(".")[0])
        return whole if isinstance(whole, Value) else None
    return found


def number(value: int) -> Value:
    """A constant."""
    return Value(index=constant(value))


def combined(name: str, values: Iterable[Value]) -> Value:
    """A function of values.

    Where the data of one load comes in from different coordinates of an axis, the result combines
    that axis.
    """
    parts = list(values)
    union = _union(parts)
    return replace(union, index=opaque(name, _axes(parts)), sources=_meeting(union.sources))


def merged(name: str, values: Iterable[Value], condition: Value | None = None) -> Value:
    """One of several values, as a condition decides."""
    parts = list(values)
    union = _union([*parts, *([condition] if condition else [])])
    if all(one.index == parts[0].index for one in parts):
        return replace(union, index=parts[0].index)
    return replace(union, index=opaque(name, _axes([*parts, *([condition] if condition else [])])))


def depending(value: Value, others: Iterable[Value]) -> Value:
    """The value, with what decided that it is this one."""
    return replace(_union([value, *others]), index=value.index)


def _union(values: list[Value]) -> Value:
    return Value(
        index=constant(0),
        sources=frozenset().union(*(one.sources for one in values)),
        carried=frozenset().union(*(one.carried for one in values)),
    )


def _axes(values: list[Value]) -> frozenset[str]:
    return frozenset().union(*(one.index.axes for one in values))


def _meeting(sources: Sources) -> Sources:
    groups: dict[tuple[str, str, Polynomial], list[Source]] = {}
    for source in sources:
        groups.setdefault(source.origin, []).append(source)
    return frozenset(one for group in groups.values() for one in _met(group))


def _met(group: list[Source]) -> Iterable[Source]:
    axes = {axis for one in group for axis, _ in one.moved}
    met = {axis for axis in axes if len({_where(one, axis) for one in group}) > 1}
    return (one.combining(met) for one in group) if met else group


def _where(source: Source, axis: str) -> str:
    return " ".join(sorted(to for one, to in source.moved if one == axis)) or OWN
