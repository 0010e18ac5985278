"""Functions of C++: headers, parameters, bodies, lambdas."""

import re
from abc import abstractmethod
from collections.abc import Callable

from tree_sitter import Node

from geoaudit.shardcheck.c_family.items import Context, Item, items_of
from geoaudit.shardcheck.c_family.literals import plain_type
from geoaudit.shardcheck.c_family.statements import Statements
from geoaudit.shardcheck.program.expressions import Collection, Expression, Member, Name
from geoaudit.shardcheck.program.file_program import NotAnalysed
from geoaudit.shardcheck.program.statements import Assign, Function, Parameter, Statement

DEVICE_ONLY = re.compile(rb"__device__|__global__|\b\w*_DEVICE(?:_INLINE|_FUNC\w*)?\b")
_CAPTURE = re.compile(r"&?\w+|[&=]")
_HOST_TOO = re.compile(rb"__host__|HOST|\bconstexpr\b")
LARGEST_SHARED_BODY = 4000


class Definitions(Statements):
    """Adds functions to statements.

    Attributes:
        enclosing: index of the function being read; None: at the top of the file.
    """

    enclosing: int | None = None

    def definition(self, node: Node) -> list[Statement]:
        """Takes up what is defined inside a function."""
        statements: list[Statement] = []
        for item in items_of(self.parsed, node, Context()):
            statements += self.take(item)
        return statements

    def take(self, item: Item) -> list[Statement]:
        """Converts an item into the record; gives what belongs to the flow around it."""
        if item.is_function:
            self.function(item.node, item.context)
            return []
        return self.other_item(item)

    @abstractmethod
    def other_item(self, item: Item) -> list[Statement]:
        """Converts a class, a declaration or a statement."""

    def function(self, node: Node, context: Context) -> None:
        """Reads the definition of a function."""
        declarator = node.child_by_field_name("declarator")
        body = node.child_by_field_name("body")
        if declarator is None:
            return
        initialisers = [c for c in node.named_children if c.type == "field_initializer_list"]

        def read() -> list[Statement]:
            if not self._is_read(node, declarator, body):
                return []
            begun = [s for part in initialisers for s in self._member_initialisers(part)]
            return begun + self.block(body)

        if body is not None or initialisers:
            self._add(node, declarator, context, read)

    def prototype(self, node: Node, declarator: Node, context: Context) -> None:
        """Reads a declaration of a function."""
        self._add(node, declarator, context, None)

    def _add(
        self,
        node: Node,
        declarator: Node,
        context: Context,
        read: Callable[[], list[Statement]] | None,
    ) -> None:
        called, stars = _function_declarator(declarator)
        if called is None:
            return
        name, owner = self._name_and_owner(called)
        owner = owner or context.owner
        index = self.record.begin_function()
        header = self.parsed.data[node.start_byte : called.start_byte]
        kind = "kernel" if b"__global__" in header else "method" if owner else "function"
        parameters = self.parameters(called.child_by_field_name("parameters"))
        body, calls = self.read_body(read, index) if read else ((), ())
        self.record.functions[index] = Function(
            name=name,
            kind=kind,
            owner=owner,
            namespace=context.namespace,
            parameters=parameters,
            template_parameters=self.parameters(context.template),
            body=body,
            line=self.parsed.line(called),
            enclosing=self.enclosing,
            return_type=self._return_type(node, called, stars),
            is_declaration=read is None,
            is_hidden=context.is_hidden
            or (not owner and re.search(rb"\bstatic\b", header) is not None),
            calls=calls,
            is_virtual=bool(owner)
            and re.search(rb"\b(?:virtual|override|final)\b", self._around(node, called))
            is not None,
        )

    def _around(self, node: Node, called: Node) -> bytes:
        """The text of a function without its body and its parameters."""
        listed = called.child_by_field_name("parameters") or called
        data, last = self.parsed.data, called.end_byte
        return data[node.start_byte : listed.start_byte] + b" " + data[listed.end_byte : last]

    def read_body(
        self, read: Callable[[], list[Statement]], index: int
    ) -> tuple[tuple[Statement, ...], tuple[str, ...]]:
        """Statements and called names of a function; none, and a note, where it nests too deep."""
        state = self.record.state()
        before = self.prelude, self.calls, self.enclosing, self.parsed
        self.prelude, self.calls, self.enclosing = [], set(), index
        try:
            statements = read()
            return tuple(self.prelude + statements), tuple(sorted(self.calls - {""}))
        except RecursionError:
            self.record.restore(state)
            line = self.parsed.first_line
            self.record.not_analysed.append(NotAnalysed(line, "nested too deeply"))
            return (), ()
        finally:
            self.prelude, self.calls, self.enclosing, self.parsed = before

    def _is_read(self, node: Node, declarator: Node, body: Node | None) -> bool:
        """Whether a body matters for launches: it runs on the host, or launches itself."""
        if body is None:
            return True
        header = self.parsed.data[node.start_byte : declarator.start_byte]
        if not DEVICE_ONLY.search(header):
            return True
        if self.parsed.data.find(b"<<<", body.start_byte, body.end_byte) >= 0:
            return True
        is_small = body.end_byte - body.start_byte < LARGEST_SHARED_BODY
        return is_small and b"__global__" not in header and _HOST_TOO.search(header) is not None

    def _name_and_owner(self, node: Node) -> tuple[str, str]:
        """Name and class of a function declarator, without namespaces and template arguments."""
        named = node.child_by_field_name("declarator")
        if named is None:
            return "", ""
        if named.type == "template_function":
            named = named.child_by_field_name("name") or named
        if named.type != "qualified_identifier":
            return self.parsed.text(named), ""
        function, _ = self.qualified(named)
        if isinstance(function, Member):
            base = function.value
            owner = base.name if isinstance(base, Member) else getattr(base, "text", "")
            return function.name, owner.rpartition("::")[2]
        text = function.text if isinstance(function, Name) else ""
        scope, _, name = text.rpartition("::")
        return name, scope.rpartition("::")[2]

    def _return_type(self, node: Node, called: Node, stars: str) -> str:
        for child in called.named_children:
            if child.type == "trailing_return_type":
                return plain_type(self.parsed.text(child).removeprefix("->"))
        return self.declared_type(node) + stars

    def _member_initialisers(self, node: Node) -> list[Statement]:
        statements: list[Statement] = []
        for child in node.named_children:
            if child.type != "field_initializer" or child.named_child_count < 2:
                continue
            name = self.parsed.text(child.named_children[0])
            values = self.values(child.named_children[1])
            value = values[0] if len(values) == 1 else Collection(values)
            target = Member(Name("this"), name)
            statements.append(Assign(target, value, self.parsed.line(child)))
        return statements

    def lambda_function(self, node: Node) -> int:
        """Reads a lambda and gives the index of its function."""
        index = self.record.begin_function()
        declarator = node.child_by_field_name("declarator")
        listed = declarator.child_by_field_name("parameters") if declarator else None
        captures = node.child_by_field_name("captures")

        def read() -> list[Statement]:
            begun = self._captured(captures) if captures else []
            return begun + self.block(node.child_by_field_name("body"))

        parameters = self.parameters(listed)
        body, calls = self.read_body(read, index)
        self.record.functions[index] = Function(
            name="",
            kind="lambda",
            parameters=parameters,
            template_parameters=self.parameters(node.child_by_field_name("template_parameters")),
            body=body,
            line=self.parsed.line(node),
            enclosing=self.enclosing,
            calls=calls,
            captures=self._captures(captures),
        )
        return index

    def _captures(self, node: Node | None) -> tuple[str, ...]:
        text = self.parsed.text(node) if node else ""
        parts = text.strip("[]").replace(" ", "").split(",")
        return tuple(part for part in parts if _CAPTURE.fullmatch(part))

    def _captured(self, node: Node) -> list[Statement]:
        statements: list[Statement] = []
        for child in node.named_children:
            if child.type == "lambda_capture_initializer":
                left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
                if left and right:
                    value = self.expression(right)
                    line = self.parsed.line(child)
                    statements.append(Assign(self.expression(left), value, line, "", "auto"))
        return statements

    def parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        """Parameters of a function or a template."""
        children = node.named_children if node else []
        found = [self._parameter(child) for child in children if child.type != "comment"]
        return tuple(parameter for parameter in found if parameter)

    def _parameter(self, node: Node) -> Parameter | None:
        is_pack = node.type.startswith("variadic")
        default = node.child_by_field_name("default_value") or node.child_by_field_name(
            "default_type"
        )
        value: Expression | None = self.expression(default) if default else None
        if "type_parameter" in node.type or node.type.startswith("template_template"):
            names = [c for c in node.named_children if c.type == "type_identifier"]
            return Parameter(
                self.parsed.text(names[0]) if names else "", "typename", value, is_pack
            )
        if node.type == "variadic_parameter":
            return Parameter("", "", None, is_pack=True)
        kind = self.declared_type(node)
        declarator = node.child_by_field_name("declarator")
        target, suffix = self.declared_target(declarator) if declarator else (None, "")
        if kind == "void" and target is None and not suffix:
            return None
        name = target.text if isinstance(target, Name) else ""
        if declarator and declarator.type == "reference_declarator" and not self.is_constant(node):
            suffix += "&"
        return Parameter(name, kind + suffix, value, is_pack)


def _function_declarator(node: Node) -> tuple[Node | None, str]:
    """The part of a declarator with the parameters, and the ``*`` before it."""
    stars = ""
    current: Node | None = node
    while current is not None and current.type != "function_declarator":
        stars += "*" if current.type == "pointer_declarator" else ""
        inner = current.child_by_field_name("declarator")
        if inner is None and current.type == "reference_declarator":
            inner = current.named_children[-1]
        current = inner
    return current, stars
