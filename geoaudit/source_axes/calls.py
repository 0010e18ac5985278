"""Calls: CUDA's own functions, and those of the source, which are followed into."""

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.source_axes.arrays import LANE, WARP
from geoaudit.source_axes.expressions import Expressions
from geoaudit.source_axes.intrinsics import (
    LOADS,
    SHUFFLES,
    SILENT,
    STORES,
    block_result,
    is_formula,
    is_mathematics,
    warp_result,
)
from geoaudit.source_axes.machine import MOST_CALLS, Frame, flat
from geoaudit.source_axes.polynomials import opaque
from geoaudit.source_axes.syntax import child, declared_name, named, text_of
from geoaudit.source_axes.values import (
    Array,
    Binding,
    Source,
    Value,
    combined,
    depending,
    found_in,
    merged,
    number,
)

if TYPE_CHECKING:
    from tree_sitter import Node


class Calls(Expressions):
    """Expressions with calls in them."""

    @abstractmethod
    def run(self, body: "Node") -> None:
        """Executes a function's body; `statements.Statements` has it."""

    def call(self, node: "Node") -> Binding:
        """The result of a call.

        Raises:
            UnmodelledError: a function that is not known, or is not followed.
        """
        function = child(node, "function")
        name = text_of(function.child_by_field_name("name") or function)
        arguments = named(child(node, "arguments"))
        if name in self.machine.unit.macros:
            raise self.machine.unmodelled(f"the macro {name}", node)
        if name in self.machine.unit.functions:
            return self._own_function(name, arguments, node)
        if name in SILENT:
            self.machine.has_barrier_in_loop |= bool(self.machine.loops)
            return number(0)
        if len(arguments) < (1 if name in LOADS else 2 if name in STORES else 0):
            raise self.machine.unmodelled(f"a call of {name} with too few arguments", node)
        if name in LOADS:
            return self.machine.load(self.pointers(arguments[0]), number(0), node)
        if name in STORES:
            stored = self.value(arguments[1])
            self.machine.store(self.pointers(arguments[0]), number(0), stored, node)
            return number(0)
        return self._own_arithmetic(name, arguments, node)

    def _own_arithmetic(self, name: str, arguments: list["Node"], node: "Node") -> Value:
        site = self.machine.site(node)
        if name in SHUFFLES and len(arguments) > 2:
            self.machine.has_shuffle = True
            at = self.value(arguments[2])
            given = self.value(arguments[1])
            moved = given.mapped(_shuffled)
            axes = given.index.axes | at.index.axes | {LANE}
            return replace(depending(moved, [at]), index=opaque(site, axes))
        if warp_result(name) or block_result(name):
            self.machine.has_shuffle = True
            among = {LANE} if warp_result(name) else {LANE, WARP}
            whole = combined(site, [self.value(one) for one in arguments])
            return whole.mapped(lambda one: one.combining(among & one.index.axes))
        if not is_mathematics(name):
            raise self.machine.unmodelled(f"a call of {name}, which is not defined here", node)
        values = [self.value(one) for one in arguments]
        if len(values) == 1 and name in ("int", "unsigned", "size_t", "long"):
            return values[0]
        words = f"{name}({','.join(str(one.index) for one in values)})"
        return combined(words if len(words) < 200 else site, values)

    def _own_function(self, name: str, arguments: list["Node"], node: "Node") -> Binding:
        machine = self.machine
        candidates = [
            one for one in machine.unit.functions[name] if len(_parameters(one)) == len(arguments)
        ]
        if len(candidates) > 1 and is_formula(name, [text_of(one) for one in candidates]):
            return combined(machine.site(node), [self.value(one) for one in arguments])
        if len(candidates) != 1:
            raise machine.unmodelled(f"a call of {name}: which of its overloads", node)
        if len(machine.frames) > MOST_CALLS:
            raise machine.unmodelled(f"calls nested deeper than {MOST_CALLS}", node)
        if candidates[0].has_error:
            raise machine.unmodelled(f"a call of {name}, which does not parse", node)
        if "__global__" in text_of(candidates[0]).partition("{")[0]:
            raise machine.unmodelled("a launch from the device", node)
        return self._followed(name, candidates[0], arguments, node)

    def _followed(
        self, name: str, function: "Node", arguments: list["Node"], node: "Node"
    ) -> Binding:
        machine = self.machine
        frame = Frame(
            function=f"{name}@{node.start_byte}",
            names={},
            loops=len(machine.loops),
        )
        for parameter, argument in zip(_parameters(function), arguments, strict=True):
            self._bind(frame, parameter, argument)
        outside = machine.outside_line
        if name not in machine.unit.own and outside is None:
            machine.outside_line = machine.line(node)
        machine.frames.append(frame)
        self.run(child(function, "body"))
        results = frame.results
        machine.frames.pop()
        machine.outside_line = outside
        return self._joined(frame, results, node)

    def _bind(self, frame: Frame, parameter: "Node", argument: "Node") -> None:
        name = declared_name(parameter.child_by_field_name("declarator"))
        path = "/".join(one.function for one in self.machine.frames)
        key = f"{path}/{frame.function}:{name}"
        frame.names[name] = key
        text = text_of(parameter)
        self.aliases.pop(key, None)
        is_changeable = "&" in text and ("const" not in text or "[" in text)
        if is_changeable:
            self.aliases[key] = self.place(argument)
        else:
            self.put_variable(key, self.binding(argument))

    def _joined(
        self,
        frame: Frame,
        results: list[tuple[Binding | None, dict[str, Binding]]],
        node: "Node",
    ) -> Binding:
        """What a call returned, whichever of its returns was taken, and the state behind it."""
        machine = self.machine
        conditions = [one.value for one in frame.passed]
        first, *others = [state for _, state in results]
        machine.state = first
        for other in others:
            machine.state = self.merged_state(machine.state, other, conditions, node)
        returned = [result for result, _ in results if result is not None]
        if not returned:
            return number(0)
        if len(returned) == 1:
            return returned[0]
        values = [flat(one, machine, node) for one in returned]
        return depending(merged(machine.site(node), values), conditions)

    def merged_state(
        self,
        one: dict[str, Binding],
        other: dict[str, Binding],
        conditions: list[Value],
        node: "Node",
    ) -> dict[str, Binding]:
        """The state where two paths meet."""
        result = dict(one)
        for key in dict.fromkeys((*one, *other)):
            a, b = found_in(one, key), found_in(other, key)
            if a is None or b is None or isinstance(a, Array) != isinstance(b, Array):
                found = next(part for part in (a, b) if part is not None)
                result[key] = b if isinstance(b, Array) and a is not None else found
            elif a != b:
                result[key] = self._either(a, b, conditions, node, key)
        return result

    def _either(
        self, a: Binding, b: Binding, conditions: list[Value], node: "Node", key: str
    ) -> Binding:
        if isinstance(a, Array) and isinstance(b, Array):
            return replace(a, writes=a.writes | b.writes)
        if isinstance(a, tuple) and isinstance(b, tuple):
            both = dict.fromkeys((*a, *b))
            return tuple(replace(one, offset=depending(one.offset, conditions)) for one in both)
        if isinstance(a, Value) and isinstance(b, Value):
            name = f"{self.machine.site(node)}:{key}"
            axes = frozenset().union(*(one.index.axes for one in (a, b, *conditions)))
            found = depending(merged(name, [a, b]), conditions)
            found = replace(found, carried=found.carried - _only_kept(key, a, b, conditions))
            return found if a.index == b.index else replace(found, index=opaque(name, axes))
        raise self.machine.unmodelled("a variable that is a pointer on one path", node)


def _parameters(function: "Node") -> list["Node"]:
    declarator: Node | None = child(function, "declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    listed = declarator.child_by_field_name("parameters") if declarator else None
    return [one for one in named(listed) if one.type == "parameter_declaration"] if listed else []


def _only_kept(key: str, a: Value, b: Value, conditions: list[Value]) -> frozenset[tuple[str, str]]:
    """Of a variable that one path leaves as it was: that is no accumulation."""
    decided = frozenset().union(*(one.carried for one in conditions))
    return frozenset(one for one in a.carried ^ b.carried if one[1] == key and one not in decided)


def _shuffled(source: Source) -> Source:
    if LANE not in source.index.axes or LANE in source.combined:
        return source
    return replace(source, moved=source.moved | {(LANE, "[shuffle]")})
