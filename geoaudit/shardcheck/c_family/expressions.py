"""Expressions of C++ into the form of `program.expressions`."""

from tree_sitter import Node

from geoaudit.shardcheck.c_family.conversion import Conversion, converts
from geoaudit.shardcheck.c_family.literals import SCALAR_BYTES, character, number, plain_type
from geoaudit.shardcheck.program.expressions import (
    Call,
    Cast,
    Choice,
    Collection,
    Expression,
    Member,
    Name,
    Number,
    Opaque,
    Operation,
    Starred,
    Subscript,
    Text,
)
from geoaudit.shardcheck.program.statements import Assign

LONGEST_INITIALISER = 1000
_WORDS = {"and": "&&", "or": "||", "not": "!", "compl": "~", "bitand": "&", "bitor": "|"}


class Expressions(Conversion):
    """Adds names, literals, operators and members."""

    @converts("identifier", "field_identifier", "type_identifier", "namespace_identifier", "this")
    def _name(self, node: Node) -> Expression:
        text = self.parsed.text(node)
        if text.startswith("$"):
            return Opaque("#" + text[1:], (Name(text[1:]),))
        return Name(text)

    @converts("primitive_type", "sized_type_specifier", "type_descriptor", "template_type")
    def _type(self, node: Node) -> Expression:
        return Name(plain_type(self.parsed.text(node)))

    @converts("number_literal")
    def _number(self, node: Node) -> Expression:
        return number(self.parsed.text(node))

    @converts("char_literal")
    def _character(self, node: Node) -> Expression:
        return character(self.parsed.text(node))

    @converts("true", "false")
    def _truth(self, node: Node) -> Expression:
        return Number(int(node.type == "true"))

    @converts("null")
    def _null(self, node: Node) -> Expression:
        return Name(self.parsed.text(node))

    @converts("string_literal", "raw_string_literal")
    def _string(self, node: Node) -> Expression:
        contents = [c for c in node.named_children if c.type.endswith(("content", "sequence"))]
        return Text("".join(map(self.parsed.text, contents)))

    @converts("concatenated_string")
    def _strings(self, node: Node) -> Expression:
        parts = [self.expression(child) for child in node.named_children]
        if all(isinstance(part, Text) for part in parts):
            return Text("".join(part.value for part in parts if isinstance(part, Text)))
        return Opaque(self.parsed.text(node)[:80], tuple(parts))

    @converts("parenthesized_expression", "condition_clause")
    def _parenthesized(self, node: Node) -> Expression:
        inside = [child for child in node.named_children if child.type != "comment"]
        return self.expression(inside[0]) if len(inside) == 1 else self.opaque(node)

    @converts("binary_expression")
    def _binary(self, node: Node) -> Expression:
        operator = node.child_by_field_name("operator")
        spelled = operator.type if operator else "?"
        return Operation(
            _WORDS.get(spelled, spelled), (self.field(node, "left"), self.field(node, "right"))
        )

    @converts("unary_expression")
    def _unary(self, node: Node) -> Expression:
        operator = node.child_by_field_name("operator")
        spelled = operator.type if operator else "+"
        operand = self.field(node, "argument")
        return operand if spelled == "+" else Operation(_WORDS.get(spelled, spelled), (operand,))

    @converts("pointer_expression")
    def _pointer(self, node: Node) -> Expression:
        operator = node.child_by_field_name("operator")
        operand = self.field(node, "argument")
        return Operation("&", (operand,)) if operator and operator.type == "&" else operand

    @converts("conditional_expression")
    def _choice(self, node: Node) -> Expression:
        condition = self.field(node, "condition")
        then = node.child_by_field_name("consequence")
        return Choice(
            condition,
            self.expression(then) if then else condition,
            self.field(node, "alternative"),
        )

    @converts("comma_expression")
    def _comma(self, node: Node) -> Expression:
        left = node.child_by_field_name("left")
        if left:
            self.prelude += self.effect(left)
        return self.field(node, "right")

    @converts("assignment_expression")
    def _assignment(self, node: Node) -> Expression:
        value = self.field(node, "right")
        target = _unpacked(self.field(node, "left"))
        operator = node.child_by_field_name("operator")
        spelled = operator.type[:-1] if operator else ""
        line = self.parsed.line(node)
        self.prelude.append(Assign(target, value, line, spelled))
        return target

    @converts("update_expression")
    def _update(self, node: Node) -> Expression:
        target = self.field(node, "argument")
        operator = node.child_by_field_name("operator")
        spelled = operator.type[0] if operator else "+"
        self.prelude.append(Assign(target, Number(1), self.parsed.line(node), spelled))
        is_prefix = operator is not None and operator.start_byte == node.start_byte
        return target if is_prefix else Opaque(self.parsed.text(node)[:80], (target,))

    @converts("cast_expression")
    def _cast(self, node: Node) -> Expression:
        type_node = node.child_by_field_name("type")
        name = plain_type(self.parsed.text(type_node)) if type_node else ""
        return Cast(name, self.field(node, "value"))

    @converts("compound_literal_expression")
    def _compound_literal(self, node: Node) -> Expression:
        type_node = node.child_by_field_name("type")
        name = plain_type(self.parsed.text(type_node)) if type_node else ""
        value = self.field(node, "value")
        if isinstance(value, Collection):
            return Collection(value.items, value.keywords, name)
        return value

    @converts("initializer_list")
    def _braces(self, node: Node) -> Expression:
        if node.named_child_count > LONGEST_INITIALISER:
            return Opaque(f"{node.named_child_count} elements")
        items: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        for child in node.named_children:
            if child.type == "initializer_pair":
                designator = self.parsed.text(child.children[0])
                value = self.field(child, "value")
                if designator.startswith("."):
                    keywords.append((designator[1:].strip(), value))
                else:
                    items.append(value)
            elif child.type != "comment":
                items.append(self.expression(child))
        return Collection(tuple(items), tuple(keywords))

    @converts("sizeof_expression")
    def _sizeof(self, node: Node) -> Expression:
        text = self.parsed.text(node)
        inside = text.removeprefix("sizeof").strip().removeprefix("(").removesuffix(")")
        name = plain_type(inside)
        size = 8 if name.endswith("*") else SCALAR_BYTES.get(name)
        return Opaque(text[:80]) if size is None else Number(size)

    @converts("subscript_expression")
    def _subscript(self, node: Node) -> Expression:
        value = self.field(node, "argument")
        indices = node.child_by_field_name("indices")
        inside = indices.named_children if indices else []
        converted = tuple(self.expression(child) for child in inside if child.type != "comment")
        return Subscript(value, converted)

    @converts("field_expression")
    def _member(self, node: Node) -> Expression:
        return self.member(node)[0]

    def member(self, node: Node) -> tuple[Expression, tuple[Expression, ...]]:
        """``a.b`` and ``a->b`` with the template arguments of b."""
        value = self.field(node, "argument")
        name = node.child_by_field_name("field")
        arguments: tuple[Expression, ...] = ()
        while name and name.type in {"template_method", "dependent_field_identifier"}:
            if name.type == "template_method":
                arguments = self.template_arguments(name)
            name = name.child_by_field_name("name") or name.named_children[-1]
        return Member(value, self.parsed.text(name) if name else ""), arguments

    @converts("parameter_pack_expansion")
    def _expansion(self, node: Node) -> Expression:
        return Starred(self.field(node, "pattern"))

    @converts("new_expression")
    def _new(self, node: Node) -> Expression:
        function = self.field(node, "type")
        arguments = node.child_by_field_name("arguments")
        values = arguments.named_children if arguments else []
        return Call(function, tuple(self.expression(value) for value in values))

    @converts("template_function")
    def _template(self, node: Node) -> Expression:
        return self.template(node)[0]

    def template(self, node: Node) -> tuple[Expression, tuple[Expression, ...]]:
        """``f<a, b>``: its name and its template arguments."""
        return self.field(node, "name"), self.template_arguments(node)

    def template_arguments(self, node: Node) -> tuple[Expression, ...]:
        """Arguments between ``<`` and ``>`` of a template node."""
        arguments = node.child_by_field_name("arguments")
        inside = arguments.named_children if arguments else []
        return tuple(self.expression(child) for child in inside if child.type != "comment")

    @converts("qualified_identifier")
    def _qualified(self, node: Node) -> Expression:
        return self.qualified(node)[0]

    def qualified(self, node: Node) -> tuple[Expression, tuple[Expression, ...]]:
        """``a::b<c>`` with the template arguments of b; what follows a template is its member."""
        path: list[str] = []
        base: Expression | None = None
        of_base: tuple[Expression, ...] = ()
        last: Node | None = node
        while last and last.type == "qualified_identifier":
            scope = last.child_by_field_name("scope")
            if scope and scope.type == "template_type":
                name = scope.child_by_field_name("name")
                base = _joined(base, [*path, self.parsed.text(name) if name else ""], of_base)
                path, of_base = [], self.template_arguments(scope)
            elif scope:
                path.append(self.parsed.text(scope))
            last = last.child_by_field_name("name")
        while last and last.type == "dependent_name":
            last = last.named_children[-1]
        arguments: tuple[Expression, ...] = ()
        if last and last.type in {"template_function", "template_type"}:
            arguments = self.template_arguments(last)
            last = last.child_by_field_name("name")
        return _joined(base, [*path, self.parsed.text(last) if last else ""], of_base), arguments


def _joined(
    base: Expression | None, path: list[str], of_base: tuple[Expression, ...]
) -> Expression:
    """A path of names below a class template with its arguments."""
    if base is None:
        return Name("::".join(path))
    for name in path:
        base, of_base = Member(base, name, of_base), ()
    return base


def _unpacked(target: Expression) -> Expression:
    """``std::tie(a, b)`` as the names that are assigned."""
    if isinstance(target, Call) and target.function in {Name("std::tie"), Name("tie")}:
        return Collection(target.arguments)
    return target
