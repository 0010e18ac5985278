"""Macros: their bodies where they are used, and their free names."""

from typing import TYPE_CHECKING, Any

import msgspec

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.slicing.calls import resolution
from geoaudit.shardcheck.slicing.calls.arguments import accepts
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import Block
from geoaudit.shardcheck.slicing.scopes.visibility import Use, seen, use_in
from geoaudit.shardcheck.slicing.values import Reference, Value, either

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

MOST_USES = 8
PASTE = "##"


def macro_named(slicer: "Slicer", frame: Frame, call: e.Call) -> IndexedFunction | None:
    """The function-like macro that a call uses; None: it is none, or several."""
    if not isinstance(call.function, e.Name):
        return None
    found = [
        one
        for one in slicer.program.functions.get(call.function.text, ())
        if one.function.kind == "macro" and accepts(one, call)
    ]
    own = [one for one in found if one.file is frame.function.file] or found
    use = use_in(frame.function.file, frame.function.function, call.line)
    for one in own:
        if _holds(one, own, use):
            return one
    return None


def _holds(macro: IndexedFunction, every: list[IndexedFunction], use: Use) -> bool:
    """Whether a macro is one of those that hold where it is used."""
    own = [one.function for one in every if one.file is macro.file]
    return any(one is macro.function for one in seen(use, macro.function.name, own, macro.path))


def expanded(slicer: "Slicer", statement: s.Evaluate, frame: Frame) -> Block | None:
    """The statements of a macro that a statement uses, with its arguments in place."""
    if not isinstance(statement.value, e.Call):
        return None
    macro = macro_named(slicer, frame, statement.value)
    if macro is None:
        return None
    known = slicer.program.expansions.get(id(statement))
    if known is None or known[0] is not statement:
        given = _given(macro, statement.value)
        body = substituted(macro.function.body, given, statement.line)
        known = (statement, body)
        slicer.program.expansions[id(statement)] = known
    return known[1]


def _given(macro: IndexedFunction, call: e.Call) -> dict[str, e.Expression]:
    names = [one.name for one in macro.function.parameters if not one.is_pack]
    return dict(zip(names, call.arguments, strict=False))


def substituted(block: Block, given: dict[str, e.Expression], line: int) -> Block:
    """Statements with names replaced, names that are pasted together made one."""
    return tuple(_replaced(statement, given, line) for statement in block)


def _replaced(node: Any, given: dict[str, e.Expression], line: int) -> Any:  # noqa: ANN401
    match node:
        case e.Name(text=text):
            if PASTE in text:
                return e.Name("".join(_pasted(one, given) for one in text.split(PASTE)))
            return given.get(text, node)
        case tuple():
            return tuple(_replaced(one, given, line) for one in node)
        case msgspec.Struct():
            changed = {
                name: _replaced(getattr(node, name), given, line) for name in node.__struct_fields__
            }
            if "line" in changed and not isinstance(node, e.Launch):
                changed["line"] = line
            return type(node)(**changed)
        case _:
            return node


def _pasted(part: str, given: dict[str, e.Expression]) -> str:
    found = given.get(part.strip())
    return (
        found.text
        if isinstance(found, e.Name)
        else (str(found.value) if isinstance(found, e.Number) else part.strip())
    )


def at_uses(slicer: "Slicer", frame: Frame, node: e.Name) -> Value | None:
    """A free name of a macro's body, as it is where the macro is used; None: nowhere."""
    every = resolution.calls_of(slicer, frame.function)
    every = every or list(slicer.program.named_in_calls(frame.function.name))
    own = [site for site in every if site.caller.file is frame.function.file]
    sites = own or every
    if not sites or frame.depth >= MOST_USES:
        return None
    values: list[Value] = []
    for site in sites:
        if site.caller is frame.function:
            continue
        user = slicer.open_frame(site.caller, frame.depth + 1)
        value = slicer.value(node, user, site.point)
        if isinstance(value, Reference) and value.kind == "unknown" and value.text == node.text:
            continue
        if value not in values:
            values.append(value)
    if not values or len(values) > MOST_USES:
        return None
    return either([(None, value) for value in values])
