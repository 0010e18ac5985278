"""Local declarations of C++ as assignments."""

from collections.abc import Iterator
from contextlib import contextmanager

from tree_sitter import Node

from geoaudit.shardcheck.c_family.calls import Calls
from geoaudit.shardcheck.c_family.literals import FLOAT_TYPES, INTEGER_TYPES, plain_type
from geoaudit.shardcheck.c_family.syntax import Parsed, parse
from geoaudit.shardcheck.program.expressions import Collection, Expression, Opaque
from geoaudit.shardcheck.program.statements import Assign, Statement

_HOLDS_ONE = INTEGER_TYPES | FLOAT_TYPES | {"auto"}
_CALL = b"void f(){f"


class Declarations(Calls):
    """Adds declarations to calls."""

    def declared_type(self, node: Node) -> str:
        """The type of a declaration, parameter or field, as in `Cast`."""
        type_node = node.child_by_field_name("type")
        if type_node is None:
            return ""
        if type_node.type.endswith("_specifier") and type_node.child_by_field_name("body"):
            name = type_node.child_by_field_name("name")
            return self.parsed.text(name) if name else ""
        return plain_type(self.parsed.text(type_node))

    def is_constant(self, node: Node) -> bool:
        """Whether a declaration has ``const`` or ``constexpr`` before its type."""
        for child in node.children:
            if child.type == "type_qualifier" and self.parsed.text(child) in {"const", "constexpr"}:
                return True
        return False

    def declaration(self, node: Node) -> list[Statement]:
        """Assignments of a declaration; without a value where it gives none."""
        kind = self.declared_type(node)
        constant = self.is_constant(node)
        statements: list[Statement] = []
        for declarator in node.children_by_field_name("declarator"):
            statements += self._declared(declarator, kind, constant)
        return statements

    def _declared(self, node: Node, kind: str, constant: bool) -> list[Statement]:
        value_node = None
        if node.type == "init_declarator":
            value_node = node.child_by_field_name("value")
            declarator = node.child_by_field_name("declarator")
        else:
            declarator = node
        if declarator is None:
            return []
        line = self.parsed.line(node)
        target, suffix = self.declared_target(declarator)
        if target is None:
            return []
        value = self.initial(value_node, kind + suffix) if value_node else None
        if value is None and suffix == "()":
            is_made, value = self._constructed_by_parameters(declarator, kind)
            if not is_made:
                return []
            suffix = ""
        if declarator.type == "reference_declarator" and not constant:
            suffix += "&"
        return [Assign(target, value, line, "", kind + suffix, constant)]

    def declared_target(self, node: Node) -> tuple[Expression | None, str]:
        """What a declarator declares, and what it adds to the type: ``*``, ``[]``, ``()``."""
        suffix = ""
        current: Node | None = node
        while current is not None:
            match current.type:
                case "identifier" | "field_identifier" | "qualified_identifier" | "type_identifier":
                    return self.expression(current), suffix
                case "structured_binding_declarator":
                    names = [self.expression(child) for child in current.named_children]
                    return Collection(tuple(names)), suffix
                case "pointer_declarator":
                    suffix += "*"
                case "array_declarator":
                    suffix += "[]"
                case "function_declarator":
                    suffix += "()"
            inner = current.child_by_field_name("declarator")
            if inner is None and current.type not in {"array_declarator", "function_declarator"}:
                named = [c for c in current.named_children if not c.type.startswith(_ASIDE)]
                inner = named[-1] if named else None
            current = inner
        return None, suffix

    def initial(self, node: Node, kind: str) -> Expression:
        """The value that a declaration of a type gives, in brackets, braces or after ``=``."""
        if node.type == "argument_list":
            return made(kind, Collection(self.values(node)))
        value = self.expression(node)
        if node.type == "initializer_list" and isinstance(value, Collection):
            return made(kind, value)
        return value

    def _constructed_by_parameters(self, node: Node, kind: str) -> tuple[bool, Expression | None]:
        """``dim3 grid(a, b)``, which reads like the prototype of a function."""
        while node.type != "function_declarator":
            inner = node.child_by_field_name("declarator")
            if inner is None:
                return False, None
            node = inner
        parameters = node.child_by_field_name("parameters")
        declarator = node.child_by_field_name("declarator")
        if parameters is None or declarator is None or declarator.type != "identifier":
            return False, None
        if not parameters.named_child_count:
            return True, None
        if any(map(self._is_parameter, parameters.named_children)):
            return False, None
        return True, made(kind, Collection(self._arguments_again(parameters)))

    def _is_parameter(self, node: Node) -> bool:
        """Whether it can only be a parameter: ``int n``, not ``n`` and not ``n * m``."""
        if node.type == "comment":
            return False
        declarator = node.child_by_field_name("declarator")
        if declarator is None:
            return False
        return declarator.type == "identifier" or self.declared_type(node) in _HOLDS_ONE

    def _arguments_again(self, parameters: Node) -> tuple[Expression, ...]:
        text = self.parsed.data[parameters.start_byte : parameters.end_byte]
        parsed = parse(
            _CALL + text + b";}",
            first_line=self.parsed.line(parameters),
            first_byte=self.parsed.offset(parameters) - len(_CALL),
        )
        pending = [parsed.root]
        while pending:
            node = pending.pop()
            if node.type == "argument_list":
                with self.reading(parsed):
                    return self.values(node)
            pending += reversed(node.named_children)
        return (Opaque(text.decode("utf-8", "replace")[:80]),)

    @contextmanager
    def reading(self, parsed: Parsed) -> Iterator[None]:
        """Reads another text for a while."""
        before, self.parsed = self.parsed, parsed
        try:
            yield
        finally:
            self.parsed = before


_ASIDE = ("comment", "type_qualifier", "attribute", "ms_")


def made(kind: str, values: Collection) -> Expression:
    """A value of a type made of values in brackets or braces; of a number, the value itself."""
    if kind in _HOLDS_ONE and len(values.items) == 1 and not values.keywords:
        return values.items[0]
    return Collection(values.items, values.keywords, values.type or kind)
