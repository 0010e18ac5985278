"""What the statements at the top of a file give a name."""

from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.statements import Assign
from geoaudit.shardcheck.slicing.definitions import reaching
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.scopes.visibility import Use, seen
from geoaudit.shardcheck.slicing.values import Nothing, Quantity, Reference, Value, either
from geoaudit.shardcheck.symbolic.extents import Integer

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

MOST_DEFINITIONS = 4


def of_top(
    slicer: "Slicer", top: IndexedFunction, name: str, text: str = "", use: Use | None = None
) -> Value | None:
    """What the statements at the top of a file give a name; `text` is the name as it is used.

    A variable that begins as 0 or None there is set elsewhere: it is not known. A constant that is
    given twice is one or the other: the two stand under different ``#if``.
    """
    several = _given_several(slicer, top, name, text, use)
    if several is not None:
        return several
    end = Point(block=top.function.body, index=len(top.function.body))
    found = reaching.read(slicer, (name,), slicer.open_frame(top), end)
    if isinstance(found, Nothing):
        return Reference(text=name, kind="unknown", path=top.path)
    is_zero = isinstance(found, Quantity) and found.extent == Integer(value=0)
    if is_zero and top.file.language == "c":
        for one in top.function.body:
            if isinstance(one, Assign) and one.target == e.Name(name) and not one.constant:
                return Reference(text=name, kind="unknown", path=top.path, line=one.line)
    return found


def _given_several(
    slicer: "Slicer", top: IndexedFunction, name: str, text: str, use: Use | None
) -> Value | None:
    """The values of a constant of C that the top of a file gives more than once; else None."""
    if top.file.language != "c":
        return None
    body, target = top.function.body, e.Name(name)
    given = [
        one for one in body if isinstance(one, Assign) and one.constant and one.target == target
    ]
    if len(given) < 2:
        return None
    meant = seen(use, text or name, given, top.path)
    if len(meant) > MOST_DEFINITIONS:
        return None
    frame = slicer.open_frame(top)
    ends = [
        Point(block=body, index=place + 1)
        for place, one in enumerate(body)
        if any(one is each for each in meant)
    ]
    found = [reaching.read(slicer, (name,), frame, end) for end in ends]
    return either([(None, value) for value in found if value is not None])
