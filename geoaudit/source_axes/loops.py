"""Loops: their headers as axes, and what their iterations pass on to each other."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from geoaudit.source_axes.machine import Loop
from geoaudit.source_axes.polynomials import Polynomial, axis, constant, opaque
from geoaudit.source_axes.syntax import child, declared_name, text_of
from geoaudit.source_axes.values import (
    Array,
    Binding,
    Source,
    Sources,
    UnmodelledError,
    Value,
    Write,
    depending,
    found_in,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from geoaudit.source_axes.expressions import Expressions


@dataclass(frozen=True, kw_only=True)
class Header:
    """The head of a loop.

    Attributes:
        loop: the axis it is.
        key: of its variable.
        value: of its variable in an iteration.
        bound: what the variable is compared with.
    """

    loop: Loop
    key: str
    value: Value
    bound: Value


def read_header(expressions: "Expressions", node: "Node") -> Header:
    """The head of a `for` statement, its variable declared.

    Raises:
        UnmodelledError: not one variable that moves by steps up to a bound.
    """
    machine = expressions.machine
    parts = [node.child_by_field_name(one) for one in ("initializer", "condition", "update")]
    declaration, condition, update = parts
    if declaration is None or condition is None or update is None:
        raise machine.unmodelled("a loop without a plain head", node)
    declarators = declaration.children_by_field_name("declarator")
    if declaration.type != "declaration" or len(declarators) != 1:
        raise machine.unmodelled("a loop without a variable of its own", node)
    name = declared_name(declarators[0])
    first = expressions.value(child(declarators[0], "value"))
    key = f"{machine.site(node)}:{name}"
    machine.frame.names[name] = key
    machine.state[key] = first
    step = _step(expressions, update, name)
    bound, comparison = _bound(expressions, condition, name)
    moved = f"{step.index}" if step else f"{machine.site(node)}"
    label = f"loop({first.index};{comparison}{bound.index};{moved})"
    while label in machine.loops:
        label += "'"
    loop = Loop(
        axis=label,
        variable=name,
        line=machine.line(node),
        bound=str(bound.index),
        first=first.index,
    )
    machine.seen.setdefault(label, loop)
    index = first.index.plus(axis(label).times(step.index)) if step else None
    moving = opaque(f"{key}*", {label, *first.index.axes})
    value = replace(first, index=index if index is not None else moving)
    value = depending(value, [step] if step else [])
    return Header(loop=loop, key=key, value=value, bound=bound)


def _step(expressions: "Expressions", update: "Node", name: str) -> Value | None:
    """How far the variable moves; None: not by addition."""
    if update.type == "update_expression" and text_of(child(update, "argument")) == name:
        return Value(index=constant(1 if "++" in text_of(update) else -1))
    if update.type == "assignment_expression" and text_of(child(update, "left")) == name:
        operator = text_of(child(update, "operator"))
        by = expressions.value(child(update, "right"))
        if operator in ("+=", "-="):
            sign = constant(1 if operator == "+=" else -1)
            return replace(by, index=by.index.times(sign))
        if operator in ("/=", "*=", ">>=", "<<="):
            return None
    raise expressions.machine.unmodelled("a loop that moves otherwise than by steps", update)


def _bound(expressions: "Expressions", condition: "Node", name: str) -> tuple[Value, str]:
    if condition.type == "binary_expression":
        operator = text_of(child(condition, "operator"))
        left, right = child(condition, "left"), child(condition, "right")
        if operator in ("<", "<=", ">", ">=", "!=") and text_of(left) == name:
            return expressions.value(right), operator
    raise expressions.machine.unmodelled("a loop whose end is not a bound", condition)


class Repetition:
    """What the iterations of one loop pass on to each other.

    Attributes:
        axis: the loop.
        line: where it stands.
        base: the state before it.
    """

    def __init__(self, axis: str, line: int, base: dict[str, Binding]) -> None:
        self.axis = axis
        self.line = line
        self.base = base

    def entered(self, result: dict[str, Binding]) -> dict[str, Binding]:
        """The state at the start of any iteration, after one that ended in `result`."""
        entry = dict(self.base)
        for key, after in result.items():
            before = found_in(self.base, key)
            if isinstance(after, Array):
                if before is not None or after.is_shared:
                    writes = before.writes if isinstance(before, Array) else frozenset()
                    entry[key] = replace(after, writes=writes | after.writes)
            elif before is not None and before != after:
                entry[key] = self._entering(key, before, after)
        return entry

    def _entering(self, key: str, before: Binding, after: Binding) -> Value:
        if not (isinstance(before, Value) and isinstance(after, Value)):
            raise UnmodelledError("a pointer that a loop moves", self.line)
        passed = self._chained if self._is_chain(after) else self._lost
        axes = before.index.axes | after.index.axes | {self.axis}
        return Value(
            index=opaque(f"{key}~{self.axis}", axes),
            sources=before.sources | frozenset(map(passed, after.sources)),
            carried=before.carried | after.carried | {(self.axis, key)},
        )

    def left(self, result: dict[str, Binding]) -> dict[str, Binding]:
        """The state after the loop."""
        state = dict(self.base)
        for key, after in result.items():
            before = found_in(self.base, key)
            if isinstance(after, Array):
                if before is not None or after.is_shared:
                    writes = frozenset(map(self._left_write, after.writes))
                    older = before.writes if isinstance(before, Array) else frozenset()
                    state[key] = replace(after, writes=writes | older)
            elif before is not None and before != after:
                state[key] = self._leaving(key, before, after)
        return state

    def _leaving(self, key: str, before: Binding, after: Binding) -> Value:
        if not (isinstance(before, Value) and isinstance(after, Value)):
            raise UnmodelledError("a pointer that a loop moves", self.line)
        left = self._left_sources(after.sources, is_chain=self._is_chain(after))
        axes = (before.index.axes | after.index.axes) - {self.axis}
        carried = frozenset(one for one in after.carried if one[0] != self.axis)
        return Value(
            index=opaque(f"{key}!{self.axis}", axes),
            sources=before.sources | left,
            carried=before.carried | carried,
        )

    def _left_write(self, write: Write) -> Write:
        """A write is one of every iteration where its place goes with them."""
        value = write.value
        sources = frozenset(map(self._joined, value.sources))
        if not any(self.axis in one.axes for one in write.place):
            sources = frozenset(map(self._lost, sources))
        carried = frozenset(one for one in value.carried if one[0] != self.axis)
        return replace(write, value=replace(value, sources=sources, carried=carried))

    def _left_sources(self, sources: Sources, *, is_chain: bool) -> Sources:
        if not is_chain:
            return frozenset(self._lost(self._joined(one)) for one in sources)
        return frozenset(self._joined(self._chained(one)) for one in sources)

    def _is_chain(self, value: Value) -> bool:
        return any(one == self.axis for one, _ in value.carried)

    def _chained(self, source: Source) -> Source:
        return replace(source, chained=source.chained | {self.axis})

    def _joined(self, source: Source) -> Source:
        if self.axis not in source.chained:
            return source
        running = source.chained - {self.axis}
        return replace(source, chained=running).combining({self.axis})

    def _lost(self, source: Source) -> Source:
        """Of one iteration, the last or the one before: which is not followed."""
        targets = {word for _, to in source.moved for word in to.split()}
        if self.axis not in source.index.axes | targets or self.axis in source.combined:
            return source
        return replace(source, lost=source.lost | {self.axis})


def same_range(one: Loop, index: Polynomial, other: Loop, other_index: Polynomial) -> bool:
    """Whether two loops of a block's threads run over the same elements, each with its own step."""
    return (
        one.bound == other.bound
        and one.first == other.first
        and index.without(one.axis) == other_index.without(other.axis)
    )
