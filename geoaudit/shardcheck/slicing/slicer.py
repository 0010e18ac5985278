"""The backward slice: what an expression is at a point of a function.

Definitions are looked up from the point backwards, so that only what a grid is made of is ever
evaluated. The rooms beside this one each know one thing: names, members, calls, loops, tensors.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import expressions, logic, sequences
from geoaudit.shardcheck.slicing.calls import calling
from geoaudit.shardcheck.slicing.definitions import reaching
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.index import ProgramIndex
from geoaudit.shardcheck.slicing.points import Place, Point, place_of
from geoaudit.shardcheck.slicing.quantities import as_quantity, as_ranks
from geoaudit.shardcheck.slicing.scopes import names
from geoaudit.shardcheck.slicing.sites import LaunchConstant
from geoaudit.shardcheck.slicing.trails import named
from geoaudit.shardcheck.slicing.values import (
    Quantity,
    Reference,
    Value,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Symbol

DEEPEST_EVALUATION = 90
MOST_STEPS = 40_000
"""Expressions of one derivation."""
MOST_STEPS_BEYOND = 1_500
"""Of one that crosses files."""


@dataclass(kw_only=True, eq=False)
class Slicer:
    """Evaluates expressions of one program.

    Attributes:
        program: all files.
        crosses_files: follow parameters to callers in other files, and fields and tensors to
            where they are made; else they are symbols, the roots of a site.
        is_near: of those that cross files, follow one call outwards and no fields: where all of
            it takes too many steps.
        origins: what each symbol stands for, to be followed later.
        constants: named constants whose values are known.
        written: expressions that stand in no source: kept, for values are known by identity.
        steps: expressions evaluated since it was last set to 0.
        fields_deep: fields that are being followed to where they are assigned.
        is_condition: a condition is evaluated: its calls are not followed, only their arguments.
        aliases: variable names that were given to exactly a symbol.
    """

    program: ProgramIndex
    crosses_files: bool = False
    is_near: bool = False
    origins: dict[Symbol, Reference] = field(default_factory=dict)
    aliases: dict[Symbol, set[str]] = field(default_factory=dict)
    constants: dict[Symbol, LaunchConstant] = field(default_factory=dict)
    written: list[e.Expression] = field(default_factory=list)
    steps: int = 0
    is_condition: bool = False
    fields_deep: int = 0
    _depth: int = 0
    _open_frames: dict[int, Frame] = field(default_factory=dict)
    _known: dict[tuple[object, ...], Value | None] = field(default_factory=dict)
    _kept: list[Frame] = field(default_factory=list)
    _added: list[tuple[object, ...]] = field(default_factory=list)

    def open_frame(self, function: IndexedFunction, depth: int = 0) -> Frame:
        """A frame that stands for any call of a function."""
        key = id(function)
        if key not in self._open_frames:
            self._open_frames[key] = Frame(
                function=function, outer=names.outer_of(self, function), depth=depth
            )
        return self._open_frames[key]

    def value(self, node: e.Expression, frame: Frame, point: Point) -> Value:
        """What an expression is, just before a statement."""
        self.steps += 1
        if self._depth > DEEPEST_EVALUATION or self.steps > self._most_steps:
            return unknown("the derivation is too long")
        self._depth += 1
        try:
            place = place_of(node)
            if place is not None and not isinstance(node, e.Cast):
                place = sequences.told(self, place, node, frame, point)
                found = reaching.read(self, place, frame, point)
                if found is None:
                    found = expressions.EVALUATED[type(node)](self, node, frame, point)
                elif not isinstance(node, e.Name):
                    found = named(found, spelled(node), frame)
                return as_ranks(found, ".".join(place), frame.path)
            if isinstance(node, e.Call):
                return self._call(node, frame, point)
            return expressions.EVALUATED[type(node)](self, node, frame, point)
        finally:
            self._depth -= 1

    def _call(self, node: e.Call, frame: Frame, point: Point) -> Value:
        key = (id(frame), id(node), *point.key, self.is_condition)
        if key not in self._known:
            self._keep(key, frame)
            self._known[key] = calling.call(self, node, frame, point)
        found = self._known[key]
        assert found is not None
        return found

    def assigned(self, frame: Frame, statement: s.Assign, find: Callable[[], Value]) -> Value:
        """The value of an assignment in a frame, worked out once."""
        key = (id(frame), id(statement), self.is_condition)
        if key not in self._known:
            self._keep(key, frame)
            self._known[key] = find()
        found = self._known[key]
        assert found is not None
        return found

    def _keep(self, key: tuple[object, ...], frame: Frame) -> None:
        self._kept.append(frame)
        self._added.append(key)

    def quantity(self, node: e.Expression, frame: Frame, point: Point) -> Quantity:
        """An expression as a number."""
        return as_quantity(self, self.value(node, frame, point), spelled(node))

    @property
    def is_too_long(self) -> bool:
        """Whether the derivation has been given up."""
        return self.steps > self._most_steps

    @property
    def _most_steps(self) -> int:
        return MOST_STEPS_BEYOND if self.crosses_files else MOST_STEPS

    def condition(self, node: e.Expression, frame: Frame, point: Point) -> Quantity:
        """A condition as a number: calls in it are not followed."""
        before, self.is_condition = self.is_condition, True
        try:
            return logic.condition(self, node, frame, point)
        finally:
            self.is_condition = before

    def begin(self) -> None:
        """Begin another derivation; what a derivation that was too long left behind is dropped."""
        if self.is_too_long:
            for key in self._added:
                self._known.pop(key, None)
        self._added.clear()
        self.steps = 0

    def remembered(
        self, frame: Frame, point: Point, place: Place, find: Callable[[], Value | None]
    ) -> Value | None:
        """A value that is looked up once for each frame, point and place."""
        key = (id(frame), *point.key, place, self.is_condition)
        if key not in self._known:
            self._keep(key, frame)
            self._known[key] = unknown(f"{'.'.join(place)} depends on itself")
            self._known[key] = find()
        return self._known[key]
