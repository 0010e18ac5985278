"""Expressions of a kernel."""

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.source_axes.arithmetic import THREAD, operation, pinned_by_equality
from geoaudit.source_axes.arrays import LANE
from geoaudit.source_axes.intrinsics import CASTS, KNOWN_NUMBERS
from geoaudit.source_axes.machine import Condition, flat
from geoaudit.source_axes.places import Memory, Places
from geoaudit.source_axes.polynomials import axis, constant, opaque
from geoaudit.source_axes.syntax import child, first, named, text_of
from geoaudit.source_axes.values import (
    Binding,
    Pointer,
    Pointers,
    Struct,
    Value,
    combined,
    depending,
    merged,
    number,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_WARP_THREADS = 32
_VARIABLES = ("blockIdx", "blockDim", "gridDim")


class Expressions(Places):
    """Evaluates expressions; `calls` and `statements` build on it."""

    @abstractmethod
    def call(self, node: "Node") -> Binding:
        """The result of a call; `calls.Calls` has it."""

    def binding(self, node: "Node") -> Binding:
        """What an expression evaluates to.

        Raises:
            UnmodelledError: a kind of expression that is not followed.
        """
        rule = getattr(self, f"_{node.type}", None)
        if rule is None:
            raise self.machine.unmodelled(f"a {node.type.replace('_', ' ')}", node)
        found: Binding = rule(node)
        return found

    def _number_literal(self, node: "Node") -> Value:
        text = text_of(node).casefold().replace("'", "").rstrip("ulz")
        try:
            return number(int(text, 0))
        except ValueError:
            return Value(index=opaque(text))

    def _true(self, node: "Node") -> Value:
        return number(int(node.type == "true"))

    _false = _true

    def _sizeof_expression(self, node: "Node") -> Value:
        return Value(index=opaque(text_of(node)))

    def _char_literal(self, node: "Node") -> Value:
        return Value(index=opaque(text_of(node)))

    def _parenthesized_expression(self, node: "Node") -> Binding:
        return self.binding(first(node))

    def _identifier(self, node: "Node") -> Binding:
        name = text_of(node)
        place = self.named_place(name)
        if place is not None:
            return self.fetch(place, node)
        return self._global(name, node)

    def _global(self, name: str, node: "Node") -> Value:
        unit = self.machine.unit
        if name in unit.macros:
            try:
                return number(int(unit.macros[name], 0))
            except ValueError as error:
                raise self.machine.unmodelled(f"the macro {name}", node) from error
        if name in unit.ambiguous or name in KNOWN_NUMBERS or name == "warpSize":
            return number(_WARP_THREADS) if name == "warpSize" else Value(index=opaque(name))
        if name in unit.constants:
            return self.value(unit.constants[name])
        raise self.machine.unmodelled(f"{name}, which is not defined here", node)

    def _subscript_expression(self, node: "Node") -> Binding:
        return self.fetch(self._subscripted(node), node)

    def _pointer_expression(self, node: "Node") -> Binding:
        if text_of(node).startswith("*"):
            return self.fetch(self.place(node), node)
        place = self.place(child(node, "argument"))
        if not isinstance(place, Memory):
            raise self.machine.unmodelled("an address of a variable", node)
        return self._moved(place.pointers, place.at, "+", node)

    def _field_expression(self, node: "Node") -> Binding:
        argument, member = child(node, "argument"), text_of(child(node, "field"))
        name = text_of(argument)
        if name in self.machine.unit.macros:
            raise self.machine.unmodelled(f"the macro {name}", node)
        if name == "threadIdx":
            return self._thread_index(member, node)
        if name in _VARIABLES:
            return Value(index=opaque(f"{name}.{member}"))
        if "->" in text_of(node):
            raise self.machine.unmodelled(f"a member {text_of(node)[:40]!r}", node)
        found = self.binding(argument)
        if isinstance(found, Struct):
            return found.members.get(member, found.rest)
        return flat(found, self.machine, node)

    def _thread_index(self, member: str, node: "Node") -> Value:
        if member not in ("x", "y", "z"):
            raise self.machine.unmodelled(f"threadIdx.{member}", node)
        if member != "x":
            return Value(index=axis(f"threadIdx.{member}"))
        is_one_warp = (self.machine.block_x or _WARP_THREADS + 1) <= _WARP_THREADS
        return Value(index=axis(LANE) if is_one_warp else THREAD)

    def _unary_expression(self, node: "Node") -> Value:
        argument = self.value(child(node, "argument"))
        operator = text_of(node)[0]
        if operator == "-":
            return replace(argument, index=argument.index.times(constant(-1)))
        if operator == "+":
            return argument
        return combined(f"{operator}({argument.index})", [argument])

    def _binary_expression(self, node: "Node") -> Binding:
        left, right = self.binding(child(node, "left")), self.binding(child(node, "right"))
        operator = text_of(child(node, "operator"))
        if isinstance(left, tuple) and not isinstance(right, tuple):
            return self._moved(left, flat(right, self.machine, node), operator, node)
        if isinstance(right, tuple) and operator == "+":
            return self._moved(right, flat(left, self.machine, node), operator, node)
        a, b = flat(left, self.machine, node), flat(right, self.machine, node)
        return operation(operator, a, b, self.machine.site(node))

    def _moved(self, pointers: Pointers, by: Value, operator: str, node: "Node") -> Pointers:
        if operator not in ("+", "-"):
            raise self.machine.unmodelled(f"a pointer under {operator}", node)
        site = self.machine.site(node)
        return tuple(
            replace(one, offset=operation(operator, one.offset, by, site)) for one in pointers
        )

    def _conditional_expression(self, node: "Node") -> Binding:
        condition = self.value(child(node, "condition"))
        sides = []
        for part, truth in (("consequence", True), ("alternative", False)):
            with self.machine.under(self.condition(child(node, "condition"), truth=truth)):
                sides.append(self.binding(child(node, part)))
        one, other = sides
        if isinstance(one, tuple) and isinstance(other, tuple):
            return tuple(
                replace(side, offset=depending(side.offset, [condition]))
                for side in dict.fromkeys((*one, *other))
            )
        values = [flat(side, self.machine, node) for side in sides]
        return merged(self.machine.site(node), values, condition)

    def condition(self, node: "Node", *, truth: bool) -> Condition:
        """What holds where a condition does, or does not."""
        value = self.value(node)
        side = None if value.index.axes else (self.machine.site(node), truth)
        return Condition(value=value, pinned=self._pinned(node, truth=truth), side=side)

    def _pinned(self, node: "Node", *, truth: bool) -> frozenset[str]:
        if node.type == "parenthesized_expression":
            return self._pinned(first(node), truth=truth)
        if node.type == "unary_expression" and text_of(node).startswith("!"):
            argument = self.value(child(node, "argument"))
            return pinned_by_equality(argument.index, constant(0)) if truth else frozenset()
        if node.type != "binary_expression":
            return frozenset()
        left, right = child(node, "left"), child(node, "right")
        operator = text_of(child(node, "operator"))
        if operator == ("&&" if truth else "||"):
            return self._pinned(left, truth=truth) | self._pinned(right, truth=truth)
        if operator == ("==" if truth else "!="):
            return pinned_by_equality(self.value(left).index, self.value(right).index)
        return frozenset()

    def _cast_expression(self, node: "Node") -> Binding:
        return self.cast(text_of(child(node, "type")), self.binding(child(node, "value")), node)

    def cast(self, to: str, what: Binding, node: "Node") -> Binding:
        """A value as another type; a pointer's offset as it counts in the other type."""
        if "*" not in to:
            if isinstance(what, tuple):
                index = opaque(self.machine.site(node), what[0].offset.index.axes)
                return Value(index=index)
            return flat(what, self.machine, node)
        if not isinstance(what, tuple):
            raise self.machine.unmodelled("a number made a pointer", node)
        unit = " ".join(to.replace("const", "").replace("*", "").split())
        return tuple(_in_unit(one, unit) for one in what)

    def _assignment_expression(self, node: "Node") -> Binding:
        operator = text_of(child(node, "operator"))
        place = self.place(child(node, "left"))
        new = self.binding(child(node, "right"))
        if operator != "=":
            old = self.fetch(place, node)
            if isinstance(old, tuple):
                by = flat(new, self.machine, node)
                new = self._moved(old, by, operator[:-1], node)
            else:
                values = flat(old, self.machine, node), flat(new, self.machine, node)
                new = operation(operator[:-1], *values, self.machine.site(node))
        self.put(place, new, node)
        return new

    def _update_expression(self, node: "Node") -> Binding:
        place = self.place(child(node, "argument"))
        old = flat(self.fetch(place, node), self.machine, node)
        sign = "+" if "++" in text_of(node) else "-"
        self.put(place, operation(sign, old, number(1), self.machine.site(node)), node)
        return Value(index=opaque(self.machine.site(node), old.index.axes), sources=old.sources)

    def _initializer_list(self, node: "Node") -> Value:
        parts = [self.value(one) for one in named(node)]
        return merged(self.machine.site(node), parts) if parts else number(0)

    def _compound_literal_expression(self, node: "Node") -> Binding:
        return self.binding(child(node, "value"))

    def _call_expression(self, node: "Node") -> Binding:
        function = child(node, "function")
        name = text_of(function.child_by_field_name("name") or function)
        if name in CASTS:
            to = text_of(child(function, "arguments")).strip("<>")
            return self.cast(to, self.binding(first(child(node, "arguments"))), node)
        return self.call(node)


def _in_unit(pointer: Pointer, unit: str) -> Pointer:
    offset = pointer.offset
    if offset.index.terms and unit != pointer.unit:
        ratio = opaque(f"<{pointer.unit}/{unit}>")
        offset = replace(offset, index=offset.index.times(ratio))
    return replace(pointer, unit=unit, offset=offset)
