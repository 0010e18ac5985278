"""What a name stands for that nothing before it in its function assigns."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.program.statements import Function
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.scopes import fields, macros, members, parameters
from geoaudit.shardcheck.slicing.scopes.tops import of_top
from geoaudit.shardcheck.slicing.scopes.visibility import Use, seen, use_in
from geoaudit.shardcheck.slicing.trails import named
from geoaudit.shardcheck.slicing.values import (
    NOTHING,
    Closure,
    Either,
    Quantity,
    Record,
    Reference,
    Value,
    either,
    number,
    unknown,
)

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_CONSTANT = re.compile(r"^([A-Z][A-Z0-9_]*|k[A-Z]\w*|.*::\w+)$")
MOST_DEFINITIONS = 4
MOST_REEXPORTS = 4
_WORDS: dict[str, Value] = {
    **dict.fromkeys(("true", "True"), number(1)),
    **dict.fromkeys(("false", "False", "nullptr", "NULL"), number(0)),
    "None": NOTHING,
}


def outer_of(slicer: "Slicer", indexed: IndexedFunction) -> tuple[Frame, Point] | None:
    """Where the free names of a nested function are looked up; None: in its file."""
    enclosing = indexed.function.enclosing
    if enclosing is None or enclosing == indexed.number:
        return None
    around = slicer.program.function_of(indexed.file, enclosing)
    if around.function.kind == "file":
        return None
    for point, node in around.nodes:
        if isinstance(node, e.FunctionValue) and node.function == indexed.number:
            return slicer.open_frame(around), point
    end = Point(block=around.function.body, index=len(around.function.body))
    return slicer.open_frame(around), end


def name(slicer: "Slicer", node: e.Name, frame: Frame, point: Point) -> Value:
    """The value of a name."""
    text = node.text
    if text in _WORDS:
        return _WORDS[text]
    function = frame.function.function
    if frame.function.object_name == text:
        return frame.receiver or _object(frame, text, function)
    for parameter in (*function.parameters, *function.template_parameters):
        if parameter.name == text:
            return parameters.value_of(slicer, frame, parameter)
    if text in {"self", "this"} and frame.receiver is not None:
        return frame.receiver
    found = _of_template_argument(slicer, text, frame, point)
    if found is not None:
        return found
    if frame.outer is not None:
        return _around(slicer, node, frame, *frame.outer)
    if text in {"self", "this"}:
        return _object(frame, text, function)
    found = _of_surroundings(slicer, node, frame, point)
    return found if found is not None else _unbound(slicer, frame, text, point)


def _around(slicer: "Slicer", node: e.Name, frame: Frame, around: Frame, at: Point) -> Value:
    """A free name of a nested function; one that it copies, as it was where it was made."""
    if frame.made is not None and frame.function.is_copied(node.text):
        at = frame.made
    return slicer.value(node, around, at)


def _of_template_argument(slicer: "Slicer", text: str, frame: Frame, point: Point) -> Value | None:
    """``Scheduler::grid`` where Scheduler is a template argument; None: it is none, or not told."""
    first, _, rest = text.partition("::")
    own = frame.function.function.template_parameters
    if not rest or not any(parameter.name == first for parameter in own):
        return None
    value = slicer.value(e.Name(first), frame, point)
    if not isinstance(value, Either) and not (
        isinstance(value, Reference) and value.kind == "class"
    ):
        return None
    for part in rest.split("::"):
        value = members.member(slicer, value, part)
    return value


def _of_surroundings(slicer: "Slicer", node: e.Name, frame: Frame, point: Point) -> Value | None:
    """A name of the uses of a macro, of a method's class, or of the file."""
    function, found = frame.function.function, None
    if function.kind == "macro" and frame.arguments is None:
        found = macros.at_uses(slicer, frame, node)
    if found is None and function.owner:
        found = _own_field(slicer, frame, node.text, function)
    if found is None and function.owner and frame.function.file.language == "c":
        found = _own_method(slicer, frame, node.text, function)
    if found is not None:
        return found
    use = use_in(frame.function.file, function, _line_of(point))
    return of_file(slicer, frame.function.file, node.text, use=use)


def _object(frame: Frame, text: str, function: Function) -> Reference:
    return Reference(
        text=text,
        kind="field",
        path=frame.path,
        line=function.line,
        scope=function.owner,
        type=function.owner,
    )


def _own_field(slicer: "Slicer", frame: Frame, text: str, function: Function) -> Value | None:
    if frame.function.file.language != "c":
        return None
    for _, one in fields.classes_of(slicer, function.owner):
        if any(field.name == text for field in one.fields):
            receiver = frame.receiver or _object(frame, "this", function)
            if isinstance(receiver, Reference):
                found = fields.member_of(slicer, receiver, text)
                return replace(found, text=text) if isinstance(found, Reference) else found
            return members.member(slicer, receiver, text)
    return None


def _own_method(slicer: "Slicer", frame: Frame, text: str, function: Function) -> Value | None:
    methods = fields.method_of(slicer, function.owner, text)
    is_virtual = fields.is_virtual(slicer, function.owner, text)
    receiver = frame.receiver or _object(frame, "this", function)
    if is_virtual and isinstance(receiver, Record | Reference):
        methods = fields.method_of(slicer, receiver.type, text) or methods
    if not methods:
        return None
    return Closure(functions=tuple(methods), receiver=receiver)


def of_file(
    slicer: "Slicer", file: FileProgram, text: str, hops: int = 0, use: Use | None = None
) -> Value | None:
    """A name at the top of a file, of its imports or includes; None: not found."""
    top = slicer.program.function_of(file, 0)
    last = text.rpartition("::")[2] if file.language == "c" else text
    for spelling in dict.fromkeys((text, "::".join(text.split("::")[-2:]), last)):
        found = of_top(slicer, top, spelling, text, use)
        if found is not None:
            return found
    functions = _seen(functions_named(slicer, file, last), text, use)
    if functions:
        return Closure(functions=tuple(functions))
    if any(one.name == last for one in file.classes):
        return Reference(text=last, kind="class", path=file.path, type=last)
    if file.language != "c":
        return _imported(slicer, file, text, hops)
    return _of_program(slicer, file, text, use)


def _seen(functions: list[IndexedFunction], text: str, use: Use | None) -> list[IndexedFunction]:
    """Those of some functions that a name may mean where it is used."""
    found: list[IndexedFunction] = []
    for path in dict.fromkeys(one.path for one in functions):
        own = [one for one in functions if one.path == path]
        kept = seen(use, text, [one.function for one in own], path)
        found += [one for one in own if any(one.function is each for each in kept)]
    return found


def functions_named(slicer: "Slicer", file: FileProgram, name: str) -> list[IndexedFunction]:
    """Functions and macros of a file that stand at its top."""
    return [
        one
        for one in slicer.program.in_file(file, name)
        if not one.function.owner
        and not one.function.is_declaration
        and one.function.enclosing in {None, 0}
    ]


def _imported(slicer: "Slicer", file: FileProgram, text: str, hops: int) -> Value | None:
    for one in file.imports:
        if one.local != text:
            continue
        if not one.name:
            return Reference(text=text, kind="module", path=file.path, type=one.module)
        if hops < MOST_REEXPORTS:
            for source in files_of_module(slicer, one.module):
                found = of_file(slicer, source, one.name, hops + 1)
                if found is not None:
                    return found
        module = f"{one.module}.{one.name}"
        if files_of_module(slicer, module):
            return Reference(text=text, kind="module", path=file.path, type=module)
        return Reference(text=text, kind="unknown", path=file.path, type=module)
    return None


def files_of_module(slicer: "Slicer", module: str) -> Iterable[FileProgram]:
    """Files that a Python module may be, by the end of their paths."""
    return slicer.program.modules.get(module.strip("."), ())


def _of_program(slicer: "Slicer", file: FileProgram, text: str, use: Use | None) -> Value | None:
    last = text.rpartition("::")[2]
    tops = [
        top
        for top in slicer.program.constants.get(last, ())
        if top.file is not file and top.file.language == "c"
    ]
    included = {one.module.rpartition("/")[2] for one in file.imports}
    near = [top for top in tops if top.path.rpartition("/")[2] in included] or tops
    if near and len(near) <= MOST_DEFINITIONS:
        found = [one for top in near if (one := of_top(slicer, top, last, text, use)) is not None]
        if found:
            return either([(None, value) for value in found])
    functions = [
        one
        for one in slicer.program.functions.get(last, ())
        if one.file.language == "c"
        and not one.is_of_one_file
        and not one.function.is_declaration
        and not one.function.owner
    ]
    if functions:
        return Closure(functions=tuple(functions))
    if last in slicer.program.classes:
        return Reference(text=last, kind="class", path=file.path, type=last)
    owner, _, member = text.rpartition("::")
    if owner:
        return _static(slicer, owner, member)
    return None


def _static(slicer: "Slicer", owner: str, member: str) -> Value | None:
    methods = fields.method_of(slicer, owner, member)
    if methods:
        return Closure(functions=tuple(methods))
    found = fields.default_of(slicer, owner, member)
    return found if isinstance(found, Quantity) else None


def _unbound(slicer: "Slicer", frame: Frame, text: str, point: Point) -> Value:
    kind = "constant" if _CONSTANT.match(text) else "unknown"
    if kind == "unknown" and frame.function.function.kind == "macro" and frame.arguments is None:
        return named(unknown(f"{text} is not given to {frame.function.name}"), text, frame)
    scope = "" if kind == "constant" else frame.function.name
    line = _line_of(point)
    return Reference(text=text, kind=kind, path=frame.path, line=line, scope=scope)


def _line_of(point: Point) -> int:
    if point.index < len(point.block):
        return point.statement.line
    return point.block[-1].line if point.block else 0
