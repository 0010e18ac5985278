"""Objects as their constructors make them, or from their fields in order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import dictionaries
from geoaudit.shardcheck.slicing.calls import calling, overloads, resolution
from geoaudit.shardcheck.slicing.definitions import reaching
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.scopes import fields, known_types, members
from geoaudit.shardcheck.slicing.values import Closure, Record, Reference, Value, unknown

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


def built(slicer: "Slicer", node: e.Collection, frame: Frame, point: Point) -> Value | None:
    """An object that braces make; None: its class has no constructor with a body, or is CUDA's."""
    type = known_types.bare(node.type)
    is_known = type == "dim3" or type in known_types.FIELDS or type in known_types.SEQUENCES
    if node.keywords or is_known or not _constructors(slicer, type):
        return None
    kind = Reference(text=type, kind="class", path=frame.path, type=type)
    return constructed(slicer, kind, e.Call(e.Name(type), node.items), frame, point)


def _constructors(slicer: "Slicer", type: str) -> list[IndexedFunction]:
    own = [
        method
        for method in slicer.program.methods.get(type, ())
        if method.function.name in {type, "__init__"} and method.function.body
    ]
    inherited = [] if own else fields.method_of(slicer, type, "__init__")
    return own or [method for method in inherited if method.function.body]


def constructed(
    slicer: "Slicer", kind: Reference, node: e.Call, frame: Frame, point: Point
) -> Value:
    """An object as its constructor makes it, or from its fields in order."""
    if fields.canonical(slicer, kind.type) == "dim3":
        given = [slicer.value(one, frame, point) for one in node.arguments]
        return members.made(slicer, "dim3", given, {}, frame)
    type = kind.type
    made: dict[str, Value] = {}
    made_by = _constructors(slicer, type)
    for method in overloads.fitting(slicer, made_by, node, frame, point):
        inner = calling.entered(slicer, Closure(functions=(method,)), method, node, frame, point)
        if inner is not None:
            return Record(type=type, members=_Built(slicer, replace(inner, receiver=None)))
    fields_ = fields.names_of(slicer, type)
    for name, argument in zip(fields_, node.arguments, strict=False):
        made[name] = slicer.value(argument, frame, point)
    named = dictionaries.made(slicer, node.keywords, frame, point)
    made.update(named.members)
    if not fields_ and known_types.bare(type) in known_types.SEQUENCES:
        return unknown(spelled(node))
    return _completed(slicer, Record(type=type, members=made, rest=named.rest), frame)


def _completed(slicer: "Slicer", record: Record, frame: Frame) -> Record:
    """An object once ``__post_init__`` of its class has run; else as it is."""
    for method in fields.method_of(slicer, record.type, "__post_init__")[:1]:
        after = Frame(function=method, arguments={}, receiver=record, depth=frame.depth + 1)
        return replace(record, members=_Built(slicer, after, record.members))
    return record


@dataclass(frozen=True, eq=False)
class _Built(Mapping[str, Value]):
    """Fields of an object whose constructor has run in a frame."""

    slicer: "Slicer"
    frame: Frame
    before: Mapping[str, Value] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Value:
        body = self.frame.function.function.body
        end = Point(block=body, index=len(body))
        for place in ((_self(self.frame), name), (name,)):
            found = reaching.read(self.slicer, place, self.frame, end)
            if found is not None:
                return found
        for base in self._bases():
            if name in base.members:
                return base.members[name]
        return self.before[name]

    def _bases(self) -> Iterator[Record]:
        """What constructors of bases make, that this one calls as ``super().__init__(...)``."""
        function = self.frame.function
        for point, call in function.calls:
            if not resolution.is_super_init(call):
                continue
            closure, _ = resolution.meant(self.slicer, call, self.frame, point)
            for method in closure.functions if closure is not None else ():
                inner = calling.entered(
                    self.slicer, Closure(functions=(method,)), method, call, self.frame, point
                )
                if inner is not None:
                    yield Record(type="", members=_Built(self.slicer, inner))

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        owner = self.frame.function.function.owner
        return (name for name in fields.names_of(self.slicer, owner) if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _self(frame: Frame) -> str:
    return "self" if frame.function.file.language == "python" else "this"
