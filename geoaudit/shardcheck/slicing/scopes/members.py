"""Members and elements of values, and values that are made of others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import SOME_ELEMENT, Place
from geoaudit.shardcheck.slicing.scopes import fields, known_types
from geoaudit.shardcheck.slicing.tensors import shapes
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Either,
    Items,
    Quantity,
    Record,
    Reference,
    Shaped,
    Value,
    either,
    is_unknown,
    known_member,
    number,
    unknown,
    used,
)
from geoaudit.shardcheck.symbolic.extents import Unknown

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

AXES = ("x", "y", "z")
_MAY_BE_THREE = "what is not followed may give three axes"


def member(slicer: "Slicer", value: Value, name: str) -> Value:
    """``value.name``."""
    match value:
        case Record():
            return _record_member(slicer, value, name)
        case Quantity() if name in AXES and not is_unknown(value):
            return value if name == "x" else number(1)
        case Items(values=values) if name in {"first", "second"} and len(values) == 2:
            return values[name == "second"]
        case Items(values=values) if name in AXES and len(values) <= 3:
            place = AXES.index(name)
            return values[place] if place < len(values) else number(1)
        case Shaped():
            return shapes.member(value, name)
        case Either(options=options):
            set_ = [option for option in used(options) if not _is_unset(option[1], name)]
            return either([(guard, member(slicer, one, name)) for guard, one in set_ or options])
        case Reference():
            return fields.member_of(slicer, value, name)
        case Quantity():
            return value
        case _:
            return unknown(f"a member {name} of something that is not followed")


def _is_unset(value: Value, name: str) -> bool:
    """Whether a value is a variable that was declared, and of which a member was never set."""
    if not isinstance(value, Record) or known_member(value, name) is not None:
        return False
    rest = value.rest
    return (
        isinstance(rest, Reference) and rest.kind == "field" and rest.of is None and not rest.scope
    )


def _record_member(slicer: "Slicer", record: Record, name: str) -> Value:
    found = known_member(record, name)
    if found is not None:
        return found
    default = fields.default_of(slicer, record.type, name)
    if default is not None:
        return default
    methods = fields.method_of(slicer, record.type, name)
    if methods:
        return fields.called_as_field(slicer, Closure(functions=tuple(methods), receiver=record))
    if record.rest is not None:
        return member(slicer, record.rest, name)
    if record.type and name in shapes.SHAPES:
        whole = Reference(text=record.type, kind="unknown", path="", type=record.type)
        return shapes.shape_reference(whole, name)
    return unknown(f"{record.type or 'a structure'}.{name} is given no value here")


def part(slicer: "Slicer", value: Value, name: str) -> Value:
    """A member or an element, as a place names it."""
    if not name.startswith("["):
        return member(slicer, value, name)
    if name == SOME_ELEMENT:
        return some_element(slicer, value, name)
    return item(slicer, value, int(name[1:-1]), "")


def parts(slicer: "Slicer", value: Value, path: Place) -> Value:
    """A member or element of a member or element, and so on."""
    for name in path:
        value = part(slicer, value, name)
    return value


def some_element(
    slicer: "Slicer",
    value: Value,
    text: str,
    frame: Frame | None = None,
    node: e.Subscript | None = None,
) -> Value:
    """An element of which it is not known which one it is."""
    match value:
        case Items(values=values) if values:
            return either([(None, one) for one in values])
        case Reference() if node is not None:
            inside = ", ".join(spelled(index) for index in node.indices)
            name = f"[{inside}]"
            return replace(
                value, text=f"{value.text}{name}", of=value, member=name, kind="field", type=""
            )
        case Record(members=known) if known and node is not None:
            return either([(None, one) for one in known.values()])
        case Shaped():
            return shapes.indexed(value, 0)
        case _:
            return unknown(f"{text} is an element that cannot be told")


def item(slicer: "Slicer", value: Value, place: int, text: str, count: int | None = None) -> Value:
    """Element number `place` of a value; of `count` that it is unpacked into."""
    match value:
        case Items(values=values):
            found = shapes.at(value, place)
            if found is not None:
                return found
            return unknown(f"{text or 'a tuple'} has {len(values)} elements, not {place + 1}")
        case Either(options=options):
            return either(
                [(guard, item(slicer, one, place, text, count)) for guard, one in used(options)]
            )
        case Reference():
            return shapes.extent_of(value, place)
        case Shaped():
            return shapes.indexed(value, place)
        case Record(type="dim3") if place < 3:
            return member(slicer, value, AXES[place])
        case Record():
            return _member_by_place(slicer, value, place, text)
        case Quantity():
            return unknown(f"element {place} of {text or 'a number'}", [value])
        case _:
            return unknown(f"element {place} of {text or 'something'} cannot be told")


def _member_by_place(slicer: "Slicer", record: Record, place: int, text: str) -> Value:
    """An element of what is known by its members: of a structure its field of that number."""
    known, names = record.members, fields.names_of(slicer, record.type)
    if f"[{place}]" in known:
        return known[f"[{place}]"]
    if 0 <= place < len(names):
        return member(slicer, record, names[place])
    every = list(known.values()) if not record.type else []
    if -len(every) <= place < len(every):
        return every[place]
    return unknown(f"element {place} of {text or 'something'} cannot be told")


def made(
    slicer: "Slicer",
    type: str,
    values: Sequence[Value],
    keywords: Mapping[str, Value],
    frame: Frame,
) -> Value:
    """A value of a type made from others, in the order of its fields."""
    name = fields.canonical(slicer, type)
    constant = known_types.constant_of(type)
    if constant is not None:
        return number(constant)
    if name == "dim3":
        members = dict(zip(AXES, values, strict=False))
        if len(values) == 1 and isinstance(values[0], Record | Items):
            return converted(slicer, values[0], "dim3", frame)
        return Record(type="dim3", members={**members, **keywords})
    if not name or name in known_types.SEQUENCES:
        return Record(type="", members=dict(keywords)) if keywords else Items(values=tuple(values))
    names = known_types.FIELDS.get(name) or fields.names_of(slicer, name)
    if names or keywords:
        pairs = zip(names, values, strict=False)
        members = {one: _as_field(slicer, name, one, value, frame) for one, value in pairs}
        return Record(type=name, members={**members, **keywords})
    return Items(values=tuple(values)) if values else Record(type=name)


def _as_field(slicer: "Slicer", type: str, name: str, value: Value, frame: Frame) -> Value:
    """A value that fills a field: braces within braces as the field's type."""
    if not isinstance(value, Items):
        return value
    return converted(slicer, value, fields.type_of_field(slicer, type, name), frame)


def converted(slicer: "Slicer", value: Value, type: str, frame: Frame) -> Value:
    """A value as a declared type: braces as the structure that they fill."""
    if type.endswith("[]") and isinstance(value, Items):
        each = tuple(converted(slicer, one, type[:-2], frame) for one in value.values)
        return Items(values=each, back=value.back)
    name = fields.canonical(slicer, type)
    match value:
        case Items(values=values) if name == "dim3":
            return Record(type="dim3", members=dict(zip(AXES, values, strict=False)))
        case Items(values=values) if name and name not in known_types.SEQUENCES:
            return made(slicer, name, values, {}, frame)
        case Record(type="") if name and name not in known_types.SEQUENCES:
            return replace(value, type=name)
        case Quantity() if name == "dim3":
            others = {} if not is_unknown(value) else dict.fromkeys("yz", unknown(_MAY_BE_THREE))
            return Record(type="dim3", members={"x": value, **others})
        case Reference(type="") if name:
            return replace(value, type=name)
        case _:
            return value


def is_lost(slicer: "Slicer", value: Value, type: str) -> bool:
    """Whether no more is known of a value than that it is of a class of the program."""
    return (
        isinstance(value, Quantity)
        and isinstance(value.extent, Unknown)
        and known_types.bare(type) in slicer.program.classes
    )


def declared(slicer: "Slicer", type: str, text: str, frame: Frame, line: int) -> Value:
    """What a variable is that is declared without a value."""
    name = fields.canonical(slicer, type)
    if name == "dim3":
        return Record(type="dim3")
    if known_types.is_number(name):
        return unknown(f"{text} is declared and given no value here")
    rest = Reference(text=text, kind="field", path=frame.path, line=line, type=name)
    return Record(type=name, rest=rest)


def with_part(value: Value, path: Place, new: Value) -> Value:
    """A value of which a member has been assigned."""
    name, rest = path[0], path[1:]
    if isinstance(value, Reference) and shapes.is_shape(value):
        value = shapes.all_extents(value)
    if isinstance(value, Items) and not rest and name[1:-1].lstrip("-").isdigit():
        changed = shapes.replaced(value, int(name[1:-1]), new)
        if changed is not None:
            return changed
    match value:
        case Record():
            base = value
        case Items(values=values):
            base = Record(type="", members={f"[{place}]": one for place, one in enumerate(values)})
        case Reference():
            base = Record(type=value.type, rest=value)
        case Quantity() if name in AXES:
            base = Record(type="dim3", members={"x": value})
        case _:
            base = Record(type="")
    if rest:
        inner = base.members.get(name) or Record(type="")
        new = with_part(inner, rest, new)
    return replace(base, members={**base.members, name: new})
