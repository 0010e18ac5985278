"""The class of an object that a method is called on, from declarations alone."""

import re
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.statements import Assign
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.scopes import fields, known_types

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_POINTER = re.compile(r"\b(?:shared_ptr|unique_ptr|weak_ptr|optional)\s*<(.*)>")
DEEPEST = 6


def class_of(slicer: "Slicer", node: e.Expression, function: IndexedFunction, deep: int = 0) -> str:
    """The class of an object as a function writes it, without its namespaces; empty: not told."""
    if deep > DEEPEST:
        return ""
    match node:
        case e.Name(text="this" | "self"):
            return owner_of(slicer, function)
        case e.Name(text=text):
            return _of_name(slicer, text, function, deep)
        case e.Member(value=value, name=name):
            return _pointed(
                fields.type_of_field(slicer, class_of(slicer, value, function, deep + 1), name)
            )
        case e.Operation(operator="*" | "&", operands=(inner,)):
            return class_of(slicer, inner, function, deep + 1)
        case e.Cast(type=type) | e.Collection(type=type):
            return _pointed(type)
        case e.Call():
            return _of_call(slicer, node, function, deep)
        case _:
            return ""


def owner_of(slicer: "Slicer", function: IndexedFunction) -> str:
    """The class whose method a function is, or is written in; else empty."""
    at = function
    while not at.function.owner:
        enclosing = at.function.enclosing
        if enclosing is None or enclosing == at.number:
            return ""
        at = slicer.program.function_of(at.file, enclosing)
    return at.function.owner


def family_of(slicer: "Slicer", name: str) -> set[str]:
    """A class with its bases and other names."""
    return {one.name for _, one in fields.classes_of(slicer, name)}


def _of_name(slicer: "Slicer", text: str, function: IndexedFunction, deep: int) -> str:
    at: IndexedFunction | None = function
    while at is not None:
        for parameter in at.function.parameters:
            if parameter.name == text:
                return _pointed(parameter.type)
        declared = at.declarations.get(text)
        if declared is not None:
            return _declared(slicer, declared, at, deep)
        enclosing = at.function.enclosing
        if at.number == 0:
            break
        at = slicer.program.function_of(at.file, enclosing or 0)
    if text in slicer.program.classes:
        return text
    return _pointed(fields.type_of_field(slicer, owner_of(slicer, function), text))


def _declared(slicer: "Slicer", declared: Assign, function: IndexedFunction, deep: int) -> str:
    found = _pointed(declared.type)
    if found not in {"", "auto"}:
        return found
    return class_of(slicer, declared.value, function, deep + 1) if declared.value else ""


def _of_call(slicer: "Slicer", node: e.Call, function: IndexedFunction, deep: int) -> str:
    """The class that a call makes an object of, or that a method returns."""
    called = node.function
    last = last_name(called)
    if isinstance(called, e.Name) and last in slicer.program.classes:
        return last
    if isinstance(called, e.Member):
        owner = class_of(slicer, called.value, function, deep + 1)
        for method in fields.method_of(slicer, owner, last) if owner else ():
            return _pointed(method.function.return_type)
    return ""


def _pointed(type: str) -> str:
    """A bare type, of a smart pointer what it points to."""
    found = _POINTER.search(type)
    return known_types.bare(found.group(1) if found else type)
