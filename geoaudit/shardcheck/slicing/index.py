"""All files of a program together: who is called what, and who calls whom."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.file_program import Class, FileProgram
from geoaudit.shardcheck.program.statements import Assign, Function, Loop, Statement
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing.declared_defaults import declared_defaults, with_defaults
from geoaudit.shardcheck.slicing.definitions.effects import Changes, Effects
from geoaudit.shardcheck.slicing.definitions.writers import (
    field_writes,
    macro_writes,
    writing_functions,
    written_around,
)
from geoaudit.shardcheck.slicing.functions import CallSite, IndexedFunction
from geoaudit.shardcheck.slicing.points import Place, Point, points_of, targets
from geoaudit.shardcheck.symbolic.extents import Extent, Symbol


@dataclass(kw_only=True)
class ProgramIndex:
    """Files by what they define.

    Attributes:
        files: all, embedded ones too.
        functions, classes, methods: by their name, methods by that of their class. A declaration
            that a file repeats is there once.
        by_file: by the identity of a file and the function's number in it.
        exposed: C++ function -> names Python calls it by, with its parameters there; None: not yet
            looked for.
        calls_by_function, bindings, tuned, expansions, effects, changes, rounds: what has been
            worked out, by identity.
    """

    files: tuple[FileProgram, ...]
    functions: dict[str, list[IndexedFunction]] = field(init=False)
    by_file: dict[tuple[int, int], IndexedFunction] = field(init=False)
    classes: dict[str, list[tuple[FileProgram, Class]]] = field(init=False)
    methods: dict[str, list[IndexedFunction]] = field(init=False)
    calls_by_function: dict[int, list[CallSite]] = field(default_factory=dict)
    bindings: dict[Symbol, Extent | None] = field(default_factory=dict)
    exposed: dict[str, list[tuple[str, tuple[str, ...]]]] | None = None
    tuned: dict[int, Mapping[str, frozenset[int]]] = field(default_factory=dict)
    expansions: dict[int, tuple[Statement, tuple[Statement, ...]]] = field(default_factory=dict)
    effects: dict[int, Effects] = field(default_factory=dict)
    changes: dict[tuple[int, int], Changes] = field(default_factory=dict)
    rounds: dict[int, tuple[Loop, tuple[Place, ...]]] = field(default_factory=dict)
    _callers: dict[str, list[IndexedFunction]] = field(init=False)
    _declared: set[tuple[object, ...]] = field(default_factory=set)
    _nested: dict[tuple[int, int], list[IndexedFunction]] = field(init=False)
    _written_around: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.functions, self.classes = defaultdict(list), defaultdict(list)
        self.methods, self._callers = defaultdict(list), defaultdict(list)
        self._nested = defaultdict(list)
        self.by_file = {}
        defaults = declared_defaults(self.files)
        for file in self.files:
            for number, function in enumerate(file.functions):
                completed = with_defaults(function, defaults)
                self._add(IndexedFunction(file=file, number=number, completed=completed), function)
            for one in file.classes:
                self.classes[one.name].append((file, one))

    def _add(self, indexed: IndexedFunction, function: Function) -> None:
        self.by_file[id(indexed.file), indexed.number] = indexed
        if function.name and not self._is_repeated(indexed, function):
            self.functions[function.name].append(indexed)
        if function.owner:
            self.methods[function.owner].append(indexed)
        for name in function.calls:
            self._callers[name].append(indexed)
        if function.enclosing is not None:
            self._nested[id(indexed.file), function.enclosing].append(indexed)

    def _is_repeated(self, indexed: IndexedFunction, function: Function) -> bool:
        """Whether a declaration says nothing that one before it in its file does not."""
        if not function.is_declaration:
            return False
        parameters = tuple((one.type, one.default is None) for one in function.parameters)
        around = function.owner, function.namespace, function.is_hidden
        key = id(indexed.file), function.name, function.kind, *around, parameters
        if key in self._declared:
            return True
        self._declared.add(key)
        return False

    def function_of(self, file: FileProgram, number: int) -> IndexedFunction:
        """A function by its number in its file."""
        return self.by_file[id(file), number]

    def in_file(self, file: FileProgram, name: str) -> Sequence[IndexedFunction]:
        """The functions of a file that have a name."""
        return self._in_files.get((id(file), name), ())

    def named(self, path: str, name: str, line: int) -> IndexedFunction | None:
        """A function by file, name and line."""
        for one in self.functions.get(name, ()):
            if one.path == path and one.function.line == line:
                return one
        return None

    def calling(self, name: str) -> Sequence[IndexedFunction]:
        """Functions that call something of that name."""
        return self._callers.get(name, ())

    def calls_of(self, name: str, within_file: FileProgram | None = None) -> Iterator[CallSite]:
        """All calls of something of that name."""
        for caller in self.calling(name):
            if within_file is not None and caller.file is not within_file:
                continue
            for point, call in caller.calls:
                if last_name(call.function) == name:
                    yield CallSite(caller=caller, point=point, call=call)

    def named_in_calls(self, macro: str) -> Sequence[CallSite]:
        """Calls that are given a macro by its name, to be used by what is called."""
        return self._given_names.get(macro, ())

    @cached_property
    def member_assignments(self) -> dict[str, list[tuple[IndexedFunction, Point, Assign]]]:
        """Assignments to a member of something, by the member's name."""
        found: dict[str, list[tuple[IndexedFunction, Point, Assign]]] = defaultdict(list)
        for indexed in self.by_file.values():
            for point in points_of(indexed.function.body):
                one = point.statement
                if isinstance(one, Assign) and isinstance(one.target, e.Member):
                    found[one.target.name].append((indexed, point, one))
        return found

    @cached_property
    def _in_files(self) -> dict[tuple[int, str], list[IndexedFunction]]:
        found: dict[tuple[int, str], list[IndexedFunction]] = defaultdict(list)
        for name, functions in self.functions.items():
            for one in functions:
                found[id(one.file), name].append(one)
        return found

    @cached_property
    def writing(self) -> frozenset[str]:
        """Functions that may change what they are given."""
        return writing_functions(self.by_file.values())

    @cached_property
    def field_writes(self) -> Mapping[str, frozenset[str]]:
        """Methods -> the fields of their object that they change."""
        return field_writes(one for those in self.methods.values() for one in those)

    def written_around(self, file: FileProgram, number: int) -> frozenset[str]:
        """Variables of the function around a nested one that it changes."""
        key = id(file), number
        if key not in self._written_around:
            self._written_around[key] = written_around(self.function_of(file, number))
        return self._written_around[key]

    @cached_property
    def macro_writes(self) -> Mapping[str, frozenset[str]]:
        """Macros that assign variables -> those, with their parameters and pasted names."""
        return macro_writes(one for one in self.by_file.values() if one.function.kind == "macro")

    @cached_property
    def import_names(self) -> dict[str, list[tuple[FileProgram, str]]]:
        """Files that import a name as another, and that other."""
        found: dict[str, list[tuple[FileProgram, str]]] = defaultdict(list)
        for file in self.files:
            for one in file.imports:
                if one.name and one.local != one.name:
                    found[one.name].append((file, one.local))
        return found

    @cached_property
    def derived(self) -> dict[str, list[str]]:
        """Classes by the last component of their bases."""
        found: dict[str, list[str]] = defaultdict(list)
        for name, classes in self.classes.items():
            for base in dict.fromkeys(base for _, one in classes for base in one.bases):
                found[base.rpartition(".")[2].rpartition("::")[2]].append(name)
        return found

    @cached_property
    def constants(self) -> dict[str, list[IndexedFunction]]:
        """Files whose top assigns a name."""
        found: dict[str, list[IndexedFunction]] = defaultdict(list)
        for indexed in self.by_file.values():
            if indexed.number:
                continue
            for name in _assigned(indexed):
                found[name].append(indexed)
        return found

    @cached_property
    def modules(self) -> dict[str, list[FileProgram]]:
        """Python files by every dotted name that ends their path."""
        found: dict[str, list[FileProgram]] = defaultdict(list)
        for file in self.files:
            if file.language != "python":
                continue
            parts = file.path.removesuffix(".py").removesuffix("/__init__").split("/")
            for start in range(len(parts)):
                found[".".join(parts[start:])].append(file)
        return found

    @cached_property
    def _given_names(self) -> dict[str, list[CallSite]]:
        macros = {
            one.function.name for one in self.by_file.values() if one.function.kind == "macro"
        }
        found: dict[str, list[CallSite]] = defaultdict(list)
        for caller in self.by_file.values():
            for point, call in caller.calls if caller.file.language == "c" else ():
                for name in {one.text for one in call.arguments if isinstance(one, e.Name)}:
                    if name in macros:
                        found[name].append(CallSite(caller=caller, point=point, call=call))
        return found


def _assigned(indexed: IndexedFunction) -> set[str]:
    return {
        place[0]
        for point in indexed.points
        if isinstance(point.statement, Assign)
        for place in targets(point.statement.target)
    }


def index_of(programs: Iterable[FileProgram]) -> ProgramIndex:
    """Index the files, and what is embedded in them."""
    return ProgramIndex(files=tuple(file for one in programs for file in (one, *one.embedded)))
