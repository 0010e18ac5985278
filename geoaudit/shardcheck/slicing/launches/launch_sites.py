"""Launch sites of a program, each with its symbolic grid."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing.definitions.changes import changes_in
from geoaudit.shardcheck.slicing.definitions.loops import LOOP
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.index import index_of
from geoaudit.shardcheck.slicing.launches import grids, outside
from geoaudit.shardcheck.slicing.launches.grids import Axes
from geoaudit.shardcheck.slicing.launches.kernel_names import kernel_name, name_in_text
from geoaudit.shardcheck.slicing.launches.launchers import Launched, Launching, all_launches
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.sites import Axis, Hop, LaunchSite
from geoaudit.shardcheck.slicing.slicer import Slicer
from geoaudit.shardcheck.slicing.values import Quantity, computed, joined
from geoaudit.shardcheck.symbolic.extents import Extent, Integer, Symbol
from geoaudit.shardcheck.symbolic.substitution import substitute
from geoaudit.shardcheck.symbolic.walking import symbols

MOST_GUARDS = 12
_CHEVRONS = ("<<<", ">>>")
_AROUND_GRID = {"triton": ("[", "]"), "numba": ("[", "]"), "manifest": (" with ", "")}
"""Idiom -> what stands around the grid behind the kernel, where that is no chevron."""


def launch_sites(programs: Sequence[FileProgram]) -> tuple[LaunchSite, ...]:
    """Every launch of the files, with its grid, by path, line and offset."""
    slicer = Slicer(program=index_of(programs))
    beyond = (
        Slicer(program=slicer.program, crosses_files=True),
        Slicer(program=slicer.program, crosses_files=True, is_near=True),
    )
    found, for_callers = all_launches(slicer)
    sites = [
        _site(slicer, beyond, launching, is_launcher=id(launching) in for_callers)
        for launching in found
        if not _is_switched_off(slicer, launching)
    ]
    return tuple(sorted(sites, key=lambda site: (site.path, site.line, site.offset)))


def _is_switched_off(slicer: Slicer, launching: Launching) -> bool:
    """Whether a manifest enables a launch under a condition that is 0, as of an arm that is off."""
    point = launching.point
    if launching.parts.idiom != "manifest" or not isinstance(point.holder, s.Branch):
        return False
    if point.parent is None:
        return False
    slicer.begin()
    frame = slicer.open_frame(launching.function)
    holds = slicer.condition(point.holder.condition, frame, point.parent).extent
    return holds == Integer(value=0)


def _site(
    slicer: Slicer, beyond: Sequence[Slicer], launching: Launching, *, is_launcher: bool
) -> LaunchSite:
    slicer.begin()
    function, parts = launching.function, launching.parts
    frame = slicer.open_frame(function)
    launched = unified(launching.evaluated(slicer, frame))
    x, y, z = _axes(launched.grid, function.path)
    block = None if launched.block is None else _axes(launched.block, function.path)
    known = {one for axis in (x, y, z) for one in symbols(axis.extent)}
    valued = known.union(*(symbols(axis.extent) for axis in block or ()))
    return LaunchSite(
        path=function.path,
        line=parts.line,
        offset=parts.offset,
        kernel=_kernel(launching, launched),
        launcher=launching.launcher,
        idiom=parts.idiom,
        function=function.name,
        grid=(x, y, z),
        block=block,
        guards=_guards(slicer, frame, launching.point, known),
        chain=_chain(launching, launched.grid),
        is_launcher=is_launcher,
        callers_followed=max(axis.trail.calls for axis in launched.grid),
        language=function.file.language,
        bindings=outside.bindings(slicer, beyond, known),
        aliases=tuple(
            (symbol, tuple(sorted(slicer.aliases[symbol])))
            for symbol in sorted(known, key=lambda one: one.name)
            if symbol in slicer.aliases
        ),
        constants=tuple(
            slicer.constants[symbol]
            for symbol in sorted(valued, key=lambda one: one.name)
            if symbol in slicer.constants
        ),
    )


def _kernel(launching: Launching, launched: Launched) -> str:
    """What is launched, by its name where that is found, else as it is written."""
    function, parts = launching.function, launching.parts
    written = launching.call.arguments if launching.call else (parts.kernel,)
    first = written[0] if written else parts.kernel
    found = kernel_name(launched.kernel) or name_in_text(function, first) or last_name(first)
    return found or spelled(parts.kernel)


def unified(launched: Launched) -> Launched:
    """With symbols of one name and kind made one: the same parameter, passed through functions."""
    axes = (*launched.grid, *(launched.block or ()))
    chosen: dict[tuple[str, str], Symbol] = {}
    renamed: dict[Symbol, Extent] = {}
    for symbol in sorted(
        {one for axis in axes for one in symbols(axis.extent)}, key=lambda one: one.scope
    ):
        if symbol.kind == "constant" or symbol.scope == LOOP:
            continue
        first = chosen.setdefault((symbol.name, symbol.kind), symbol)
        if first != symbol:
            renamed[symbol] = first
    if not renamed:
        return launched
    grid = [replace(axis, extent=substitute(axis.extent, renamed)) for axis in launched.grid]
    block = launched.block and [
        replace(axis, extent=substitute(axis.extent, renamed)) for axis in launched.block
    ]
    return replace(
        launched,
        grid=(grid[0], grid[1], grid[2]),
        block=(block[0], block[1], block[2]) if block else None,
    )


def _axes(axes: Axes, path: str) -> tuple[Axis, Axis, Axis]:
    x, y, z = (grids.axis_of(axis, path) for axis in axes)
    return x, y, z


def _chain(launching: Launching, axes: Axes) -> tuple[Hop, ...]:
    hops = dict.fromkeys((*_launching_hops(launching), *joined(axis.trail for axis in axes).hops))
    return tuple(hops)


def _launching_hops(launching: Launching) -> Iterator[Hop]:
    """The launch as it is written, and through the launchers that it calls down to a primitive."""
    parts = launching.parts
    if launching.call is None:
        opening, closing = _AROUND_GRID.get(parts.idiom, _CHEVRONS)
        text = f"{spelled(parts.kernel)}{opening}{spelled(parts.grid[0])}{closing}"
    else:
        text = spelled(launching.call)
    yield Hop(path=launching.function.path, line=parts.line, text=text)
    for inner in launching.inner:
        yield from _launching_hops(inner)


def _guards(
    slicer: Slicer, frame: Frame, point: Point, known: Iterable[Symbol]
) -> tuple[Extent, ...]:
    """Conditions that hold at a point, of those that speak of the symbols of a grid."""
    wanted = set(known)
    found: list[Extent] = []
    at: Point | None = point
    while at is not None and len(found) < MOST_GUARDS:
        leaving = changes_in(slicer.program, at.block, frame.function).leaving
        for index in reversed(leaving[: bisect_left(leaving, at.index)][-MOST_GUARDS:]):
            statement = at.block[index]
            if isinstance(statement, s.Branch):
                _add(slicer, frame, statement.condition, at.at(index), False, found)
        if isinstance(at.holder, s.Branch) and at.parent is not None:
            holds = at.block is at.holder.then
            _add(slicer, frame, at.holder.condition, at.parent, holds, found)
        at = at.parent
    return tuple(one for one in found[:MOST_GUARDS] if wanted & set(symbols(one)))


def _add(
    slicer: Slicer,
    frame: Frame,
    condition: e.Expression,
    point: Point,
    holds: bool,
    found: list[Extent],
) -> None:
    if isinstance(condition, e.Opaque) or len(found) >= MOST_GUARDS:
        return
    value: Quantity = slicer.condition(condition, frame, point)
    found.append((value if holds else computed("!", [value])).extent)
