"""Calls of C++, launches, lambdas, and macros that take a block of code."""

import re
from abc import abstractmethod

from tree_sitter import Node

from geoaudit.shardcheck.c_family.conversion import converts
from geoaudit.shardcheck.c_family.expressions import Expressions
from geoaudit.shardcheck.c_family.literals import FLOAT_TYPES, INTEGER_TYPES
from geoaudit.shardcheck.c_family.record import LAUNCH_CALLS
from geoaudit.shardcheck.c_family.returns import without_returns
from geoaudit.shardcheck.program.expressions import (
    Call,
    Cast,
    Collection,
    Expression,
    FunctionValue,
    Launch,
    Member,
    Name,
    Opaque,
    Starred,
)
from geoaudit.shardcheck.program.statements import Statement

_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "bit_cast"})
_SCALARS = INTEGER_TYPES | FLOAT_TYPES
_REST = Name("__VA_ARGS__")
_VECTORS = frozenset({"dim3"})
_MACRO = re.compile(r"_*[A-Z][A-Z0-9]+(?:_|$)")


def last_component(function: Expression) -> str:
    """Name of a function without what it belongs to; empty where it has none."""
    if isinstance(function, Name):
        return function.text.rpartition("::")[2]
    return function.name if isinstance(function, Member) else ""


class Calls(Expressions):
    """Adds calls and launches to expressions."""

    @abstractmethod
    def lambda_function(self, node: Node) -> int:
        """Reads a lambda and gives the index of its function."""

    @abstractmethod
    def block(self, node: Node) -> list[Statement]:
        """Statements of a body."""

    @converts("lambda_expression")
    def _lambda(self, node: Node) -> Expression:
        return FunctionValue(self.lambda_function(node))

    def callee(self, node: Node) -> tuple[Expression, tuple[Expression, ...]]:
        """A called expression and its template arguments."""
        match node.type:
            case "template_function":
                name, arguments = self.template(node)
                return name, arguments
            case "qualified_identifier":
                return self.qualified(node)
            case "field_expression":
                return self.member(node)
            case "parenthesized_expression" if node.named_child_count == 1:
                return self.callee(node.named_children[0])
            case _:
                return self.expression(node), ()

    @converts("call_expression")
    def _call(self, node: Node) -> Expression:
        children = node.children
        if len(children) > 2 and children[1].type == "kernel_call_syntax":
            return self._launch(node, children[1])
        inlined = self.inlined_block(node)
        if inlined:
            self.prelude += inlined
            return Opaque(self.parsed.text(children[0])[:80])
        function, templates = self.callee(children[0])
        arguments = self._arguments(node)
        return self._made(node, function, templates, arguments)

    def _made(
        self,
        node: Node,
        function: Expression,
        templates: tuple[Expression, ...],
        arguments: tuple[Expression, ...],
    ) -> Expression:
        name = last_component(function)
        if len(arguments) == 1 and name in _CASTS and templates:
            target = templates[0]
            return Cast(target.text if isinstance(target, Name) else "", arguments[0])
        if len(arguments) == 1 and name in _SCALARS and isinstance(function, Name):
            return Cast(name, arguments[0])
        if name in _VECTORS:
            return Collection(arguments, (), name)
        list_node = node.child_by_field_name("arguments") or node
        if name:
            self.calls.add(name)
            if name in LAUNCH_CALLS:
                self.record.launch_calls[self.parsed.offset(list_node)] = name
        return Call(function, arguments, (), templates, self.parsed.line(_named_at(node)))

    def _arguments(self, node: Node) -> tuple[Expression, ...]:
        arguments = node.child_by_field_name("arguments")
        if arguments is None:
            return ()
        if arguments.type == "initializer_list":
            value = self.expression(arguments)
            return value.items if isinstance(value, Collection) else (value,)
        return self.values(arguments)

    def values(self, node: Node) -> tuple[Expression, ...]:
        """Values of an argument list; statements among them come before the call."""
        values: list[Expression] = []
        for child in node.named_children:
            if child.type == "comment":
                continue
            statements = self.statements_of(child)
            if statements is None:
                value = self.expression(child)
                values.append(Starred(value) if value == _REST else value)
            else:
                self.prelude += statements
        return tuple(values)

    def _launch(self, node: Node, syntax: Node) -> Expression:
        kernel, _ = self.callee(node.children[0])
        configuration = self.values(syntax)
        arguments = self._arguments(node)
        offset = self.parsed.offset(syntax)
        if not configuration or offset in self.record.launches:
            return Opaque(self.parsed.text(node)[:80], (kernel, *configuration, *arguments))
        self.record.launches.add(offset)
        self.calls.add(last_component(kernel))
        block = configuration[1] if len(configuration) > 1 else None
        line = self.parsed.line(syntax)
        return Launch("chevron", kernel, configuration[0], block, arguments, (), line, offset)

    def inlined_block(self, node: Node) -> list[Statement]:
        """Statements of the lambdas that a macro runs, in place; none: an ordinary call."""
        called = node.children[0]
        arguments = node.child_by_field_name("arguments")
        if called.type != "identifier" or arguments is None:
            return []
        name = self.parsed.text(called)
        if not _MACRO.match(name) or not any(
            child.type == "lambda_expression" for child in arguments.named_children
        ):
            return []
        self.calls.add(name)
        return self._dispatched(arguments)

    def _dispatched(self, arguments: Node) -> list[Statement]:
        statements: list[Statement] = []
        for child in arguments.named_children:
            if child.type == "lambda_expression":
                statements += self.lambda_in_place(child)
            elif child.type == "call_expression":
                statements += self.effect(child)
        return statements

    def lambda_in_place(self, node: Node) -> list[Statement]:
        """The body of a lambda that is called where it stands: ``return`` leaves it alone."""
        body = node.child_by_field_name("body")
        return without_returns(self.block(body)) if body else []


def _named_at(node: Node) -> Node:
    """Where a call names what it calls; of a call of what a call returns, its arguments."""
    function = node.child_by_field_name("function")
    if function is None or function.type in {"call_expression", "parenthesized_expression"}:
        return node.child_by_field_name("arguments") or node
    return function.child_by_field_name("field") or function
