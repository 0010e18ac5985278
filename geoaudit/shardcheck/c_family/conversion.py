"""What all converters of a text share: its state, and which method converts which node."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

from tree_sitter import Node

from geoaudit.shardcheck.c_family.record import FileRecord
from geoaudit.shardcheck.c_family.syntax import Parsed
from geoaudit.shardcheck.program.expressions import Expression, Opaque
from geoaudit.shardcheck.program.statements import Statement

Result = TypeVar("Result")
Given = ParamSpec("Given")


class Methods(Generic[Result]):
    """Which method gives a result of which type of tree-sitter node; a decorator of methods."""

    def __init__(self) -> None:
        self._of_type: dict[str, Callable[..., Result]] = {}

    def __call__(self, *types: str) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
        """Makes a method the one for these types of nodes."""

        def register(method: Callable[Given, Result]) -> Callable[Given, Result]:
            self._of_type.update(dict.fromkeys(types, method))
            return method

        return register

    def of(self, node: Node) -> Callable[..., Result] | None:
        """The method for a node; None: there is none."""
        return self._of_type.get(node.type)


converts = Methods[Expression]()


class Conversion(ABC):
    """Converts expressions of one parsed text.

    Attributes:
        parsed: the text.
        record: of the file.
        prelude: statements that an expression holds (``a[i++] = b = c``), to stand before it.
        calls: names called so far in the function being read.
    """

    def __init__(self, parsed: Parsed, record: FileRecord) -> None:
        self.parsed = parsed
        self.record = record
        self.prelude: list[Statement] = []
        self.calls: set[str] = set()

    @abstractmethod
    def statements_of(self, node: Node) -> list[Statement] | None:
        """Statements of a node, None where it is an expression."""

    @abstractmethod
    def effect(self, node: Node) -> list[Statement]:
        """Statements of an expression that stands for its effect."""

    def expression(self, node: Node) -> Expression:
        """The expression of any node."""
        method = converts.of(node)
        return method(self, node) if method else self.opaque(node)

    def field(self, node: Node, name: str) -> Expression:
        """The expression of a named child, an empty `Opaque` where it is missing."""
        child = node.child_by_field_name(name)
        return self.expression(child) if child else Opaque("")

    def opaque(self, node: Node) -> Expression:
        """What is not modelled, with what it reads; statements in it come before it."""
        parts = []
        for child in node.named_children:
            if child.type == "comment":
                continue
            statements = self.statements_of(child)
            if statements is None:
                parts.append(self.expression(child))
            else:
                self.prelude += statements
        return Opaque(self.parsed.text(node)[:80], tuple(parts))
