"""Classes, enumerations, aliases, globals and prototypes of C++."""

import msgspec
from tree_sitter import Node

from geoaudit.shardcheck.c_family.definitions import Definitions
from geoaudit.shardcheck.c_family.items import Context, Item, class_name
from geoaudit.shardcheck.c_family.literals import LARGEST_INTEGER, plain_type
from geoaudit.shardcheck.program.expressions import Expression, Name, Number, Operation
from geoaudit.shardcheck.program.file_program import Class, Field
from geoaudit.shardcheck.program.statements import Assign, Statement

_CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})


class Classes(Definitions):
    """Adds to functions what else is defined: the converter of a whole file."""

    def other_item(self, item: Item) -> list[Statement]:
        """Converts a class, a declaration or a statement."""
        node, context = item.node, item.context
        if node.type in _CLASSES:
            self._class(node, context)
        elif node.type == "enum_specifier":
            return self._enumerators(node, context)
        elif node.type in {"alias_declaration", "type_definition"}:
            self._alias(node, context)
        elif node.type == "declaration":
            return self._declaration_of(node, context)
        elif node.type == "field_declaration":
            self._prototypes(node, context)
        elif not context.owner:
            return self.statements_of(node) or []
        return []

    def _declaration_of(self, node: Node, context: Context) -> list[Statement]:
        """Globals are statements, prototypes are functions."""
        if self._prototypes(node, context):
            return []
        return [_in_namespace(one, context.namespace) for one in self.declaration(node)]

    def _prototypes(self, node: Node, context: Context) -> bool:
        found = False
        for declarator in node.children_by_field_name("declarator"):
            if declarator.type == "init_declarator":
                continue
            suffix = self.declared_target(declarator)[1]
            if suffix.startswith("()") or suffix.endswith("*()"):
                self.prototype(node, declarator, context)
                found = True
        return found

    def _class(self, node: Node, context: Context) -> None:
        body = node.child_by_field_name("body")
        fields: list[Field] = []
        for child in body.named_children if body else []:
            if child.type == "field_declaration":
                fields += self._fields(child)
        bases = [child for child in node.named_children if child.type == "base_class_clause"]
        names = [
            plain_type(self.parsed.text(base))
            for clause in bases
            for base in clause.named_children
            if base.type.endswith(("identifier", "template_type"))
        ]
        self.record.classes.append(
            Class(
                name=context.owner,
                bases=tuple(names),
                fields=tuple(fields),
                line=self.parsed.line(node),
                namespace=context.namespace,
                template_parameters=self.parameters(context.template),
                template_arguments=self._specialised_for(node),
            )
        )

    def _specialised_for(self, node: Node) -> tuple[Expression, ...]:
        name = node.child_by_field_name("name")
        return self.template_arguments(name) if name and name.type == "template_type" else ()

    def _fields(self, node: Node) -> list[Field]:
        kind = self.declared_type(node)
        fields: list[Field] = []
        for index, child in enumerate(node.children):
            role = node.field_name_for_child(index)
            if role == "declarator":
                target, suffix = self.declared_target(child)
                if isinstance(target, Name) and "()" not in suffix:
                    fields.append(Field(target.text, kind + suffix, None, self.parsed.line(child)))
            elif role == "default_value" and fields:
                last = fields[-1]
                value = self.initial(child, last.type)
                fields[-1] = Field(last.name, last.type, value, last.line)
        return fields

    def _enumerators(self, node: Node, context: Context) -> list[Statement]:
        body = node.child_by_field_name("body")
        is_scoped = any(child.type in {"class", "struct"} for child in node.children)
        prefix = class_name(self.parsed, node) + "::" if is_scoped else ""
        namespace = "::".join(part for part in (context.namespace, context.owner) if part)
        statements: list[Statement] = []
        base: Expression = Number(0)
        after = 0
        for child in body.named_children if body else []:
            name, given = child.child_by_field_name("name"), child.child_by_field_name("value")
            if child.type != "enumerator" or name is None:
                continue
            if given:
                base, after = self.expression(given), 0
            target = Name(prefix + self.parsed.text(name))
            line = self.parsed.line(child)
            value = _counted(base, after)
            statements.append(Assign(target, value, line, "", "int", True, namespace))
            after += 1
        return statements

    def _alias(self, node: Node, context: Context) -> None:
        type_node = node.child_by_field_name("type")
        declarator = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        target = self.declared_target(declarator)[0] if declarator else None
        if type_node is None or not isinstance(target, Name):
            return
        if type_node.child_by_field_name("body"):
            base = class_name(self.parsed, type_node)
        else:
            base = plain_type(self.parsed.text(type_node))
        self.record.classes.append(
            Class(
                name=target.text,
                bases=(base,),
                line=self.parsed.line(node),
                namespace=context.namespace,
            )
        )


def _in_namespace(statement: Statement, namespace: str) -> Statement:
    if not namespace or not isinstance(statement, Assign):
        return statement
    return msgspec.structs.replace(statement, namespace=namespace)


def _counted(base: Expression, after: int) -> Expression:
    if isinstance(base, Number) and base.value + after <= LARGEST_INTEGER:
        return Number(base.value + after)
    return Operation("+", (base, Number(after))) if after else base
