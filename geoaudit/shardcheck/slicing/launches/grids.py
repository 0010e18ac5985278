"""Grids and blocks as three axes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.slicing.calls import calling
from geoaudit.shardcheck.slicing.definitions.loops import LOOP
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.launches.meta_parameters import META
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.scopes import members
from geoaudit.shardcheck.slicing.sites import Axis
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Either,
    Items,
    Quantity,
    Record,
    Reference,
    Value,
    either_number,
    number,
    unknown,
    used,
)
from geoaudit.shardcheck.symbolic.extents import Symbol
from geoaudit.shardcheck.symbolic.walking import decisive_symbols

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

Axes = tuple[Quantity, Quantity, Quantity]


def axes_of(
    slicer: "Slicer",
    nodes: Sequence[e.Expression],
    meta: Mapping[str, Value],
    frame: Frame,
    point: Point,
) -> Axes:
    """The axes of a grid that is written as one expression, or as one for each axis.

    Args:
        slicer: that evaluates.
        nodes: one expression, or three.
        meta: what a grid that is a function may ask for.
        frame: in which they stand.
        point: at which.
    """
    if len(nodes) == 3:
        x, y, z = (slicer.quantity(node, frame, point) for node in nodes)
        return x, y, z
    value = slicer.value(nodes[0], frame, point)
    return _axes(slicer, _of_functions(slicer, value, meta, frame, point))


def _of_functions(
    slicer: "Slicer", value: Value, meta: Mapping[str, Value], frame: Frame, point: Point
) -> Value:
    """What a launch takes as its grid, with grid functions called."""
    match value:
        case Closure():
            found = _called(slicer, value, meta, frame, point)
            return _of_functions(slicer, found, meta, frame, point)
        case Either(options=options):
            return Either(
                options=tuple(
                    (guard, _of_functions(slicer, one, meta, frame, point))
                    for guard, one in options
                )
            )
        case _:
            return value


def _axes(slicer: "Slicer", value: Value) -> Axes:
    match value:
        case Either(options=options):
            return one_of([(guard, _axes(slicer, one)) for guard, one in used(options)])
        case Items(values=values) if len(values) <= 3:
            return _three(slicer, [*values, *[number(1)] * (3 - len(values))])
        case Record(type="") if any(name in value.members for name in ("[0]", "[1]", "[2]")):
            return _three(slicer, [value.members.get(f"[{axis}]", number(1)) for axis in range(3)])
        case Record():
            return _three(slicer, [members.member(slicer, value, name) for name in members.AXES])
        case Reference() if _is_dimensions(value):
            value = replace(value, trail=value.trail.through(value.path, value.text))
            return _three(slicer, [members.member(slicer, value, name) for name in members.AXES])
        case Reference():
            return as_quantity(slicer, value, value.text), number(1), number(1)
        case Quantity():
            return value, number(1), number(1)
        case _:
            lost = unknown("the grid is no value that can be told")
            return lost, lost, lost


def one_of(options: Sequence[tuple[Quantity | None, Axes]]) -> Axes:
    """Axis by axis, one of several grids; guards as in `Case`."""
    x, y, z = (
        either_number([(guard, axes[place]) for guard, axes in options]) for place in range(3)
    )
    return x, y, z


def _is_dimensions(value: Reference) -> bool:
    return "dim3" in value.type


def _three(slicer: "Slicer", values: Sequence[Value]) -> Axes:
    x, y, z = (as_quantity(slicer, value, "an extent") for value in values)
    return x, y, z


def _called(
    slicer: "Slicer", closure: Closure, meta: Mapping[str, Value], frame: Frame, point: Point
) -> Value:
    """What a grid function returns for the meta-parameters that a launch gives."""
    function = closure.functions[0]
    parameters = function.own_parameters
    outer = None
    if closure.frame is not None and closure.point is not None:
        outer = (closure.frame, point if closure.frame is frame else closure.point)
    rest = Reference(text=META, kind="constant", path=function.path, line=function.function.line)
    given = dict(zip((one.name for one in parameters), closure.given, strict=False))
    arguments: dict[str, Value] = {**given, **closure.named}
    waiting = [one.name for one in parameters if one.name not in arguments]
    if waiting:
        arguments[waiting[0]] = Record(type="", members=meta, rest=rest)
    called = Frame(
        function=function,
        arguments=arguments,
        outer=outer,
        depth=(closure.frame.depth if closure.frame else 0) + 1,
    )
    found = calling.returned(slicer, called)
    return found if found is not None else unknown("the grid function returns nothing")


def axis_of(quantity: Quantity, path: str) -> Axis:
    """An axis as a site reports it.

    Args:
        quantity: the extent, with the names it came through.
        path: file of the site, in which roots are looked for.
    """
    found = {one for one in decisive_symbols(quantity.extent) if one.scope != LOOP}
    names = {name for _, name in quantity.trail.names} | {symbol.name for symbol in found}
    roots = {symbol.name for symbol in found if _is_root(symbol, path)}
    return Axis(
        extent=quantity.extent,
        symbols=tuple(sorted(name for name in names if _is_name(name))),
        roots=tuple(sorted(roots)),
    )


def _is_root(symbol: Symbol, path: str) -> bool:
    return symbol.path in {"", path}


def _is_name(name: str) -> bool:
    return len(name) <= 120
