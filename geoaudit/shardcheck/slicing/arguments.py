"""The arguments of one call, bound to parameters, and evaluated when asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.statements import Parameter
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.index import IndexedFunction
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.values import Items, Value

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


@dataclass(frozen=True, eq=False)
class Arguments(Mapping[str, Value]):
    """Parameter -> value of its argument; a pack is its values side by side."""

    slicer: "Slicer"
    nodes: Mapping[str, e.Expression | tuple[e.Expression, ...]]
    frame: Frame
    point: Point
    _known: dict[tuple[str, bool], Value] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Value:
        key = (name, self.slicer.is_condition)
        if key not in self._known:
            self._known[key] = self._evaluated(self.nodes[name])
        return self._known[key]

    def _evaluated(self, node: e.Expression | tuple[e.Expression, ...]) -> Value:
        if not isinstance(node, tuple):
            return self.slicer.value(node, self.frame, self.point)
        values: list[Value] = []
        for one in node:
            value = self.slicer.value(one, self.frame, self.point)
            is_pack = isinstance(one, e.Starred) and isinstance(value, Items)
            values.extend(value.values if is_pack and isinstance(value, Items) else (value,))
        return Items(values=tuple(values))

    def __iter__(self) -> Iterator[str]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)


def bound(
    slicer: "Slicer",
    function: IndexedFunction,
    call: e.Call,
    frame: Frame,
    point: Point,
) -> Arguments:
    """Bind a call's arguments."""
    nodes: dict[str, e.Expression | tuple[e.Expression, ...]] = {}
    given = list(call.arguments)
    _positional(function.own_parameters, given, nodes)
    names = {parameter.name for parameter in function.own_parameters}
    nodes.update({name: node for name, node in call.keywords if name in names})
    _positional(function.function.template_parameters, list(call.template_arguments), nodes)
    return Arguments(slicer, nodes, frame, point)


def _positional(
    parameters: tuple[Parameter, ...],
    given: list[e.Expression],
    nodes: dict[str, e.Expression | tuple[e.Expression, ...]],
) -> None:
    for place, parameter in enumerate(parameters):
        if parameter.is_keywords:
            continue
        if parameter.is_pack:
            nodes[parameter.name] = tuple(given[place:])
            return
        if place >= len(given) or isinstance(given[place], e.Starred):
            return
        nodes[parameter.name] = given[place]


def accepts(function: IndexedFunction, call: e.Call) -> bool:
    """Whether a function can take as many arguments as a call gives."""
    parameters = function.own_parameters
    count = len(call.arguments) + len(call.keywords)
    if any(isinstance(one, e.Starred) for one in call.arguments):
        return True
    packs = [one for one in parameters if one.is_pack or one.is_keywords]
    plain = [one for one in parameters if not one.is_pack and not one.is_keywords]
    required = [one for one in plain if one.default is None]
    if function.function.kind == "macro" and not packs:
        return count == len(plain)
    return len(required) <= count and (bool(packs) or count <= len(plain))
