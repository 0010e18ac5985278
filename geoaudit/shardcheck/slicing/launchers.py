"""Launches, and functions that launch a kernel for whoever calls them.

Nothing is listed by name but the interfaces of CUDA and HIP: a function is a launcher where the
kernel and the grid that it launches are its own parameters, and its calls are launches in turn.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.slicing import calls, grids, parameters, resolution
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.grids import Axes
from geoaudit.shardcheck.slicing.index import CallSite, IndexedFunction
from geoaudit.shardcheck.slicing.meta_parameters import MetaParameters
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.primitives import LaunchParts, parts_of_call, parts_of_launch
from geoaudit.shardcheck.slicing.slicer import Slicer
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Either,
    Items,
    Quantity,
    Record,
    Reference,
    Value,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Symbol

MOST_LEVELS = 4
MOST_CALLS = 4_000
MOST_KERNELS = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Launching:
    """A launch: by the language or an interface, or by a call of a launcher.

    Attributes:
        function, point: where it stands.
        parts: as it is written; of a call, those of the innermost launch with its own line.
        call: the call of a launcher; None: it is a primitive.
        inner: what the launcher does; None: it is a primitive.
    """

    function: IndexedFunction
    point: Point
    parts: LaunchParts
    call: e.Call | None = None
    inner: "Launching | None" = None

    @property
    def launcher(self) -> str | None:
        """Name of the launcher that is called."""
        if self.inner is None:
            return None
        function = self.inner.function.function
        return function.owner if function.name == "operator()" else function.name

    def evaluated(self, slicer: Slicer, frame: Frame) -> "Launched":
        """What it launches, in a frame of its function."""
        if self.inner is None or self.call is None:
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
        receiver = None
        if self.inner.function.function.owner:
            receiver = _receiver(slicer, self.call, frame, self.point)
        closure = Closure(functions=(self.inner.function,), receiver=receiver)
        entered = calls.entered(slicer, closure, self.inner.function, self.call, frame, self.point)
        if entered is None:
            lost = unknown("the launcher is nested too deep")
            return Launched(kernel=lost, grid=(lost, lost, lost), block=None)
        return self.inner.evaluated(slicer, entered)


@dataclass(frozen=True, kw_only=True)
class Launched:
    """Kernel, grid and block of a launch."""

    kernel: Value
    grid: Axes
    block: Axes | None


def _receiver(slicer: Slicer, call: e.Call, frame: Frame, point: Point) -> Value | None:
    function = call.function
    node = function.value if isinstance(function, e.Member) else function
    if isinstance(node, e.Name) and not isinstance(function, e.Member) and "::" in node.text:
        return None
    value = slicer.value(node, frame, point)
    return value if isinstance(value, Record | Reference) else None


def primitives(functions: Iterable[IndexedFunction]) -> Iterator[Launching]:
    """The launches that the language or an interface makes, in order."""
    for function in functions:
        seen: set[int] = set()
        for point, node in function.nodes:
            parts = None
            if isinstance(node, e.Launch):
                parts = parts_of_launch(node)
            elif isinstance(node, e.Call):
                parts = parts_of_call(node, len(seen))
            if parts is not None and id(node) not in seen:
                seen.add(id(node))
                yield Launching(function=function, point=point, parts=parts)


def formal_frame(slicer: Slicer, function: IndexedFunction) -> Frame:
    """A frame in which parameters are what they are called, whoever calls."""
    bare = slicer.open_frame(function)
    own = function.function
    given: Mapping[str, Value] = {
        one.name: parameters.reference(bare, one)
        for one in (*own.parameters, *own.template_parameters)
    }
    return Frame(function=function, arguments=given, outer=bare.outer)


def launches_for_callers(slicer: Slicer, launching: Launching) -> bool:
    """Whether the kernel and the grid of a launch are both parameters of its function."""
    own = launching.function.function
    if own.kind not in {"function", "method", "macro"}:
        return False
    names = {one.name for one in (*own.parameters, *own.template_parameters)} | {"this", "self"}
    launched = launching.evaluated(slicer, formal_frame(slicer, launching.function))
    if not _is_of(launched.kernel, names - {"this", "self"}, own.owner):
        return False
    exact = [_is_parameter(slicer, axis, names, own.owner) for axis in launched.grid]
    return exact[0] and all(exact)


def _is_of(value: Value, names: set[str], owner: str) -> bool:
    match value:
        case Reference():
            base = value.base
            return base.text in names or (base.text in {"this", "self"} and bool(owner))
        case Quantity(extent=Symbol(name=name)):
            return name.partition(".")[0] in names
        case Items(values=(one,)):
            return _is_of(one, names, owner)
        case _:
            return False


def _is_parameter(slicer: Slicer, axis: Quantity, names: set[str], owner: str) -> bool:
    extent = axis.extent
    if not isinstance(extent, Symbol):
        return hasattr(extent, "value") and getattr(extent, "value", None) == 1
    origin = slicer.origins.get(extent)
    if origin is None:
        return False
    return origin.base.text in names or bool(owner and origin.base.scope == owner)


def called(slicer: Slicer, launching: Launching) -> Iterator[CallSite]:
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


def all_launches(slicer: Slicer) -> tuple[list[Launching], set[int]]:
    """Every launch, calls of launchers too, and the ids of those that launch for callers."""
    found = list(primitives(slicer.program.by_file.values()))
    for_callers: set[int] = set()
    level, seen = found, set[int]()
    for _ in range(MOST_LEVELS):
        following: list[Launching] = []
        for launching in level:
            if not launches_for_callers(slicer, launching):
                continue
            sites = [one for one in called(slicer, launching) if id(one.call) not in seen]
            for site in sites[:MOST_CALLS]:
                seen.add(id(site.call))
                following.append(_through(launching, site))
            if sites:
                for_callers.add(id(launching))
        found += following
        level = following
        if not level:
            break
    return found, for_callers


def _through(launching: Launching, site: CallSite) -> Launching:
    parts = launching.parts
    line = site.call.line
    return Launching(
        function=site.caller,
        point=site.point,
        parts=LaunchParts(
            idiom="launcher",
            kernel=parts.kernel,
            grid=parts.grid,
            block=parts.block,
            keywords=parts.keywords,
            arguments=parts.arguments,
            line=line,
            offset=0,
        ),
        call=site.call,
        inner=launching,
    )


def kernel_name(value: Value) -> str:
    """The kernel of a launch by name; several joined, an expression as written."""
    match value:
        case Closure(functions=functions):
            found = list(dict.fromkeys(one.function.name for one in functions))
            return " | ".join(found[:MOST_KERNELS]) or "?"
        case Either(options=options):
            names = list(dict.fromkeys(kernel_name(one) for _, one in options))
            return " | ".join(names[:MOST_KERNELS])
        case Reference(text=text):
            return text.rpartition("::")[2].rpartition(".")[2] or text
        case Record(rest=Reference(text=text)):
            return text
        case Items(values=(one, *_)):
            return kernel_name(one)
        case _:
            return ""
