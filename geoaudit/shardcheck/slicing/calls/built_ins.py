"""Functions that need no library: ``min``, ``len``, ``sum``, ``zip``."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing import dictionaries, iteration
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import as_quantity, dependencies
from geoaudit.shardcheck.slicing.values import (
    Items,
    Reference,
    Shaped,
    Value,
    Words,
    computed,
    number,
    unknown,
)

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_EXTREMES = {"min": "min", "max": "max", "fmin": "min", "fmax": "max", "minimum": "min"}


def is_known(slicer: "Slicer", name: str, last: str, frame: Frame) -> bool:
    """Whether a name is that of such a function, which its file does not define itself."""
    if last not in _BUILT_IN and last not in _EXTREMES and last not in _OF_PYTHON:
        return False
    if last in _OF_PYTHON and not _is_python(frame):
        return False
    own = slicer.program.functions.get(name, ())
    return not any(one.file is frame.function.file for one in own)


def called(slicer: "Slicer", node: e.Call, frame: Frame, point: Point) -> Value | None:
    """What a call of one of them is; None: it is given something else."""
    last = last_name(node.function)
    if last in _EXTREMES:
        return _extreme(slicer, _EXTREMES[last], node, frame, point)
    return {**_BUILT_IN, **_OF_PYTHON}[last](slicer, node, frame, point)


def _is_python(frame: Frame) -> bool:
    return frame.function.file.language == "python"


def _extreme(slicer: "Slicer", operator: str, node: e.Call, frame: Frame, point: Point) -> Value:
    values: list[Value] = []
    for one in node.arguments:
        value = slicer.value(one, frame, point)
        if node.keywords or (isinstance(value, Items) and value.back):
            return unknown(spelled(node), dependencies(slicer, [value], spelled(node)))
        values.extend(value.values if isinstance(value, Items) else [value])
    quantities = [as_quantity(slicer, value, spelled(node)) for value in values]
    return computed(operator, quantities) if quantities else unknown(spelled(node))


def _attribute(slicer: "Slicer", node: e.Call, frame: Frame, point: Point) -> Value | None:
    """``getattr(value, "name", default)``."""
    name = slicer.value(node.arguments[1], frame, point) if len(node.arguments) > 1 else None
    if not isinstance(name, Words):
        return None
    return slicer.value(e.Member(node.arguments[0], name.text), frame, point)


def _length(slicer: "Slicer", call: e.Call, frame: Frame, point: Point) -> Value | None:
    """``len(value)``."""
    if not call.arguments:
        return None
    node = call.arguments[0]
    value = slicer.value(node, frame, point)
    if isinstance(value, Items) and value.values and not value.back:
        return number(len(value.values))
    if isinstance(value, Shaped) and value.extents:
        return value.extents[0]
    if not isinstance(value, Reference):
        value = Reference(text=spelled(node), kind="unknown", path=frame.path)
    return Reference(
        text=f"{spelled(node)}.len",
        kind="extent",
        path=value.path,
        line=value.line,
        scope=value.scope,
        of=value,
        member="len",
        trail=value.trail,
    )


def _sum(slicer: "Slicer", call: e.Call, frame: Frame, point: Point) -> Value | None:
    """``sum(values, start)``."""
    text = spelled(call)
    if not call.arguments:
        return None
    given = [slicer.value(one, frame, point) for one in call.arguments]
    whole, start = given[0], given[1:]
    if not isinstance(whole, Items) or whole.back:
        return unknown(f"{text} is not followed", dependencies(slicer, given, text))
    return computed("+", [as_quantity(slicer, one, text) for one in (*whole.values, *start)])


def _power(slicer: "Slicer", call: e.Call, frame: Frame, point: Point) -> Value | None:
    """``pow(a, b)``."""
    if len(call.arguments) != 2:
        return None
    return computed("**", [slicer.quantity(one, frame, point) for one in call.arguments])


def _divided(slicer: "Slicer", call: e.Call, frame: Frame, point: Point) -> Value | None:
    """``divmod(a, b)``."""
    if len(call.arguments) != 2:
        return None
    pair = [slicer.quantity(one, frame, point) for one in call.arguments]
    return Items(values=(computed("//", pair), computed("%", pair)))


def _dictionary(slicer: "Slicer", call: e.Call, frame: Frame, point: Point) -> Value | None:
    return dictionaries.called(slicer, call, frame, point)


def _gone_over(slicer: "Slicer", call: e.Call, frame: Frame, point: Point) -> Value | None:
    return iteration.gone_over(slicer, call, frame, point)


_Function = Callable[["Slicer", e.Call, Frame, Point], Value | None]


_BUILT_IN: dict[str, _Function] = {"len": _length, "getattr": _attribute}
_OF_PYTHON: dict[str, _Function] = {
    "sum": _sum,
    "pow": _power,
    "divmod": _divided,
    "dict": _dictionary,
    **dict.fromkeys(("range", "enumerate", "zip", "map", "reversed"), _gone_over),
}
