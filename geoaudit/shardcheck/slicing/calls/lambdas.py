"""The calls of a lambda: by its name, where it is written, and by what it is given to."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.statements import Assign
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing.calls.arguments import accepts
from geoaudit.shardcheck.slicing.functions import CallSite, IndexedFunction

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

MOST_SITES = 24


def calls_of_lambda(slicer: "Slicer", function: IndexedFunction) -> list[CallSite]:
    """The calls of a lambda that its file, and what it is passed to, show."""
    enclosing = function.function.enclosing
    if enclosing is None:
        return []
    around = slicer.program.function_of(function.file, enclosing)
    return list(islice(_calls(slicer, function, around), MOST_SITES))


def _calls(
    slicer: "Slicer", function: IndexedFunction, around: IndexedFunction
) -> Iterator[CallSite]:
    own = e.FunctionValue(function.number)
    for name in _names(own, around):
        for site in slicer.program.calls_of(name, function.file):
            if isinstance(site.call.function, e.Name) and _is_within(slicer, site.caller, around):
                yield site
    for point, call in around.calls:
        if call.function == own:
            yield CallSite(caller=around, point=point, call=call)
        elif own in call.arguments:
            yield from _by_callee(slicer, call, call.arguments.index(own))


def _names(own: e.FunctionValue, around: IndexedFunction) -> Iterator[str]:
    for point in around.points:
        one = point.statement
        if isinstance(one, Assign) and one.value == own and isinstance(one.target, e.Name):
            yield one.target.text


def _is_within(slicer: "Slicer", function: IndexedFunction, around: IndexedFunction) -> bool:
    at = function
    while at is not around:
        enclosing = at.function.enclosing
        if enclosing is None or enclosing == at.number:
            return False
        at = slicer.program.function_of(at.file, enclosing)
    return True


def _by_callee(slicer: "Slicer", call: e.Call, place: int) -> Iterator[CallSite]:
    """Where a function that is given a lambda calls it."""
    for callee in slicer.program.functions.get(last_name(call.function), ()):
        parameters = callee.own_parameters
        if callee.function.is_declaration or not accepts(callee, call) or place >= len(parameters):
            continue
        for point, inner in callee.calls:
            if inner.function == e.Name(parameters[place].name):
                yield CallSite(caller=callee, point=point, call=inner)
