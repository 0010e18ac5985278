"""Fields of classes: where they are declared and assigned."""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.file_program import Class, FileProgram
from geoaudit.shardcheck.slicing.definitions import reaching
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import Point, place_of
from geoaudit.shardcheck.slicing.quantities import as_quantity, is_known_role
from geoaudit.shardcheck.slicing.scopes import known_types
from geoaudit.shardcheck.slicing.tensors import shapes
from geoaudit.shardcheck.slicing.values import (
    NOTHING,
    NOWHERE,
    Closure,
    Items,
    Quantity,
    Record,
    Reference,
    Shaped,
    Value,
    either,
    is_unknown,
    joined,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Symbol

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

MOST_ASSIGNMENTS = 8
MOST_FIELDS_DEEP = 3
MOST_ALIASES = 4
MOST_ANYWHERE = 4
Assignment = tuple[IndexedFunction, Point, s.Assign]


def member_of(slicer: "Slicer", base: Reference, name: str) -> Value:
    """A member of an object of which no more than its name, perhaps its type, is known."""
    special = shapes.member_of_reference(slicer, base, name)
    if special is not None:
        return special
    if base.kind == "module":
        return _module_member(slicer, base, name)
    method = method_of(slicer, base.type, name)
    if method and not is_known_role(name):
        return called_as_field(slicer, Closure(functions=tuple(method), receiver=base))
    reference = Reference(
        text=f"{base.text}.{name}",
        kind="constant" if base.kind == "constant" else "field",
        path=base.path,
        line=base.line,
        scope=base.scope,
        type=type_of_field(slicer, base.type, name),
        of=base,
        member=name,
        trail=base.trail,
    )
    if base.kind == "class" or name.isupper():
        default = default_of(slicer, base.type, name)
        if default is not None:
            return default
    if is_known_role(name) or slicer.is_near or slicer.fields_deep >= MOST_FIELDS_DEEP:
        return reference
    slicer.fields_deep += 1
    try:
        if slicer.crosses_files:
            return assigned_values(slicer, base, name) or reference
        return _made_of_several(slicer, base, name) or _as_assigned(slicer, reference)
    finally:
        slicer.fields_deep -= 1


def _made_of_several(slicer: "Slicer", base: Reference, name: str) -> Value | None:
    """A field of an object's own class that is no number: a tuple, a tensor, a function."""
    if not base.type or not base.path.endswith(".py"):
        return None
    found = _either_assigned(slicer, _of_class(slicer, base.type, name))
    return found if isinstance(found, Items | Shaped | Closure) else None


def _as_assigned(slicer: "Slicer", reference: Reference) -> Reference:
    """A field of the object itself, with the name of exactly what its class gives it in its file.

    The field stays the root: others may set it too.
    """
    base = reference.of
    if base is None or not base.type or base.text not in {"self", "this"}:
        return reference
    every = _of_class(slicer, base.type, reference.member)
    in_file = [one for one in every if one[0].path == base.path]
    if not in_file or len(in_file) > MOST_ANYWHERE:
        return reference
    found = _either_assigned(slicer, in_file)
    if not isinstance(found, Quantity | Reference):
        return reference
    given = as_quantity(slicer, found, reference.text)
    if not isinstance(given.extent, Symbol):
        return reference
    trail = joined([reference.trail, given.trail])
    return replace(reference, trail=trail.through(given.extent.path, given.extent.name))


def called_as_field(slicer: "Slicer", method: Closure) -> Value:
    """A method that is read as a member: of a property what it returns."""
    from geoaudit.shardcheck.slicing.calls import calling

    first, receiver = method.functions[0], method.receiver
    if not first.is_property:
        return method
    if isinstance(receiver, Reference):
        receiver = replace(receiver, trail=NOWHERE)
        key = ("()", receiver.text, receiver.path, receiver.scope)
        frame = Frame(function=first, arguments={}, receiver=receiver, depth=1)
        start = Point(block=first.function.body, index=0)
        found = slicer.remembered(
            slicer.open_frame(first), start, key, lambda: calling.returned(slicer, frame)
        )
    else:
        found = calling.returned(
            slicer, Frame(function=first, arguments={}, receiver=receiver, depth=1)
        )
    return found if found is not None else unknown(f"{first.name} returns nothing")


def _module_member(slicer: "Slicer", base: Reference, name: str) -> Value:
    from geoaudit.shardcheck.slicing.scopes import names

    for file in names.files_of_module(slicer, base.type):
        found = names.of_file(slicer, file, name)
        if found is not None:
            return found
    text = f"{base.type}.{name}"
    if names.files_of_module(slicer, text):
        return replace(base, text=f"{base.text}.{name}", type=text)
    return replace(base, text=f"{base.text}.{name}", type=text, kind="module")


def classes_of(slicer: "Slicer", type: str) -> list[tuple[FileProgram, Class]]:
    """The classes that a type names, its bases and aliases after it."""
    found: list[tuple[FileProgram, Class]] = []
    waiting, seen = [known_types.bare(type)], set[str]()
    while waiting:
        name = waiting.pop(0)
        if name in seen or not name:
            continue
        seen.add(name)
        for file, one in slicer.program.classes.get(name, ()):
            found.append((file, one))
            waiting.extend(known_types.bare(base.replace(".", "::")) for base in one.bases)
    return found[:12]


def canonical(slicer: "Slicer", type: str) -> str:
    """The class that a type stands for, through its other names; bare."""
    name = known_types.bare(type)
    for _ in range(MOST_ALIASES):
        found = slicer.program.classes.get(name, ())
        aliases = {one.bases[0] for _, one in found if len(one.bases) == 1 and not one.fields}
        if len(found) != 1 or len(aliases) != 1 or name in slicer.program.methods:
            break
        name = known_types.bare(aliases.pop())
    return name


def method_of(slicer: "Slicer", type: str, name: str) -> list[IndexedFunction]:
    """Methods of a type and its bases, the nearest class that has one."""
    for _, one in classes_of(slicer, type):
        found = [
            method
            for method in slicer.program.methods.get(one.name, ())
            if method.function.name == name and not method.function.is_declaration
        ]
        if found:
            return found
    return []


def is_virtual(slicer: "Slicer", type: str, name: str) -> bool:
    """Whether a method of a type is called by the class of its object."""
    return any(
        method.function.is_virtual
        for _, one in classes_of(slicer, type)
        for method in slicer.program.methods.get(one.name, ())
        if method.function.name == name
    )


def names_of(slicer: "Slicer", type: str) -> tuple[str, ...]:
    """Names of the fields of a type, in order."""
    for _, one in classes_of(slicer, type):
        if one.fields:
            return tuple(field.name for field in one.fields)
    return ()


def type_of_field(slicer: "Slicer", type: str, name: str) -> str:
    """Declared type of a field; empty: not known."""
    for _, one in classes_of(slicer, type):
        for field in one.fields:
            if field.name == name:
                return field.type
    return ""


def default_of(slicer: "Slicer", type: str, name: str) -> Value | None:
    """What a field is unless assigned; None: nothing says so."""
    for file, one in classes_of(slicer, type):
        for field in one.fields:
            if field.name == name and field.default is not None:
                top = slicer.program.function_of(file, 0)
                body = top.function.body
                end = Point(block=body, index=len(body))
                return slicer.value(field.default, slicer.open_frame(top), end)
            if field.name == name and known_types.bare(field.type) == "dim3":
                return Record(type="dim3")
    return None


def assigned_values(slicer: "Slicer", base: Reference, name: str) -> Value | None:
    """What a field is assigned anywhere in the program; None: nowhere, or at too many places."""
    found = _of_class(slicer, base.type, name) or _anywhere(slicer, base, name)
    default = default_of(slicer, base.type, name)
    return _either_assigned(slicer, found) or (None if default == NOTHING else default)


def _either_assigned(slicer: "Slicer", found: list[Assignment]) -> Value | None:
    values: list[Value] = []
    times = Counter((id(one[0]), place_of(one[2].target)) for one in found)
    for function, point, assign in found:
        place, frame = place_of(assign.target), slicer.open_frame(function)
        if assign.value is None or place is None:
            continue
        value = None
        if times[id(function), place] > 1:
            body = function.function.body
            end = Point(block=body, index=len(body))
            value = reaching.read(slicer, place, frame, end)
        values.append(value or slicer.value(assign.value, frame, point))
    known = [value for value in values if not is_unknown(value)]
    distinct = [value for number, value in enumerate(known) if value not in known[:number]]
    if not distinct or len(distinct) > MOST_ASSIGNMENTS or distinct == [NOTHING]:
        return None
    return either([(None, value) for value in distinct])


def _of_class(slicer: "Slicer", type: str, name: str) -> list[Assignment]:
    owners = {one.name for _, one in classes_of(slicer, type)}
    if not owners:
        return []
    return [
        (function, point, assign)
        for function, point, assign in slicer.program.member_assignments.get(name, ())
        if _owner(function, assign) in owners
    ]


def _owner(function: IndexedFunction, assign: s.Assign) -> str:
    target = assign.target
    if isinstance(target, e.Member) and isinstance(target.value, e.Name):
        text = target.value.text
        if text in {"self", "this"}:
            return function.function.owner
        for parameter in function.function.parameters:
            if parameter.name == text:
                return known_types.bare(parameter.type)
        for point in function.points:
            one = point.statement
            if isinstance(one, s.Assign) and one.target == target.value and one.type:
                return known_types.bare(one.type)
    return ""


def _anywhere(slicer: "Slicer", base: Reference, name: str) -> list[Assignment]:
    language = _language(slicer, base.path)
    found = [
        one
        for one in slicer.program.member_assignments.get(name, ())
        if one[0].file.language == language
    ]
    return found if len(found) <= MOST_ANYWHERE else []


def _language(slicer: "Slicer", path: str) -> str:
    return "python" if path.endswith(".py") else "c"
