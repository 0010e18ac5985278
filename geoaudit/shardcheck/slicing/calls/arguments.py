"""The arguments of one call, bound to parameters, and evaluated when asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.statements import Parameter
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing import dictionaries
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.values import Closure, Items, Value

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer


@dataclass(frozen=True, kw_only=True)
class _Spread:
    """An argument at or behind one that is spread: its place, and whether all from there on."""

    given: tuple[e.Expression, ...]
    place: int
    is_pack: bool


@dataclass(frozen=True, kw_only=True)
class _Keywords:
    """What ``**parameter`` takes: keywords that no other parameter does."""

    given: tuple[tuple[str, e.Expression], ...]


@dataclass(frozen=True, kw_only=True)
class _FromSpread:
    """A parameter that a dictionary given as ``**value`` may have."""

    name: str
    spread: tuple[e.Expression, ...]


_Node = e.Expression | tuple[e.Expression, ...] | _Spread | _Keywords | _FromSpread


@dataclass(frozen=True, eq=False)
class Arguments(Mapping[str, Value]):
    """Parameter -> value of its argument; a pack is its values side by side."""

    slicer: "Slicer"
    nodes: Mapping[str, _Node]
    frame: Frame
    point: Point
    _known: dict[tuple[str, bool], Value] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Value:
        key = (name, self.slicer.is_condition)
        if key not in self._known:
            self._known[key] = self._evaluated(self.nodes[name])
        return self._known[key]

    def _evaluated(self, node: _Node) -> Value:
        match node:
            case tuple():
                return Items(values=tuple(self._side_by_side(node)))
            case _Spread(is_pack=True):
                return Items(values=tuple(self._side_by_side(node.given))[node.place :])
            case _Spread():
                return self._spread(node)
            case _Keywords():
                return dictionaries.made(self.slicer, node.given, self.frame, self.point)
            case _FromSpread():
                return self._from_spread(node)
            case _:
                return self.slicer.value(node, self.frame, self.point)

    def _side_by_side(self, nodes: tuple[e.Expression, ...]) -> Iterator[Value]:
        for one in nodes:
            value = self.slicer.value(one, self.frame, self.point)
            if isinstance(one, e.Starred) and isinstance(value, Items):
                yield from value.values
            else:
                yield value

    def _spread(self, node: _Spread) -> Value:
        """The value at a place; KeyError: there are fewer."""
        place = 0
        for one in node.given:
            value = self.slicer.value(one, self.frame, self.point)
            if not isinstance(one, e.Starred):
                values: tuple[Value, ...] = (value,)
            elif isinstance(value, Items):
                values = value.values
            else:
                element = e.Subscript(one.value, (e.Number(node.place - place),))
                return self.slicer.value(element, self.frame, self.point)
            if node.place < place + len(values):
                return values[node.place - place]
            place += len(values)
        raise KeyError(node.place)

    def _from_spread(self, node: _FromSpread) -> Value:
        """The value of a key; KeyError: no dictionary has it."""
        for one in reversed(node.spread):
            value = self.slicer.value(one, self.frame, self.point)
            if not dictionaries.is_dictionary(value) or value.rest or node.name in value.members:
                element = e.Subscript(one, (e.Text(node.name),))
                return self.slicer.value(element, self.frame, self.point)
        raise KeyError(node.name)

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
    closure: Closure | None = None,
) -> Arguments:
    """Bind a call's arguments, behind those that a closure has been given."""
    call = _with_context(function, call)
    known: dict[tuple[str, bool], Value] = {}
    if closure is not None and (closure.given or closure.named):
        call_keywords = call.keywords
        call = with_given(closure, call)
        names_given = [one.name for one in function.own_parameters]
        values = {**dict(zip(names_given, closure.given, strict=False)), **closure.named}
        values = {key: one for key, one in values.items() if key not in dict(call_keywords)}
        known = {(name, one): value for name, value in values.items() for one in (False, True)}
    nodes: dict[str, _Node] = {}
    _positional(function.own_parameters, call.arguments, nodes)
    names = {parameter.name for parameter in function.own_parameters}
    nodes.update({name: node for name, node in call.keywords if name in names})
    _by_keywords(function.own_parameters, call, names, nodes)
    _positional(function.function.template_parameters, call.template_arguments, nodes)
    return Arguments(slicer, nodes, frame, point, known)


def with_given(closure: Closure, call: e.Call) -> e.Call:
    """A call with as many arguments as it has with those that a closure has been given."""
    if not closure.given and not closure.named:
        return call
    before = (e.Opaque("given before"),) * len(closure.given)
    own = {key for key, _ in call.keywords}
    more = tuple((key, e.Opaque("given before")) for key in closure.named if key not in own)
    given, keywords = (*before, *call.arguments), (*call.keywords, *more)
    return e.Call(call.function, given, keywords, call.template_arguments, call.line)


def _by_keywords(
    parameters: tuple[Parameter, ...], call: e.Call, names: set[str], nodes: dict[str, _Node]
) -> None:
    spread = tuple(node for key, node in call.keywords if key == dictionaries.SPREAD)
    for parameter in parameters:
        if parameter.is_keywords:
            others = tuple(pair for pair in call.keywords if pair[0] not in names)
            nodes[parameter.name] = _Keywords(given=others)
        elif spread and not parameter.is_pack and parameter.name not in nodes:
            nodes[parameter.name] = _FromSpread(name=parameter.name, spread=spread)


def _positional(
    parameters: tuple[Parameter, ...], given: tuple[e.Expression, ...], nodes: dict[str, _Node]
) -> None:
    stars = [at for at, one in enumerate(given) if isinstance(one, e.Starred)]
    first = stars[0] if stars else len(given)
    for place, parameter in enumerate(parameters):
        if parameter.is_keywords:
            continue
        if parameter.is_pack:
            is_spread = place > first
            nodes[parameter.name] = (
                _Spread(given=given, place=place, is_pack=True) if is_spread else given[place:]
            )
            return
        if place < first:
            nodes[parameter.name] = _typed(given[place], parameter.type)
        elif stars:
            nodes[parameter.name] = _Spread(given=given, place=place, is_pack=False)


def _typed(node: e.Expression, type: str) -> e.Expression:
    """Braces as the parameter's type, which they make."""
    if not isinstance(node, e.Collection) or node.type or not type:
        return node
    return e.Collection(node.items, node.keywords, type)


def _with_context(function: IndexedFunction, call: e.Call) -> e.Call:
    """The call as ``forward`` of an autograd function sees it: ``apply`` puts a context first."""
    if function.function.name != "forward" or last_name(call.function) != "apply":
        return call
    given = (e.Opaque("ctx"), *call.arguments)
    return e.Call(call.function, given, call.keywords, call.template_arguments, call.line)


def accepts(function: IndexedFunction, call: e.Call) -> bool:
    """Whether a function can take as many arguments as a call gives."""
    call = _with_context(function, call)
    parameters = function.own_parameters
    count = len(call.arguments) + len(call.keywords)
    if any(isinstance(one, e.Starred) for one in call.arguments):
        return True
    if any(key == dictionaries.SPREAD for key, _ in call.keywords):
        return True
    packs = [one for one in parameters if one.is_pack or one.is_keywords]
    plain = [one for one in parameters if not one.is_pack and not one.is_keywords]
    required = [one for one in plain if one.default is None]
    if function.function.kind == "macro" and not packs:
        return count == len(plain)
    return len(required) <= count and (bool(packs) or count <= len(plain))
