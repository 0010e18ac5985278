"""The backward slice: what an expression is at a point of a function.

Definitions are looked up from the point backwards, so that only what a grid is made of is ever
evaluated. The rooms beside this one each know one thing: names, members, calls, loops, tensors.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import calls, definitions, members, names
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.index import IndexedFunction, ProgramIndex
from geoaudit.shardcheck.slicing.points import Place, Point, place_of
from geoaudit.shardcheck.slicing.quantities import SM_COUNT, as_quantity, names_sm_count
from geoaudit.shardcheck.slicing.sites import LaunchConstant
from geoaudit.shardcheck.slicing.trails import named
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Items,
    Quantity,
    Record,
    Reference,
    Value,
    Words,
    computed,
    concatenated,
    either,
    number,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Symbol

DEEPEST_EVALUATION = 90
MOST_CALLS_DEEP = 6
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
        origins: what each symbol stands for, to be followed later.
        constants: named constants whose values are known.
        steps: expressions evaluated since it was last set to 0.
        fields_deep: fields that are being followed to where they are assigned.
        is_condition: a condition is evaluated: its calls are not followed, only their arguments.
        aliases: variable names that were given to exactly a symbol.
    """

    program: ProgramIndex
    crosses_files: bool = False
    origins: dict[Symbol, Reference] = field(default_factory=dict)
    aliases: dict[Symbol, set[str]] = field(default_factory=dict)
    constants: dict[Symbol, LaunchConstant] = field(default_factory=dict)
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
                place = members.told(self, place, node, frame, point)
                found = definitions.read(self, place, frame, point)
                if found is not None:
                    is_name = isinstance(node, e.Name)
                    return found if is_name else named(found, spelled(node), frame)
            if isinstance(node, e.Call):
                return self._call(node, frame, point)
            return _EVALUATED[type(node)](self, node, frame, point)
        finally:
            self._depth -= 1

    def _call(self, node: e.Call, frame: Frame, point: Point) -> Value:
        key = (id(frame), id(node), *point.key, self.is_condition)
        if key not in self._known:
            self._keep(key, frame)
            self._known[key] = calls.call(self, node, frame, point)
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
            return self.quantity(node, frame, point)
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


def _number(slicer: Slicer, node: e.Number, frame: Frame, point: Point) -> Value:
    return number(node.value)


def _real(slicer: Slicer, node: e.Real, frame: Frame, point: Point) -> Value:
    whole, fraction = divmod(node.value, 1) if abs(node.value) < 2**53 else (0.0, 1.0)
    if fraction:
        numerator, denominator = node.value.as_integer_ratio()
        return computed("/", [number(numerator), number(denominator)])
    return number(int(whole))


def _text(slicer: Slicer, node: e.Text, frame: Frame, point: Point) -> Value:
    return Words(text=node.value)


def _operation(slicer: Slicer, node: e.Operation, frame: Frame, point: Point) -> Value:
    if len(node.operands) == 1 and node.operator in {"&", "*", "+"}:
        return slicer.value(node.operands[0], frame, point)
    if node.operator in {"in", "is"}:
        return _membership(slicer, node, frame, point)
    values = [slicer.value(part, frame, point) for part in node.operands]
    if node.operator == "+" and any(isinstance(value, Items) for value in values):
        return concatenated(
            [
                members.unpacked(slicer, value, spelled(part))
                for value, part in zip(values, node.operands, strict=True)
            ]
        )
    if any(isinstance(value, Words) for value in values):
        return unknown(spelled(node))
    quantities = [
        as_quantity(slicer, value, spelled(part))
        for value, part in zip(values, node.operands, strict=True)
    ]
    operator = node.operator
    if operator == "/" and frame.function.file.language == "c":
        operator = "/" if any(_is_real(part) for part in node.operands) else "//"
    return computed(operator, quantities)


def _membership(slicer: Slicer, node: e.Operation, frame: Frame, point: Point) -> Value:
    parts = [
        as_quantity(slicer, slicer.value(part, frame, point), spelled(part))
        for part in node.operands
        if not isinstance(part, e.Collection | e.Text) and spelled(part) != "None"
    ]
    return unknown(f"whether {spelled(node)}", parts)


def _is_real(node: e.Expression) -> bool:
    match node:
        case e.Real():
            return True
        case e.Cast(type=kind):
            return kind.split("::")[-1] in {"float", "double", "long double"}
        case e.Operation(operator="+" | "-" | "*" | "/", operands=operands):
            return any(_is_real(part) for part in operands)
        case _:
            return False


def _choice(slicer: Slicer, node: e.Choice, frame: Frame, point: Point) -> Value:
    guard = slicer.condition(node.condition, frame, point)
    then = slicer.value(node.then, frame, point)
    otherwise = slicer.value(node.otherwise, frame, point)
    return either([(guard, then), (None, otherwise)])


def _cast(slicer: Slicer, node: e.Cast, frame: Frame, point: Point) -> Value:
    value = slicer.value(node.value, frame, point)
    if isinstance(value, Quantity) and node.type in _INTEGER_CASTS and _is_real(node.value):
        return computed("floor", [value])
    return value


_INTEGER_CASTS = {"int", "unsigned", "unsigned int", "int64_t", "uint32_t", "size_t", "long"}


def _collection(slicer: Slicer, node: e.Collection, frame: Frame, point: Point) -> Value:
    whole = members.listed(slicer, node.items, frame, point)
    if whole.back:
        return whole
    values = whole.values
    keywords = {name: slicer.value(value, frame, point) for name, value in node.keywords}
    return members.made(slicer, node.type, values, keywords, frame)


def _starred(slicer: Slicer, node: e.Starred, frame: Frame, point: Point) -> Value:
    return slicer.value(node.value, frame, point)


def _member(slicer: Slicer, node: e.Member, frame: Frame, point: Point) -> Value:
    if names_sm_count(node.name):
        return Reference(text=spelled(node), kind=SM_COUNT, path=frame.path)
    found = members.member(slicer, slicer.value(node.value, frame, point), node.name)
    return named(found, spelled(node), frame)


def _subscript(slicer: Slicer, node: e.Subscript, frame: Frame, point: Point) -> Value:
    value = slicer.value(node.value, frame, point)
    found = members.element(slicer, value, node, frame, point)
    return named(found, spelled(node), frame)


def _function_value(slicer: Slicer, node: e.FunctionValue, frame: Frame, point: Point) -> Value:
    inner = slicer.program.function_of(frame.function.file, node.function)
    return Closure(functions=(inner,), frame=frame, point=point)


def _opaque(slicer: Slicer, node: e.Opaque, frame: Frame, point: Point) -> Value:
    if node.text.startswith("sizeof"):
        return Reference(text=node.text, kind="constant", path=frame.path)
    parts = [slicer.value(part, frame, point) for part in node.parts]
    return unknown(
        f"{node.text} is not followed", [part for part in parts if isinstance(part, Quantity)]
    )


def _slice(slicer: Slicer, node: e.Slice, frame: Frame, point: Point) -> Value:
    return unknown("a slice")


def _launch(slicer: Slicer, node: e.Launch, frame: Frame, point: Point) -> Value:
    return Record(type="")


_EVALUATED: dict[type, Callable[..., Value]] = {
    e.Number: _number,
    e.Real: _real,
    e.Text: _text,
    e.Name: names.name,
    e.Member: _member,
    e.Subscript: _subscript,
    e.Slice: _slice,
    e.Operation: _operation,
    e.Choice: _choice,
    e.Cast: _cast,
    e.Collection: _collection,
    e.Starred: _starred,
    e.FunctionValue: _function_value,
    e.Launch: _launch,
    e.Opaque: _opaque,
}
