"""What a parameter is: the argument of the call that is looked at, or of any call there is."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program.statements import Parameter
from geoaudit.shardcheck.slicing.calls import resolution
from geoaudit.shardcheck.slicing.calls.arguments import bound
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import CallSite
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import as_quantity, dependencies, is_known_role
from geoaudit.shardcheck.slicing.scopes import known_types, members
from geoaudit.shardcheck.slicing.trails import annotated, named
from geoaudit.shardcheck.slicing.values import (
    Quantity,
    Reference,
    Value,
    Words,
    either,
    is_unknown,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Integer
from geoaudit.shardcheck.symbolic.wording import as_text
from geoaudit.shardcheck.words import SHARDED_BY, dimension_of

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_TEST = re.compile(
    r"(?i)^(tests?\d*|bench(marks?)?|examples?|test_.*|.*_test(?:\.\w+)?|bench(mark)?_.*|main)$"
)
MOST_CALLERS = 64
MOST_VALUES = 8
LONGEST_TOLD = 2_000
MOST_CALLS_UP = 6


def value_of(slicer: "Slicer", frame: Frame, parameter: Parameter) -> Value:
    """The value of a parameter in a frame."""
    name = parameter.name
    if frame.arguments is not None:
        given = frame.arguments.get(name)
        if given is None:
            given = _default(slicer, frame, parameter)
        if given is None:
            return reference(frame, parameter)
        return given if _is_formula(frame) else named(given, name, frame)
    if is_known_role(name):
        return reference(frame, parameter)
    if slicer.crosses_files and known_types.bare(parameter.type) in slicer.program.classes:
        return reference(frame, parameter)
    key = (f"({name})",)
    start = _start(frame)
    found = slicer.remembered(frame, start, key, lambda: _of_any_call(slicer, frame, parameter))
    return found if found is not None else reference(frame, parameter)


def _default(slicer: "Slicer", frame: Frame, parameter: Parameter) -> Value | None:
    """What a parameter is that no argument is given for; of Python as the function was made."""
    if parameter.default is None:
        return None
    if frame.function.file.language == "c":
        return slicer.value(parameter.default, frame, _start(frame))
    if frame.outer is not None:
        around, at = frame.outer
        return slicer.value(parameter.default, around, frame.made or at)
    top = slicer.open_frame(slicer.program.function_of(frame.function.file, 0))
    body = top.function.function.body
    return slicer.value(parameter.default, top, Point(block=body, index=len(body)))


def _is_formula(frame: Frame) -> bool:
    """Whether a function only computes: what it calls its parameters is no name on the way."""
    function = frame.function.function
    return function.kind == "macro" or len(function.body) <= 1


def reference(frame: Frame, parameter: Parameter) -> Reference:
    """A parameter of which no argument is known."""
    function = frame.function.function
    is_template = parameter in function.template_parameters
    return Reference(
        text=parameter.name,
        kind="constant" if is_template else "parameter",
        path=frame.path,
        line=function.line,
        scope=frame.function.name,
        type=parameter.type,
    )


def _start(frame: Frame) -> Point:
    return Point(block=frame.function.function.body, index=0)


def _of_any_call(slicer: "Slicer", frame: Frame, parameter: Parameter) -> Value | None:
    """The argument of every call within reach, as alternatives; None: there is none."""
    sites, is_complete = _sites(slicer, frame)
    own = reference(frame, parameter)
    values: dict[object, Value] = {}
    for site in sites:
        value = _argument(slicer, frame, site, parameter)
        if value is None or _is_itself(value, own) or _hides(value, parameter):
            continue
        if members.is_lost(slicer, value, parameter.type):
            continue
        if slicer.crosses_files and is_unknown(value):
            continue
        values.setdefault(_told(slicer, value), value)
    if not values or (len(values) > MOST_VALUES and not slicer.crosses_files):
        return None
    if not is_complete:
        values.setdefault("", own)
    chosen = _one_of(slicer, list(values.values()), parameter.name)
    line = frame.function.function.line
    text = f"{frame.function.name}({parameter.name})"
    caller = replace(frame, depth=frame.depth + 1)
    return annotated(slicer, chosen, parameter.name, caller, line, text)


def _told(slicer: "Slicer", value: Value) -> object:
    """What tells arguments of several calls apart: of numbers how they are written, not where."""
    if isinstance(value, Quantity | Reference):
        return as_text(as_quantity(slicer, value, "an argument").extent, LONGEST_TOLD)
    return value if isinstance(value, Words) else id(value)


def _one_of(slicer: "Slicer", values: list[Value], name: str) -> Value:
    """One of the arguments of several calls; of too many, unknown and made of them all."""
    if len(values) <= MOST_VALUES:
        return either([(None, value) for value in values])
    reason = f"{name} is one of more than {MOST_VALUES} things that callers pass"
    return unknown(reason, dependencies(slicer, values, name))


def _sites(slicer: "Slicer", frame: Frame) -> tuple[list[CallSite], bool]:
    """Calls of the frame's function that are to be followed, and whether they are all."""
    calls = resolution.calls_of(slicer, frame.function)
    every = [site for site in calls if not is_test(site.caller.name)]
    if slicer.is_near and frame.depth >= 1:
        return [], True
    if slicer.crosses_files:
        followed = [site for site in every if not is_test(site.caller.path)] or every
        return followed[:MOST_CALLERS], len(followed) <= MOST_CALLERS
    own = [site for site in every if site.caller.file is frame.function.file]
    if frame.depth >= MOST_CALLS_UP:
        return [], False
    return own[:MOST_CALLERS], len(own) == len(every) and len(own) <= MOST_CALLERS


def _hides(value: Value, parameter: Parameter) -> bool:
    """Whether a number stands in place of a parameter that is called what ranks divide."""
    is_number = isinstance(value, Quantity) and isinstance(value.extent, Integer)
    return is_number and dimension_of(parameter.name) in SHARDED_BY


def is_test(path: str) -> bool:
    """Whether a file tests or measures rather than runs: what it passes says nothing of a model."""
    return any(_TEST.match(part) for part in path.split("/"))


def _argument(slicer: "Slicer", frame: Frame, site: CallSite, parameter: Parameter) -> Value | None:
    caller = slicer.open_frame(site.caller, frame.depth + 1)
    arguments = bound(slicer, frame.function, site.call, caller, site.point)
    given = arguments.get(parameter.name)
    return _default(slicer, frame, parameter) if given is None else given


def _is_itself(value: Value, own: Reference) -> bool:
    return (
        isinstance(value, Reference)
        and value.text == own.text
        and value.scope == own.scope
        and value.path == own.path
    )
