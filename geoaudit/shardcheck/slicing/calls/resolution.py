"""Which functions a call means, and which calls mean a function."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing.calls import bindings, lambdas, overloads, receivers
from geoaudit.shardcheck.slicing.calls.arguments import accepts, with_given
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import CallSite, IndexedFunction
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.scopes import fields
from geoaudit.shardcheck.slicing.values import Closure, Record, Reference, Value

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

MOST_MEANT = 4


def meant(
    slicer: "Slicer", node: e.Call, frame: Frame, point: Point
) -> tuple[Closure | None, Value | None]:
    """The functions that a call may mean, and the class or object where it makes or calls one."""
    function = node.function
    if isinstance(function, e.Member):
        return _method(slicer, node, function, frame, point)
    value = slicer.value(function, frame, point)
    match value:
        case Closure():
            return _fitting(slicer, value, node, frame, point), None
        case Reference(kind="class"):
            return None, value
        case Record(type=type) if type:
            methods = fields.method_of(slicer, type, "operator()")
            methods = methods or fields.method_of(slicer, type, "__call__")
            return Closure(functions=tuple(methods), receiver=value) if methods else None, None
        case _:
            return None, value


def _method(
    slicer: "Slicer", node: e.Call, function: e.Member, frame: Frame, point: Point
) -> tuple[Closure | None, Value | None]:
    if _is_super(function.value):
        return _of_bases(slicer, node, function.name, frame), None
    base = slicer.value(function.value, frame, point)
    if isinstance(base, Record):
        methods = fields.method_of(slicer, base.type, function.name)
        if methods:
            return _fitting(
                slicer, Closure(functions=tuple(methods)), node, frame, point, base
            ), base
    if isinstance(base, Reference):
        found = fields.member_of(slicer, base, function.name)
        if isinstance(found, Closure):
            receiver = None if base.kind in {"class", "module"} else base
            return _fitting(slicer, found, node, frame, point, receiver), base
        if function.name == "apply" and base.kind == "class":
            forward = fields.method_of(slicer, base.type, "forward")
            return (Closure(functions=tuple(forward[:1])) if forward else None), base
        if isinstance(found, Reference) and found.kind == "class":
            return None, found
    return None, base


def _is_super(node: e.Expression) -> bool:
    return isinstance(node, e.Call) and node.function == e.Name("super")


def _of_bases(slicer: "Slicer", node: e.Call, name: str, frame: Frame) -> Closure | None:
    """A method of a base of the class that a method belongs to."""
    own = frame.function
    for _, one in fields.classes_of(slicer, own.function.owner):
        for base in one.bases:
            methods = fields.method_of(slicer, base, name)
            if methods:
                start = Point(block=own.function.body, index=0)
                receiver = frame.receiver or slicer.value(e.Name(own.object_name), frame, start)
                closure = Closure(functions=tuple(methods))
                return _fitting(slicer, closure, node, frame, start, receiver)
    return None


def _fitting(
    slicer: "Slicer",
    closure: Closure,
    node: e.Call,
    frame: Frame,
    point: Point,
    receiver: Value | None = None,
) -> Closure | None:
    own = frame.function.file
    whole = with_given(closure, node)
    fitting = overloads.fitting(slicer, closure.functions, whole, frame, point)
    near = [one for one in fitting if one.file is own] or fitting
    if not near or len(near) > MOST_MEANT:
        return None
    return replace(
        closure,
        functions=tuple(near),
        receiver=receiver if receiver is not None else closure.receiver,
    )


def calls_of(slicer: "Slicer", function: IndexedFunction) -> list[CallSite]:
    """The calls that mean a function, in its own file and in others."""
    known = slicer.program.calls_by_function.get(id(function))
    if known is None:
        known = _calls_of(slicer, function)
        slicer.program.calls_by_function[id(function)] = known
    return known


def _calls_of(slicer: "Slicer", function: IndexedFunction) -> list[CallSite]:
    name = _called_as(function)
    if not name:
        return lambdas.calls_of_lambda(slicer, function)
    found = []
    program = slicer.program
    renamed = (program.calls_of(local, file) for file, local in program.import_names.get(name, ()))
    sites = chain(program.calls_of(name), chain.from_iterable(renamed))
    if function.function.name == "__init__":
        sites = chain(sites, _super_calls(slicer, function), _of_derived(slicer, function))
    for site in sites:
        is_own = site.caller.file is function.file
        if not is_own and not _reaches(slicer, function, site):
            continue
        is_meant = _is_of_derived(function, site.call)
        if accepts(function, site.call) and (is_meant or _names_it(slicer, function, site)):
            found.append(site)
    return [*found, *bindings.python_calls(slicer, function)]


def is_super_init(call: e.Call) -> bool:
    """Whether a call is ``super().__init__(...)``."""
    called = call.function
    return isinstance(called, e.Member) and called.name == "__init__" and _is_super(called.value)


def _is_of_derived(function: IndexedFunction, call: e.Call) -> bool:
    """Whether a call of a constructor is made by, or of, a class derived from its own."""
    called = call.function
    if isinstance(called, e.Member) and _is_super(called.value):
        return True
    return function.function.name == "__init__" and last_name(called) != function.function.owner


def _of_derived(slicer: "Slicer", function: IndexedFunction) -> Iterator[CallSite]:
    """Calls of classes that inherit a constructor."""
    for derived in slicer.program.derived.get(function.function.owner, ()):
        own = slicer.program.methods.get(derived, ())
        if not any(method.function.name == "__init__" for method in own):
            yield from slicer.program.calls_of(derived)


def _super_calls(slicer: "Slicer", function: IndexedFunction) -> Iterator[CallSite]:
    """Calls of a constructor by those of the classes derived from its own."""
    for derived in slicer.program.derived.get(function.function.owner, ()):
        for method in slicer.program.methods.get(derived, ()):
            if method.function.name != "__init__":
                continue
            for point, call in method.calls:
                if is_super_init(call):
                    yield CallSite(caller=method, point=point, call=call)


def _called_as(function: IndexedFunction) -> str:
    one = function.function
    if one.kind == "method" and one.name in {"__init__", one.owner}:
        return one.owner
    if one.kind == "method" and one.name == "forward" and one.owner:
        return "apply" if _is_autograd(function) else one.name
    return one.name


def _is_autograd(function: IndexedFunction) -> bool:
    return any(last_name(one) == "staticmethod" for one in function.function.decorators)


def _reaches(slicer: "Slicer", function: IndexedFunction, site: CallSite) -> bool:
    """Whether a call in another file may mean a function."""
    if function.is_of_one_file:
        return False
    if site.caller.file.language != function.file.language:
        return False
    own = [
        one
        for one in slicer.program.in_file(site.caller.file, function.function.name)
        if one.function.owner == function.function.owner
        and not one.function.is_declaration
        and accepts(one, site.call)
    ]
    return not own


def _names_it(slicer: "Slicer", function: IndexedFunction, site: CallSite) -> bool:
    """Whether the way a call is written can mean a function."""
    called = site.call.function
    owner = function.function.owner
    if _called_as(function) == "apply":
        return isinstance(called, e.Member) and last_name(called.value) == owner
    if not owner:
        return isinstance(called, e.Name) or (
            function.file.language == "python"
            and isinstance(called, e.Member)
            and not _is_own_object(called.value)
        )
    if function.function.name == "__init__" and isinstance(called, e.Member):
        return called.name == owner
    if isinstance(called, e.Member):
        return _is_called_on(slicer, function, called, site)
    if not isinstance(called, e.Name):
        return False
    parts = called.text.split("::")
    if function.function.name in {owner, "__init__"}:
        return parts[-1] == owner
    if len(parts) == 1:
        return owner in receivers.family_of(slicer, receivers.owner_of(slicer, site.caller))
    if parts[-2] in slicer.program.classes:
        return owner in receivers.family_of(slicer, parts[-2])
    around = receivers.owner_of(slicer, site.caller)
    return around in receivers.family_of(slicer, owner) or _is_only_owner(slicer, function)


def _is_called_on(
    slicer: "Slicer", function: IndexedFunction, called: e.Member, site: CallSite
) -> bool:
    """Whether the object of a method's call may be of its class, or of one derived from it."""
    owner, name = function.function.owner, function.function.name
    found = receivers.class_of(slicer, called.value, site.caller)
    if found not in slicer.program.classes:
        return _is_only_owner(slicer, function)
    nearest = {one.function.owner for one in fields.method_of(slicer, found, name)}
    return owner in nearest or found in receivers.family_of(slicer, owner)


def _is_only_owner(slicer: "Slicer", function: IndexedFunction) -> bool:
    """Whether no other class has a method of that name."""
    named = slicer.program.functions.get(function.function.name, ())
    return len({one.function.owner for one in named if one.function.owner}) == 1


def _is_own_object(node: e.Expression) -> bool:
    return isinstance(node, e.Name) and node.text in {"self", "this"}
