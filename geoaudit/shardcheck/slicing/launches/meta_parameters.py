"""What a launch gives a grid that is a function: arguments of the kernel, and tuned values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.python.autotune import meta_values
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.launches.primitives import LaunchParts
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.sites import LaunchConstant
from geoaudit.shardcheck.slicing.values import Closure, Quantity, Record, Value, known_member
from geoaudit.shardcheck.symbolic.extents import Symbol

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

META = "META"
SPREAD = "**"


@dataclass(frozen=True, eq=False)
class MetaParameters(Mapping[str, Value]):
    """Parameter of the launched kernel -> its value, looked up when asked."""

    slicer: "Slicer"
    parts: LaunchParts
    frame: Frame
    point: Point

    def __getitem__(self, name: str) -> Value:
        for find in (self._given, self._by_place, self._tuned, self._default):
            found = find(name)
            if found is not None:
                return found
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.parts.keywords if name != SPREAD)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _given(self, name: str) -> Value | None:
        for key, node in self.parts.keywords:
            if key == name:
                return self._value(node)
        for key, node in self.parts.keywords:
            whole = self._value(node) if key == SPREAD else None
            found = known_member(whole, name) if isinstance(whole, Record) else None
            if found is not None:
                return found
        return None

    def _by_place(self, name: str) -> Value | None:
        kernel = self._kernel()
        names = [one.name for one in kernel.function.parameters] if kernel else []
        given = self.parts.arguments
        if name not in names or any(isinstance(one, e.Starred) for one in given):
            return None
        place = names.index(name)
        return self._value(given[place]) if place < len(given) else None

    def _tuned(self, name: str) -> Value | None:
        """The values that autotuning may choose, as a constant that has any of them."""
        kernel = self._kernel()
        values = tuned_values(self.slicer, kernel).get(name) if kernel else None
        if kernel is None or not values:
            return None
        symbol = Symbol(
            name=f"{META}.{name}",
            kind="constant",
            path=kernel.path,
            line=kernel.function.line,
            scope=kernel.name,
        )
        constant = LaunchConstant(symbol=symbol, values=tuple(sorted(values)))
        self.slicer.constants.setdefault(symbol, constant)
        return Quantity(extent=symbol)

    def _default(self, name: str) -> Value | None:
        kernel = self._kernel()
        for one in kernel.function.parameters if kernel else ():
            if one.name == name and one.default is not None and kernel:
                top = self.slicer.open_frame(self.slicer.program.function_of(kernel.file, 0))
                body = top.function.function.body
                return self.slicer.value(one.default, top, Point(block=body, index=len(body)))
        return None

    def _value(self, node: e.Expression) -> Value:
        return self.slicer.value(node, self.frame, self.point)

    def _kernel(self) -> IndexedFunction | None:
        value = self._value(self.parts.kernel)
        return value.functions[0] if isinstance(value, Closure) else None


def tuned_values(slicer: "Slicer", kernel: IndexedFunction) -> Mapping[str, frozenset[int]]:
    """The values of each meta-parameter of a kernel, read once."""
    known = slicer.program.tuned
    if id(kernel) not in known:
        known[id(kernel)] = meta_values(kernel.function, kernel.file)
    return known[id(kernel)]
