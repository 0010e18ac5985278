"""Places that a kernel's expressions name: variables, elements of arrays, memory."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from geoaudit.source_axes.machine import Machine, flat
from geoaudit.source_axes.polynomials import Polynomial, opaque
from geoaudit.source_axes.syntax import child, first, named, text_of
from geoaudit.source_axes.values import (
    Array,
    Binding,
    Pointer,
    Pointers,
    Struct,
    Value,
    depending,
    found_in,
    number,
)

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A variable, or a member of one.

    Attributes:
        key: in the state.
    """

    key: str


@dataclass(frozen=True, kw_only=True)
class Element:
    """An element of an array of the kernel."""

    key: str
    place: tuple[Polynomial, ...]
    at: tuple[Value, ...]


@dataclass(frozen=True, kw_only=True)
class Memory:
    """An element behind pointers."""

    pointers: Pointers
    at: Value


Place: TypeAlias = Variable | Element | Memory


class Places(ABC):
    """Finds places, and what lies there.

    Attributes:
        machine: what it changes.
        aliases: keys of reference variables -> what they stand for.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.aliases: dict[str, Place] = {}

    @abstractmethod
    def binding(self, node: "Node") -> Binding:
        """What an expression evaluates to; `expressions.Expressions` has it."""

    def value(self, node: "Node") -> Value:
        """An expression as one value."""
        return flat(self.binding(node), self.machine, node)

    def pointers(self, node: "Node") -> Pointers:
        """An expression as pointers.

        Raises:
            UnmodelledError: it is none.
        """
        found = self.binding(node)
        if not isinstance(found, tuple):
            raise self.machine.unmodelled(f"a pointer from {text_of(node)[:40]!r}", node)
        return found

    def named_place(self, name: str) -> Place | None:
        """Where a variable lies; None: there is none of the name."""
        if name in self.machine.unit.macros:
            return None
        key = self.machine.frame.names.get(name)
        return None if key is None else self.aliases.get(key, Variable(key=key))

    def fetch(self, place: Place, node: "Node") -> Binding:
        """What lies there."""
        if isinstance(place, Memory):
            return self.machine.load(place.pointers, place.at, node)
        if isinstance(place, Element):
            return depending(self.machine.read(place.key, place.place, node), place.at)
        state, key = self.machine.state, place.key
        found = found_in(state, key)
        members = {one[len(key) + 1 :]: state[one] for one in state if one.startswith(f"{key}.")}
        if members:
            rest = found if isinstance(found, Value) else Value(index=opaque(key))
            return Struct(rest=rest, members=members)
        if isinstance(found, Array):
            zero = number(0)
            return (Pointer(base=key, offset=zero, unit="", is_array=True),)
        if found is None:
            raise self.machine.unmodelled(f"{text_of(node)[:40]!r} before it has a value", node)
        return found

    def put(self, place: Place, new: Binding, node: "Node") -> None:
        """Stores a value there."""
        machine = self.machine
        if isinstance(place, Memory):
            machine.store(place.pointers, place.at, flat(new, machine, node), node)
        elif isinstance(place, Element):
            stored = depending(flat(new, machine, node), place.at)
            machine.write(place.key, place.place, stored)
        else:
            self.put_variable(place.key, new)

    def put_variable(self, key: str, new: Binding) -> None:
        """Gives a variable a value, members and all."""
        state = self.machine.state
        rest = new.rest if isinstance(new, Struct) else new
        for one in state:
            if one.startswith(f"{key}."):
                state[one] = rest
        state[key] = rest
        if isinstance(new, Struct):
            for name, member in new.members.items():
                self.put_variable(f"{key}.{name}", member)

    def place(self, node: "Node") -> Place:
        """Where an expression that can be assigned to lies.

        Raises:
            UnmodelledError: a kind of place that is not followed.
        """
        if node.type == "parenthesized_expression":
            return self.place(first(node))
        if node.type == "identifier":
            found = self.named_place(text_of(node))
            if found is not None:
                return found
        if node.type == "subscript_expression":
            return self._subscripted(node)
        if node.type == "pointer_expression" and text_of(node).startswith("*"):
            return Memory(pointers=self.pointers(child(node, "argument")), at=number(0))
        if node.type == "field_expression":
            return self._member_place(node)
        raise self.machine.unmodelled(f"a store to {text_of(node)[:40]!r}", node)

    def _member_place(self, node: "Node") -> Place:
        inner = self.place(child(node, "argument"))
        if "->" in text_of(node) or not isinstance(inner, Variable):
            raise self.machine.unmodelled(f"a member {text_of(node)[:40]!r}", node)
        return Variable(key=f"{inner.key}.{text_of(child(node, 'field'))}")

    def _subscripted(self, node: "Node") -> Place:
        """An element; the subscripts of several dimensions belong together."""
        at: list[Value] = []
        while node.type == "subscript_expression":
            indices = named(child(node, "indices"))
            if len(indices) != 1:
                raise self.machine.unmodelled("a subscript of several indices", node)
            at.insert(0, self.value(indices[0]))
            node = child(node, "argument")
        key = self._array_key(node)
        if key is not None:
            place = (opaque(""), *(one.index for one in at))
            return Element(key=key, place=place, at=tuple(at))
        if len(at) > 1:
            raise self.machine.unmodelled("a pointer with two subscripts", node)
        return Memory(pointers=self.pointers(node), at=at[0])

    def _array_key(self, node: "Node") -> str | None:
        if node.type not in ("identifier", "field_expression"):
            return None
        if node.type == "identifier" and self.named_place(text_of(node)) is None:
            return None
        if node.type == "field_expression" and "->" in text_of(node):
            return None
        place = self.place(node)
        if not isinstance(place, Variable):
            return None
        found = self.machine.state.get(place.key)
        is_new_member = found is None and node.type == "field_expression"
        return place.key if isinstance(found, Array) or is_new_member else None
