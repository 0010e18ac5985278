"""Statements of C++ into the form of `program.statements`."""

from abc import abstractmethod

from tree_sitter import Node

from geoaudit.shardcheck.c_family.cases import chain_of_cases, stops_flow
from geoaudit.shardcheck.c_family.conversion import Methods
from geoaudit.shardcheck.c_family.declarations import Declarations
from geoaudit.shardcheck.c_family.effects import ends_path, has_effect
from geoaudit.shardcheck.program.expressions import Expression, Number, Opaque
from geoaudit.shardcheck.program.statements import (
    Assign,
    Branch,
    Evaluate,
    Loop,
    Return,
    Statement,
    Stop,
)
from geoaudit.shardcheck.program.walking import blocks_of

_reads = Methods[list[Statement]]()


class Statements(Declarations):
    """Adds statements to declarations."""

    def statements_of(self, node: Node) -> list[Statement] | None:
        """Statements of a node, with what its expressions do before it; None: an expression."""
        method = _reads.of(node)
        if method is None:
            return None
        before, self.prelude = self.prelude, []
        statements = method(self, node)
        if self.prelude:
            statements = self.prelude + statements
        self.prelude = before
        return statements

    def block(self, node: Node | None) -> list[Statement]:
        """Statements of a body, in braces or not."""
        if node is None:
            return []
        statements = self.statements_of(node)
        if statements is None:
            before, self.prelude = self.prelude, []
            statements = self.effect(node)
            statements, self.prelude = self.prelude + statements, before
        return statements

    def effect(self, node: Node) -> list[Statement]:
        """Statements of an expression that stands for its effect; what it holds comes before it."""
        if node.type == "call_expression" and node.children[0].type == "lambda_expression":
            arguments = node.child_by_field_name("arguments")
            if arguments is not None and not arguments.named_child_count:
                return self.lambda_in_place(node.children[0])
        value = self.expression(node)
        if node.type in {"assignment_expression", "update_expression"}:
            return []
        line = self.parsed.line(node)
        if ends_path(value):
            return [Stop(line)]
        return [Evaluate(value, line)] if has_effect(value) else []

    @_reads("compound_statement", "else_clause", "ERROR", "init_statement", "declaration_list")
    def _sequence(self, node: Node) -> list[Statement]:
        statements: list[Statement] = []
        for child in node.named_children:
            inner = self.block(child)
            if child.type == "labeled_statement":
                label = self.parsed.text(child.named_children[0])
                statements = _skipped_by(f"goto {label};", statements)
            if child.type == "compound_statement" and _declares(inner):
                inner = [Branch(Number(1), tuple(inner), (), self.parsed.line(child))]
            statements += inner
        return statements

    @_reads("labeled_statement", "attributed_statement")
    def _last(self, node: Node) -> list[Statement]:
        return self.block(node.named_children[-1])

    @_reads("expression_statement")
    def _expression_statement(self, node: Node) -> list[Statement]:
        statements: list[Statement] = []
        for child in node.named_children:
            if child.type != "comment":
                statements += self.effect(child)
        return statements

    @_reads(
        "comment",
        "preproc_def",
        "preproc_function_def",
        "preproc_call",
        "preproc_include",
        "preproc_directive",
        "static_assert_declaration",
        "using_declaration",
        "namespace_alias_definition",
        "statement_identifier",
        "access_specifier",
    )
    def _nothing(self, node: Node) -> list[Statement]:
        return []

    @_reads("declaration")
    def _declaration(self, node: Node) -> list[Statement]:
        type_node = node.child_by_field_name("type")
        inner = self.statements_of(type_node) if type_node else None
        return (inner or []) + self.declaration(node)

    @_reads(
        "class_specifier",
        "struct_specifier",
        "union_specifier",
        "enum_specifier",
        "alias_declaration",
        "type_definition",
        "function_definition",
        "template_declaration",
        "namespace_definition",
        "linkage_specification",
        "field_declaration",
    )
    def _definition(self, node: Node) -> list[Statement]:
        return self.definition(node)

    @abstractmethod
    def definition(self, node: Node) -> list[Statement]:
        """Takes up what is defined: functions and classes; gives enumerators as statements."""

    @_reads("return_statement", "co_return_statement")
    def _return(self, node: Node) -> list[Statement]:
        values = [child for child in node.named_children if child.type != "comment"]
        line = self.parsed.line(node)
        return [Return(self.expression(values[0]) if values else None, line)]

    @_reads("throw_statement")
    def _throw(self, node: Node) -> list[Statement]:
        return [Stop(self.parsed.line(node))]

    @_reads("break_statement", "continue_statement")
    def _break(self, node: Node) -> list[Statement]:
        return [Stop(self.parsed.line(node), leaves_function=False)]

    @_reads("goto_statement")
    def _goto(self, node: Node) -> list[Statement]:
        return [Evaluate(Opaque(self.parsed.text(node)[:80]), self.parsed.line(node))]

    def condition(self, node: Node | None) -> Expression:
        """A condition; what it declares comes before it."""
        if node is None:
            return Opaque("")
        initial = node.child_by_field_name("initializer")
        if initial:
            self.prelude += self.block(initial)
        value = node.child_by_field_name("value") or node
        if value.type != "declaration":
            return self.expression(value)
        declarator = value.child_by_field_name("declarator")
        given = value.child_by_field_name("value") or value.child_by_field_name("default_value")
        target = self.declared_target(declarator)[0] if declarator else None
        if target is None or given is None:
            return Opaque(self.parsed.text(value)[:80])
        kind, line = self.declared_type(value), self.parsed.line(value)
        self.prelude.append(Assign(target, self.expression(given), line, "", kind))
        return target

    @_reads("if_statement")
    def _if(self, node: Node) -> list[Statement]:
        condition = self.condition(node.child_by_field_name("condition"))
        then = self.block(node.child_by_field_name("consequence"))
        otherwise = self.block(node.child_by_field_name("alternative"))
        return [Branch(condition, tuple(then), tuple(otherwise), self.parsed.line(node))]

    @_reads("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else")
    def _preprocessor_if(self, node: Node) -> list[Statement]:
        condition = node.child_by_field_name("condition") or node.child_by_field_name("name")
        alternative = node.child_by_field_name("alternative")
        then: list[Statement] = []
        for child in node.named_children:
            if child not in (condition, alternative):
                then += self.block(child)
        if condition is None:
            return then
        text = self.parsed.text(condition)
        if node.type == "preproc_ifdef":
            text = f"{self.parsed.text(node.children[0])} {text}"
        otherwise = self.block(alternative)
        return [Branch(Opaque(text[:80]), tuple(then), tuple(otherwise), self.parsed.line(node))]

    @_reads("switch_statement")
    def _switch(self, node: Node) -> list[Statement]:
        subject = self.condition(node.child_by_field_name("condition"))
        body = node.child_by_field_name("body")
        cases: list[tuple[Expression | None, list[Statement], int]] = []
        pending = list(reversed(body.named_children)) if body else []
        while pending:
            child = pending.pop()
            if child.type == "case_statement":
                cases.append(self._case_parts(child))
            elif child.type.startswith("preproc_") and "if" in child.type:
                pending += reversed(child.named_children)
            else:
                statements = self.statements_of(child) or []
                if statements:
                    cases.append((Opaque("case"), statements, self.parsed.line(child)))
        return chain_of_cases(subject, cases)

    def _case_parts(self, node: Node) -> tuple[Expression | None, list[Statement], int]:
        value = node.child_by_field_name("value")
        statements: list[Statement] = []
        for child in node.named_children:
            if child != value and not stops_flow(statements):
                statements += self.block(child)
        return self.expression(value) if value else None, statements, self.parsed.line(node)

    @_reads("case_statement")
    def _case(self, node: Node) -> list[Statement]:
        """A case whose ``switch`` is elsewhere: in the body of a macro."""
        value, statements, line = self._case_parts(node)
        if statements and isinstance(statements[-1], Stop):
            statements = statements[:-1]
        condition = Opaque("case", (value,)) if value else Opaque("default")
        return [Branch(condition, tuple(statements), (), line)]

    @_reads("while_statement", "do_statement")
    def _while(self, node: Node) -> list[Statement]:
        condition = self.condition(node.child_by_field_name("condition"))
        body = tuple(self.block(node.child_by_field_name("body")))
        is_do = node.type == "do_statement"
        return [Loop(body, self.parsed.line(node), condition, body_first=is_do)]

    @_reads("for_statement")
    def _for(self, node: Node) -> list[Statement]:
        initial = tuple(self.block(node.child_by_field_name("initializer")))
        condition_node = node.child_by_field_name("condition")
        condition = self.condition(condition_node) if condition_node else None
        step = tuple(self.block(node.child_by_field_name("update")))
        body = tuple(self.block(node.child_by_field_name("body")))
        return [Loop(body, self.parsed.line(node), condition, initial, step)]

    @_reads("for_range_loop")
    def _for_each(self, node: Node) -> list[Statement]:
        declarator = node.child_by_field_name("declarator")
        target = self.declared_target(declarator)[0] if declarator else None
        iterable = self.field(node, "right")
        body = tuple(self.block(node.child_by_field_name("body")))
        return [Loop(body, self.parsed.line(node), target=target, iterable=iterable)]

    @_reads("try_statement")
    def _try(self, node: Node) -> list[Statement]:
        statements = self.block(node.child_by_field_name("body"))
        for child in node.named_children:
            if child.type == "catch_clause":
                handler = tuple(self.block(child.child_by_field_name("body")))
                if handler:
                    line = self.parsed.line(child)
                    statements.append(Branch(Opaque("catch"), handler, (), line))
        return statements


def _declares(statements: list[Statement]) -> bool:
    """Whether a block has variables of its own, which end with it."""
    return any(isinstance(one, Assign) and one.type for one in statements)


def _skipped_by(jump: str, statements: list[Statement]) -> list[Statement]:
    """The statements before a label, as they run where an earlier one may jump to it."""
    for place, one in enumerate(statements[:-1]):
        if _jumps(jump, one):
            rest = tuple(statements[place + 1 :])
            match one:
                case Branch(condition, then, (), line) if then and not _declares(list(rest)):
                    if then[-1] == Evaluate(Opaque(jump), then[-1].line):
                        return [*statements[:place], Branch(condition, then, rest, line)]
            return [*statements[: place + 1], Branch(Opaque(jump), rest, (), rest[0].line)]
    return statements


def _jumps(jump: str, statement: Statement) -> bool:
    if isinstance(statement, Evaluate):
        return isinstance(statement.value, Opaque) and statement.value.text == jump
    return any(_jumps(jump, one) for block in blocks_of(statement) for one in block)
