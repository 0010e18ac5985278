"""What is gathered while a Python file is read."""

import ast
from dataclasses import dataclass, field

from geoaudit.shardcheck.program.expressions import Name
from geoaudit.shardcheck.program.file_program import Class, Import, NotAnalysed
from geoaudit.shardcheck.program.statements import Assign, Function, Statement
from geoaudit.shardcheck.python.kernel_names import KnownNames
from geoaudit.shardcheck.python.source_text import SourceText


@dataclass(kw_only=True)
class Scope:
    """A function that is being read.

    Attributes:
        index: in the file's functions.
        calls: names called in it so far.
        pending: assignments within an expression, which come before its statement.
    """

    index: int
    name: str
    outer: "Scope | None"
    calls: set[str] = field(default_factory=set)
    pending: list[Assign] = field(default_factory=list)

    @property
    def enclosing(self) -> int | None:
        """Index of the function it is written in; None: the file."""
        return None if self.outer is None or self.outer.index == 0 else self.outer.index


class FileReading:
    """The parts of a file's program, as far as they are read.

    Attributes:
        names: what the file's names stand for; None: no text of it could be a launch.
        depth: of the expression that is being read.
        launches: byte offset -> idiom.
        doubtful: byte offset of calls that are not taken for launches -> why.
        integer_lines: lines with an integer above 1.
        constant_lines: lines where an integer constant is bound.
        sources: strings that may be CUDA, with their text; placeholders are marked.
    """

    def __init__(self, path: str, source: SourceText, names: KnownNames | None) -> None:
        self.path = path
        self.source = source
        self.names = names
        self.holds_cuda = may_be_cuda(source.text)
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.imports: list[Import] = []
        self.not_analysed: list[NotAnalysed] = []
        self.launches: dict[int, str] = {}
        self.doubtful: dict[int, str] = {}
        self.integer_lines: set[int] = set()
        self.constant_lines: set[int] = set()
        self.sources: list[tuple[ast.Constant | ast.JoinedStr, str]] = []
        self.depth = 0
        self.scope = Scope(index=-1, name="", outer=None)
        self._name_nodes: dict[str, Name] = {}

    def name(self, text: str) -> Name:
        """Return the node of a name; one object for all its uses."""
        node = self._name_nodes.get(text)
        if node is None:
            node = self._name_nodes[text] = Name(text)
        return node

    def open(self, name: str) -> Scope:
        """Begin a function: what is read from here on belongs to it."""
        outer = self.scope if self.scope.index >= 0 else None
        self.scope = Scope(index=len(self.functions), name=name, outer=outer)
        self.functions.append(_UNREAD)
        return self.scope

    def close(self, function: Function) -> int:
        """End the function that is being read; return its index."""
        scope = self.scope
        self.functions[scope.index] = function
        self.scope = scope.outer or Scope(index=-1, name="", outer=None)
        return scope.index

    def take_pending(self) -> list[Statement]:
        """Return the assignments within the expression just read, and forget them."""
        pending: list[Statement] = list(self.scope.pending)
        self.scope.pending.clear()
        return pending

    def leave_out(self, line: int, reason: str) -> None:
        """Count something that was seen and not understood."""
        self.not_analysed.append(NotAnalysed(line, reason))


def may_be_cuda(text: str) -> bool:
    """Whether a text mentions a kernel's definition or a launch: a cheap first look."""
    return "__global__" in text or "<<<" in text or "LaunchKernel" in text


_UNREAD = Function(name="", kind="function")
