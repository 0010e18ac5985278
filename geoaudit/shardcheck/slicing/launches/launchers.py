"""Launches, and functions that launch a kernel for whoever calls them.

Nothing is listed by name but the interfaces of CUDA and HIP: a function is a launcher where its
callers give the kernel that it launches and some of the grid, and its calls are launches in turn.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing.calls import calling
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import CallSite, IndexedFunction
from geoaudit.shardcheck.slicing.index import ProgramIndex
from geoaudit.shardcheck.slicing.launches import callers, grids
from geoaudit.shardcheck.slicing.launches.grids import Axes
from geoaudit.shardcheck.slicing.launches.meta_parameters import MetaParameters
from geoaudit.shardcheck.slicing.launches.primitives import (
    PRIMITIVES,
    LaunchParts,
    is_interface,
    parts_of_call,
    parts_of_launch,
)
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.slicer import Slicer
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Record,
    Reference,
    Value,
    either,
    unknown,
)

MOST_LEVELS = 16
MOST_INNER = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Launching:
    """A launch: by the language or an interface, or by a call of a launcher.

    Attributes:
        function, point: where it stands.
        parts: as it is written; of a call, those of the innermost launch with its own line.
        call: the call of a launcher; None: it is a primitive.
        inner: what the launcher does, one of these; empty: it is a primitive.
    """

    function: IndexedFunction
    point: Point
    parts: LaunchParts
    call: e.Call | None = None
    inner: list["Launching"] = field(default_factory=list)

    @property
    def launcher(self) -> str | None:
        """Name of the launcher that is called."""
        if self.call is None:
            return None
        function = self.inner[0].function.function
        if function.name == "operator()":
            return function.owner
        return function.name or last_name(self.call.function)

    def evaluated(self, slicer: Slicer, frame: Frame) -> "Launched":
        """What it launches, in a frame of its function."""
        if self.call is not None:
            return _one_of([self._through(slicer, frame, one) for one in self.inner])
        parts = self.parts
        given = MetaParameters(slicer, parts, frame, self.point)
        block = None
        if parts.block is not None:
            block = grids.axes_of(slicer, parts.block, {}, frame, self.point)
        return Launched(
            kernel=slicer.value(parts.kernel, frame, self.point),
            grid=grids.axes_of(slicer, parts.grid, given, frame, self.point),
            block=block,
        )

    def _through(self, slicer: Slicer, frame: Frame, inner: "Launching") -> "Launched":
        assert self.call is not None
        function, receiver = inner.function, None
        if function.function.owner:
            receiver = _receiver(slicer, self.call, frame, self.point)
        closure = Closure(functions=(function,), receiver=receiver)
        entered = calling.entered(slicer, closure, function, self.call, frame, self.point)
        if entered is None:
            lost = unknown("the launcher is nested too deep")
            return Launched(kernel=lost, grid=(lost, lost, lost), block=None)
        return inner.evaluated(slicer, entered)


@dataclass(frozen=True, kw_only=True)
class Launched:
    """Kernel, grid and block of a launch."""

    kernel: Value
    grid: Axes
    block: Axes | None


def _one_of(launched: list[Launched]) -> Launched:
    """Several launches of which one happens."""
    if len(launched) == 1:
        return launched[0]
    blocks = [(None, one.block) for one in launched if one.block is not None]
    return Launched(
        kernel=either([(None, one.kernel) for one in launched]),
        grid=grids.one_of([(None, one.grid) for one in launched]),
        block=grids.one_of(blocks) if len(blocks) == len(launched) else None,
    )


def _receiver(slicer: Slicer, call: e.Call, frame: Frame, point: Point) -> Value | None:
    function = call.function
    node = function.value if isinstance(function, e.Member) else function
    if isinstance(node, e.Name) and not isinstance(function, e.Member) and "::" in node.text:
        return None
    value = slicer.value(node, frame, point)
    return value if isinstance(value, Record | Reference) else None


def primitives(program: ProgramIndex) -> Iterator[Launching]:
    """The launches that the language or an interface makes, in order."""
    for function in program.by_file.values():
        if not _may_launch(function):
            continue
        seen: set[int] = set()
        for point, node in function.nodes:
            parts = None
            if isinstance(node, e.Launch):
                parts = parts_of_launch(node)
            elif isinstance(node, e.Call) and not _is_own(program, node):
                parts = parts_of_call(node, len(seen))
            if parts is not None and id(node) not in seen:
                seen.add(id(node))
                yield Launching(function=function, point=point, parts=parts)


def _may_launch(function: IndexedFunction) -> bool:
    """Whether a function is worth going through: its file launches, or it calls an interface."""
    file = function.file
    if file.textual or file.recognised:
        return True
    return any(is_interface(name) for name in function.function.calls)


def _is_own(program: ProgramIndex, call: e.Call) -> bool:
    """Whether a call is of a function of the program that is named like an interface."""
    name = last_name(call.function)
    if name in PRIMITIVES and isinstance(call.function, e.Name):
        return False
    return any(not one.function.is_declaration for one in program.functions.get(name, ()))


def all_launches(slicer: Slicer) -> tuple[list[Launching], set[int]]:
    """Every launch, calls of launchers too, and the ids of those that launch for callers."""
    found = list(primitives(slicer.program))
    for_callers: set[int] = set()
    by_call: dict[int, Launching] = {}
    level = found
    for _ in range(MOST_LEVELS):
        following: list[Launching] = []
        for launching in level:
            if not callers.launches_for_callers(slicer, launching):
                continue
            sites = list(islice(callers.called(slicer, launching), callers.MOST_CALLS))
            for site in sites:
                outer = by_call.get(id(site.call))
                if outer is None:
                    outer = _through(launching, site)
                    by_call[id(site.call)] = outer
                    following.append(outer)
                elif len(outer.inner) < MOST_INNER and launching.function is not site.caller:
                    outer.inner.append(launching)
            if sites or callers.can_only_be_called_in_source(launching.function):
                for_callers.add(id(launching))
        found = found + following
        level = following
    return found, for_callers


def _through(launching: Launching, site: CallSite) -> Launching:
    return Launching(
        function=site.caller,
        point=site.point,
        parts=replace(launching.parts, idiom="launcher", line=site.call.line, offset=0),
        call=site.call,
        inner=[launching],
    )
