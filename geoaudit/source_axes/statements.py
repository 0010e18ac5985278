"""Statements of a kernel."""

from dataclasses import replace
from typing import TYPE_CHECKING

from geoaudit.source_axes.calls import Calls
from geoaudit.source_axes.intrinsics import HARMLESS_ASSEMBLY
from geoaudit.source_axes.loops import Repetition, read_header
from geoaudit.source_axes.machine import Condition
from geoaudit.source_axes.places import Element
from geoaudit.source_axes.polynomials import constant, opaque
from geoaudit.source_axes.syntax import child, declared_name, first, named, text_of
from geoaudit.source_axes.values import Array, Binding, Struct, Value, number

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_PASSES = 6
_MOST_STATEMENTS = 50_000
_IGNORED = ("comment", "static_assert_declaration", "preproc_call", ";")


class Statements(Calls):
    """Executes statements. Each returns whether nothing behind it is reached."""

    def run(self, body: "Node") -> None:
        """A function's body, with its last return."""
        if not self.execute(body):
            self.machine.frame.results.append((None, dict(self.machine.state)))

    def execute(self, node: "Node") -> bool:
        """One statement.

        Raises:
            UnmodelledError: a kind of statement that is not followed.
        """
        if node.type in _IGNORED:
            return False
        self.machine.statements += 1
        if self.machine.statements > _MOST_STATEMENTS:
            raise self.machine.unmodelled("too many statements to follow", node)
        rule = getattr(self, f"_run_{node.type}", None)
        if rule is None:
            raise self.machine.unmodelled(f"a {node.type.replace('_', ' ')}", node)
        return bool(rule(node))

    def _run_compound_statement(self, node: "Node") -> bool:
        outer = dict(self.machine.frame.names)
        has_ended = False
        for one in named(node):
            has_ended = self.execute(one)
            if has_ended:
                break
        self.machine.frame.names = outer
        return has_ended

    def _run_expression_statement(self, node: "Node") -> bool:
        for one in named(node):
            if one.type == "gnu_asm_expression":
                self._assembly(one)
            else:
                self.binding(one)
        return False

    def _assembly(self, node: "Node") -> None:
        code = text_of(child(node, "assembly_code")).strip('"')
        if HARMLESS_ASSEMBLY.fullmatch(code) is None:
            raise self.machine.unmodelled("inline assembly", node)

    def _run_preproc_if(self, node: "Node") -> bool:
        """Of what is compiled on some architectures only, assembly without data is passed over."""
        condition = node.child_by_field_name("condition")
        body = [one for one in named(node) if one != condition]
        if any(one.type != "expression_statement" for one in body) or not all(
            part.type == "gnu_asm_expression" for one in body for part in named(one)
        ):
            raise self.machine.unmodelled("conditional compilation", node)
        return any(self.execute(one) for one in body)

    def _run_declaration(self, node: "Node") -> bool:
        head = text_of(node)
        kind = text_of(child(node, "type"))
        for declarator in node.children_by_field_name("declarator"):
            self._declare(declarator, kind, node, is_shared="__shared__" in head)
        return False

    def _declare(self, declarator: "Node", kind: str, node: "Node", *, is_shared: bool) -> None:
        machine = self.machine
        name = declared_name(declarator)
        initial = declarator.child_by_field_name("value")
        inner = declarator
        if declarator.type == "init_declarator":
            inner = child(declarator, "declarator")
        if inner.type == "function_declarator":
            raise machine.unmodelled("a declaration that reads like a function's", node)
        if "static" in text_of(node).split() and not is_shared:
            raise machine.unmodelled("a static variable", node)
        path = "/".join(one.function for one in machine.frames)
        owner = machine.frame.function.partition("@")[0] if is_shared else path
        key = f"{owner}:{name}@{declarator.start_byte}"
        machine.frame.names[name] = key
        self.aliases.pop(key, None)
        if inner.type == "array_declarator" or is_shared:
            self._declare_array(key, initial, is_shared=is_shared)
            if inner.type != "array_declarator":
                self.aliases[key] = Element(key=key, place=(opaque(""),), at=())
        elif inner.type == "reference_declarator" and initial is not None:
            self._declare_reference(key, initial, is_constant="const" in text_of(node).split())
        elif initial is not None:
            self.put_variable(key, self._initialised(kind, initial))
        else:
            for one in [one for one in machine.state if one.startswith(f"{key}.")]:
                del machine.state[one]
            machine.state[key] = Value(index=opaque(f"{key}?"))

    def _declare_array(self, key: str, initial: "Node | None", *, is_shared: bool) -> None:
        machine = self.machine
        if is_shared:
            machine.state.setdefault(key, Array(is_shared=True, loops=()))
            return
        machine.state[key] = Array(is_shared=False, loops=tuple(machine.loops))
        parts = named(initial) if initial is not None else []
        for number_, one in enumerate(parts):
            if one.type != "initializer_list":
                machine.write(key, (opaque(""), constant(number_)), self.value(one))
            elif any(named(one)):
                raise machine.unmodelled("an array of structures", one)

    def _declare_reference(self, key: str, initial: "Node", *, is_constant: bool) -> None:
        if is_constant:
            self.put_variable(key, self.binding(initial))
        else:
            self.aliases[key] = self.place(initial)

    def _initialised(self, kind: str, initial: "Node") -> Binding:
        members = self.machine.unit.structures.get(kind)
        parts = named(initial)
        if initial.type != "initializer_list" or members is None or len(parts) != len(members):
            return self.binding(initial)
        given = zip(members, parts, strict=True)
        return Struct(
            rest=number(0), members={member: self.binding(part) for member, part in given}
        )

    def _run_return_statement(self, node: "Node") -> bool:
        machine = self.machine
        frame = machine.frame
        if len(machine.loops) > frame.loops:
            raise machine.unmodelled("a return from within a loop", node)
        parts = named(node)
        result = self._returned(parts[0]) if parts else None
        frame.results.append((result, dict(machine.state)))
        return True

    def _returned(self, node: "Node") -> Binding:
        if node.type != "initializer_list":
            return self.binding(node)
        name = self.machine.frame.function.partition("@")[0]
        [function] = self.machine.unit.functions[name]
        return self._initialised(text_of(function.child_by_field_name("type")), node)

    def _run_if_statement(self, node: "Node") -> bool:
        machine = self.machine
        condition = child(child(node, "condition"), "value")
        before = dict(machine.state)
        sides = []
        otherwise = node.child_by_field_name("alternative")
        branches = (child(node, "consequence"), first(otherwise) if otherwise else None)
        for branch, truth in zip(branches, (True, False), strict=True):
            machine.state = dict(before)
            held = self.condition(condition, truth=truth)
            has_ended, has_returned = False, len(machine.frame.results)
            if branch is not None:
                with machine.under(held):
                    has_ended = self.execute(branch)
            returned = len(machine.frame.results) > has_returned
            sides.append((machine.state, held, has_ended, returned))
        return self._met(sides, node)

    def _met(
        self, sides: list[tuple[dict[str, Binding], Condition, bool, bool]], node: "Node"
    ) -> bool:
        """Where the branches of a condition meet, as far as they do not end."""
        machine = self.machine
        (first, held, first_ended, _), (second, other, second_ended, _) = sides
        if any(returned for *_, returned in sides):
            going = held if second_ended else other
            is_clear = first_ended or second_ended
            machine.frame.passed.append(going if is_clear else Condition(value=held.value))
        if first_ended or second_ended:
            machine.state = second if first_ended else first
            return first_ended and second_ended
        machine.state = self.merged_state(first, second, [held.value], node)
        return False

    def _run_for_statement(self, node: "Node") -> bool:
        machine = self.machine
        names = dict(machine.frame.names)
        header = read_header(self, node)
        base, accesses = dict(machine.state), len(machine.accesses)
        repetition = Repetition(header.loop.axis, machine.line(node), base)
        entry = dict(base)
        machine.loops.append(header.loop.axis)
        for _ in range(_MOST_PASSES):
            del machine.accesses[accesses:]
            machine.state = dict(entry)
            machine.state[header.key] = header.value
            with machine.under(Condition(value=replace(header.bound, index=constant(0)))):
                if self.execute(child(node, "body")):
                    raise machine.unmodelled("a loop that ends in its first iteration", node)
            self._check_variable(header.key, header.value, node)
            entry, previous = repetition.entered(machine.state), entry
            if entry == previous:
                break
        else:
            raise machine.unmodelled("a loop whose values do not settle", node)
        machine.loops.pop()
        machine.state = repetition.left(machine.state)
        machine.frame.names = names
        return False

    def _check_variable(self, key: str, value: Value, node: "Node") -> None:
        if self.machine.state.get(key) != value:
            raise self.machine.unmodelled("a loop that changes its own variable", node)
