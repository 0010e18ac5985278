"""What a kernel's statements do to variables, arrays and memory, followed once for all threads."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from geoaudit.source_axes.arrays import THREADS, arrived_value
from geoaudit.source_axes.polynomials import Polynomial, opaque
from geoaudit.source_axes.syntax import Unit, line_of
from geoaudit.source_axes.values import (
    Array,
    Binding,
    Pointer,
    Pointers,
    Source,
    Struct,
    UnmodelledError,
    Value,
    Write,
    depending,
    merged,
)

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_CALLS = 8


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What holds where a statement is executed.

    Attributes:
        value: what decided it.
        pinned: axes of which it holds for one coordinate alone.
        side: which side of which condition, where all threads of a block take the same.
    """

    value: Value
    pinned: frozenset[str] = frozenset()
    side: tuple[str, bool] | None = None


@dataclass(frozen=True, kw_only=True)
class Loop:
    """A loop, as an axis.

    Attributes:
        axis: its name; loops with equal headers share it.
        variable: its variable.
        line: where it was first met.
        bound: what its variable is compared with.
        first: the variable's first value.
    """

    axis: str
    variable: str
    line: int
    bound: str
    first: Polynomial


@dataclass(frozen=True, kw_only=True)
class Access:
    """A load from a kernel's parameter, or a store to one.

    Attributes:
        pointer, unit, index: which element.
        line: of the source.
        pinned: axes of which one coordinate alone is here.
        loops: axes of the loops around it.
        sides: sides of conditions that all threads of a block take alike.
        stored: what is stored, with its conditions and where its index is from; None: a load.
    """

    pointer: str
    unit: str
    index: Polynomial
    line: int
    pinned: frozenset[str]
    loops: tuple[str, ...]
    sides: frozenset[tuple[str, bool]]
    stored: Value | None = None

    def excludes(self, other: "Access") -> bool:
        """Whether a block comes to one of the two alone."""
        return any((site, not truth) in other.sides for site, truth in self.sides)


@dataclass(kw_only=True)
class Frame:
    """One call.

    Attributes:
        function: its name.
        names: of variables, to keys of the state.
        loops: how many ran when it was called.
        passed: conditions that hold since a return was not taken.
        results: what it returned, and the state then.
    """

    function: str
    names: dict[str, str]
    loops: int
    passed: list[Condition] = field(default_factory=list)
    results: list[tuple[Binding | None, dict[str, Binding]]] = field(default_factory=list)


@dataclass(kw_only=True)
class Machine:
    """Where the analysis stands.

    Attributes:
        unit: the source.
        block_x: threads of a block along x, where known.
        state: key -> what is in it.
        constant: parameters that are only read.
        loops, seen: the axes of running loops; every loop met so far.
        has_barrier_in_loop: a barrier orders iterations between threads.
        statements: how many were executed.
    """

    unit: Unit
    block_x: int | None
    state: dict[str, Binding] = field(default_factory=dict)
    constant: set[str] = field(default_factory=set)
    frames: list[Frame] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    seen: dict[str, Loop] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)
    has_barrier_in_loop: bool = False
    has_shuffle: bool = False
    statements: int = 0
    outside_line: int | None = None

    @property
    def frame(self) -> Frame:
        """The innermost call."""
        return self.frames[-1]

    def line(self, node: "Node") -> int:
        """Of the source itself: inside a header, that of the call into it."""
        return line_of(node) if self.outside_line is None else self.outside_line

    def site(self, node: "Node") -> str:
        """A name of a place in the source, on one path of calls."""
        path = "/".join(frame.function for frame in self.frames)
        return f"{path}@{node.start_byte}-{node.end_byte}"

    def unmodelled(self, reason: str, node: "Node") -> UnmodelledError:
        """The error for a construct that is not followed."""
        return UnmodelledError(reason, self.line(node))

    def held(self) -> list[Condition]:
        """All conditions that hold here."""
        return [*self.conditions, *(one for frame in self.frames for one in frame.passed)]

    def pinned(self) -> frozenset[str]:
        """Axes of which one coordinate alone is here."""
        return frozenset().union(*(one.pinned for one in self.held()))

    @contextmanager
    def under(self, condition: Condition) -> Iterator[None]:
        """Inside, a condition holds."""
        self.conditions.append(condition)
        yield
        self.conditions.pop()

    def load(self, pointers: Pointers, at: Value, node: "Node") -> Value:
        """What lies at an element behind pointers."""
        found = [self._load(one, at, node) for one in pointers]
        if len(found) == 1:
            return found[0]
        return merged(self.site(node), found)

    def _load(self, pointer: Pointer, at: Value, node: "Node") -> Value:
        index = pointer.offset.index.plus(at.index)
        if pointer.is_array:
            place = (opaque(pointer.unit), index)
            return depending(self.read(pointer.base, place, node), [pointer.offset, at])
        self._access(pointer, index, node, None)
        source = Source(pointer=pointer.base, unit=pointer.unit, index=index, line=self.line(node))
        if pointer.base in self.constant:
            atom = opaque(f"{pointer.base}:{pointer.unit}[{index}]", index.axes)
        else:
            atom = opaque(self.site(node), index.axes | set(self.loops))
        return depending(Value(index=atom, sources=frozenset({source})), [pointer.offset, at])

    def store(self, pointers: Pointers, at: Value, value: Value, node: "Node") -> None:
        """A store to an element behind pointers."""
        for pointer in pointers:
            index = pointer.offset.index.plus(at.index)
            if pointer.is_array:
                place = (opaque(pointer.unit), index)
                stored = depending(value, [pointer.offset, at])
                self.write(pointer.base, place, stored, is_whole=len(pointers) == 1)
                continue
            if pointer.base in self.constant:
                raise self.unmodelled("a store through a const pointer", node)
            conditions = [one.value for one in self.held()]
            self._access(pointer, index, node, depending(value, [pointer.offset, at, *conditions]))

    def _access(
        self, pointer: Pointer, index: Polynomial, node: "Node", stored: Value | None
    ) -> None:
        self.accesses.append(
            Access(
                pointer=pointer.base,
                unit=pointer.unit,
                index=index,
                line=self.line(node),
                pinned=self.pinned(),
                loops=tuple(self.loops),
                sides=frozenset(one.side for one in self.held() if one.side is not None),
                stored=stored,
            )
        )

    def write(
        self, key: str, place: tuple[Polynomial, ...], value: Value, *, is_whole: bool = True
    ) -> None:
        """A store to an array; one to the same place by the same threads takes its place."""
        array = self.state.get(key)
        array = array if isinstance(array, Array) else Array(is_shared=False, loops=())
        held = self.held()
        new = Write(
            place=place,
            value=depending(value, [one.value for one in held]),
            pinned=self.pinned(),
            loops=tuple(self.loops),
        )
        is_whole = is_whole and all(one.pinned for one in held)
        kept = (
            one
            for one in array.writes
            if not (is_whole and one.place == place and one.pinned == new.pinned)
        )
        self.state[key] = replace(array, writes=frozenset([*kept, new]))

    def read(self, key: str, place: tuple[Polynomial, ...], node: "Node") -> Value:
        """What may lie in an element of an array."""
        array = self.state.get(key)
        if not isinstance(array, Array):
            raise self.unmodelled("an array that is not followed", node)
        is_single = len({write.place for write in array.writes}) == 1
        axes = frozenset().union(*(one.axes for one in place))
        found = Value(index=opaque(f"{key}{[str(one) for one in place]}", axes))
        arrived = [
            arrived_value(array, write, place, self.loops, is_single=is_single)
            for write in array.writes
        ]
        axes = axes.union(*(one.index.axes for one in arrived))
        return depending(replace(found, index=opaque(self.site(node), axes)), arrived)


def flat(binding: Binding, machine: Machine, node: "Node") -> Value:
    """A binding as one value.

    Raises:
        UnmodelledError: there are pointers in it.
    """
    if isinstance(binding, Value):
        return binding
    if isinstance(binding, Struct):
        parts = [flat(one, machine, node) for one in binding.members.values()]
        return merged(machine.site(node), [binding.rest, *parts])
    if isinstance(binding, Array):
        loops: Iterable[Value] = (
            write.value.mapped(
                lambda one: replace(one, lost=one.lost | (one.index.axes - set(THREADS)))
            )
            for write in binding.writes
        )
        return merged(machine.site(node), [Value(index=opaque(machine.site(node))), *loops])
    raise machine.unmodelled("a pointer used as a number", node)
