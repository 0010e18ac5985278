"""Whether a launch is one for whoever calls its function, and those calls."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing.calls import resolution
from geoaudit.shardcheck.slicing.calls.arguments import bound
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import CallSite, IndexedFunction
from geoaudit.shardcheck.slicing.scopes import parameters
from geoaudit.shardcheck.slicing.scopes.members import AXES
from geoaudit.shardcheck.slicing.slicer import Slicer
from geoaudit.shardcheck.slicing.values import Items, Quantity, Record, Reference, Value
from geoaudit.shardcheck.symbolic.extents import Cases, Extent, Integer, Symbol
from geoaudit.shardcheck.symbolic.walking import symbols

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.launches.launchers import Launching

MOST_CALLS = 4_000


def formal_frame(slicer: Slicer, function: IndexedFunction) -> Frame:
    """A frame in which parameters are what they are called, whoever calls."""
    bare = slicer.open_frame(function)
    own = function.function
    given: Mapping[str, Value] = {
        one.name: parameters.reference(bare, one)
        for one in (*own.parameters, *own.template_parameters)
    }
    return Frame(function=function, arguments=given, outer=bare.outer)


def launches_for_callers(slicer: Slicer, launching: "Launching") -> bool:
    """Whether the callers of a launch's function give its kernel and its grid.

    They do where nothing but what they give, the device and constants are in it, each axis one part
    of it or, where no object gives the kernel, computed from it: of members of what is given only
    where the calls give several kernels, whose grids would be one of each other.
    """
    function = launching.function
    if function.function.kind not in {"function", "method", "macro", "lambda"}:
        return False
    frame = formal_frame(slicer, function)
    if launching.call is None:
        kernel = slicer.value(launching.parts.kernel, frame, launching.point)
        if not _is_given(slicer, kernel, function):
            return False
    launched = launching.evaluated(slicer, frame)
    if not _is_given(slicer, launched.kernel, function):
        return False
    every = [one for axis in launched.grid for one in symbols(axis.extent)]
    found = [one for one in every if _is_given_symbol(slicer, one, function)]
    others = [one for one in every if one not in found]
    if not found or any(one.kind not in _OF_NOBODY for one in others):
        return False
    if not others and all(_is_passed(axis.extent) for axis in launched.grid):
        return True
    if _gives_several(slicer, launching, launched.kernel):
        return True
    return (
        not others
        and not _is_object(launched.kernel)
        and all(_is_bare(slicer, one) for one in found)
    )


_OF_NOBODY = frozenset({"constant", "sm_count", "occupancy"})
"""Kinds of symbols that are the same whoever calls."""


def _gives_several(slicer: Slicer, launching: "Launching", kernel: Value) -> bool:
    """Whether a kernel is what a parameter is given, and calls give it several."""
    if not isinstance(kernel, Reference) or kernel.of is not None or kernel.kind == "field":
        return False
    function, given = launching.function, set[str]()
    for site in islice(called(slicer, launching), MOST_CALLS):
        frame = slicer.open_frame(site.caller)
        node = bound(slicer, function, site.call, frame, site.point).nodes.get(kernel.text)
        given.add(spelled(node) if isinstance(node, e.Node) else "")
    return len(given) > 1


def _is_passed(extent: Extent) -> bool:
    """Whether an axis is passed on as it is, whichever of several it is."""
    if isinstance(extent, Cases):
        return all(_is_passed(one.value) for one in extent.cases)
    return isinstance(extent, Symbol | Integer)


def _is_bare(slicer: Slicer, symbol: Symbol) -> bool:
    """Whether a symbol is a parameter itself, or an axis of one."""
    origin = slicer.origins[symbol]
    return origin.of is None or origin.member in AXES


def _is_object(value: Value) -> bool:
    return isinstance(value, Reference) and value.base.text in {"this", "self"}


def can_only_be_called_in_source(function: IndexedFunction) -> bool:
    """Whether a function is nothing until the source uses it: a macro, a lambda, a template."""
    own = function.function
    return own.kind in {"macro", "lambda"} or bool(own.template_parameters)


def _is_given(slicer: Slicer, value: Value, function: IndexedFunction) -> bool:
    match value:
        case Reference():
            return _is_of_parameter(value.base, function)
        case Quantity(extent=Symbol() as symbol):
            return _is_given_symbol(slicer, symbol, function)
        case Items(values=(one,)) | Record(rest=Reference() as one):
            return _is_given(slicer, one, function)
        case _:
            return False


def _is_given_symbol(slicer: Slicer, symbol: Symbol, function: IndexedFunction) -> bool:
    origin = slicer.origins.get(symbol)
    return origin is not None and _is_of_parameter(origin.base, function)


def _is_of_parameter(base: Reference, function: IndexedFunction) -> bool:
    """Whether a value is made of a parameter of a function, or of its object."""
    own = function.function
    if base.text in {"this", "self"}:
        return bool(own.owner)
    if base.kind == "field":
        return bool(own.owner) and base.scope == own.owner
    names = {one.name for one in (*own.parameters, *own.template_parameters)}
    return base.text in names and base.scope == function.name and base.path == function.path


def called(slicer: Slicer, launching: "Launching") -> Iterator[CallSite]:
    """The calls of the function a launcher is."""
    function = launching.function
    if function.function.name != "operator()":
        yield from resolution.calls_of(slicer, function)
        return
    owner = function.function.owner
    for caller in slicer.program.calling(owner):
        for point, call in caller.calls:
            if isinstance(call.function, e.Name) and call.function.text.endswith(owner):
                continue
            value = slicer.value(call.function, slicer.open_frame(caller), point)
            if isinstance(value, Record) and value.type == owner:
                yield CallSite(caller=caller, point=point, call=call)
