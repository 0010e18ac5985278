"""Functions of a program, and calls of them, with the points they stand at."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.program.statements import Assign, Function, Parameter
from geoaudit.shardcheck.program.walking import expressions_of, last_name, within
from geoaudit.shardcheck.slicing.aliases import Alias, aliases_of, meant, names_by_root
from geoaudit.shardcheck.slicing.points import Place, Point, place_of, points_of, targets


@dataclass(frozen=True, kw_only=True, eq=False)
class IndexedFunction:
    """A function and the file it stands in.

    ``completed``: the function with defaults that only its declaration gives; None: none.
    """

    file: FileProgram
    number: int
    completed: Function | None = None

    @property
    def function(self) -> Function:
        """The function."""
        return self.completed or self.file.functions[self.number]

    @property
    def path(self) -> str:
        """Its file."""
        return self.file.path

    @property
    def name(self) -> str:
        """Its name; of a lambda and a file, a word for it."""
        return self.function.name or f"({self.function.kind})"

    @property
    def is_of_one_file(self) -> bool:
        """Whether no other file can call it: it is hidden, and not in a header."""
        return self.function.is_hidden and not self.path.endswith((".h", ".cuh", ".hpp", ".inl"))

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """A point before each of its statements."""
        return tuple(points_of(self.function.body))

    @cached_property
    def calls(self) -> tuple[tuple[Point, e.Call], ...]:
        """Every call in it, with the statement it stands in."""
        return tuple((point, one) for point, one in self.nodes if isinstance(one, e.Call))

    @cached_property
    def nodes(self) -> tuple[tuple[Point, e.Call | e.Launch | e.FunctionValue], ...]:
        """Every call, launch and nested function in it, with the statement it stands in."""
        return tuple(
            (point, one)
            for point in self.points
            for node in expressions_of(point.statement)
            for one in within(node)
            if isinstance(one, e.Call | e.Launch | e.FunctionValue)
        )

    @cached_property
    def declarations(self) -> dict[str, Assign]:
        """The first assignment to each of its variables."""
        found: dict[str, Assign] = {}
        for point in self.points:
            one = point.statement
            if isinstance(one, Assign) and isinstance(one.target, e.Name):
                found.setdefault(one.target.text, one)
        return found

    @cached_property
    def aliases(self) -> Mapping[str, Alias]:
        """Other names of its variables, where something is written by them or beside them."""
        given = frozenset(one.name for one in self.function.parameters)
        return aliases_of(self.points, self.file.language, given)

    @cached_property
    def other_names(self) -> Mapping[str, frozenset[str]]:
        """Its variables -> the other names by which they may be written."""
        return names_by_root(self.aliases)

    @cached_property
    def nested(self) -> Mapping[str, int]:
        """Variables that name a function within it -> the number of that function."""
        found: dict[str, int] = {}
        for point in self.points:
            match point.statement:
                case Assign(target=e.Name(text=name), value=e.FunctionValue(function=number)):
                    found[name] = number
                case _:
                    continue
        return found

    @cached_property
    def assigned(self) -> tuple[Place, ...]:
        """The places that its statements assign, as often as they do."""
        return tuple(
            place
            for point in self.points
            if isinstance(point.statement, Assign)
            for place in targets(point.statement.target)
        )

    @cached_property
    def changed_parts(self) -> Mapping[str, frozenset[Place]]:
        """Its parameters -> the members and elements of them that it assigns; (): the whole.

        Of Python members and elements alone: what the caller sees. Of a pointer (): what it points
        to, or the pointer itself, which the caller does not see.
        """
        is_c = self.file.language == "c"
        names = {
            one.name
            for one in self.own_parameters
            if not is_c or (one.type.endswith(("&", "*")) and "const" not in one.type)
        }
        found: dict[str, set[Place]] = defaultdict(set)
        for place in self.assigned if names else ():
            root, *tail = meant(self.aliases, place)
            if root in names and (is_c or tail):
                found[root].add(tuple(tail))
        return {name: frozenset(tails) for name, tails in found.items()}

    @cached_property
    def passed_on(self) -> Mapping[str, frozenset[str]]:
        """Its parameters -> the functions that it gives them to."""
        names = {one.name for one in self.own_parameters}
        found: dict[str, set[str]] = defaultdict(set)
        for _, call in self.calls if names else ():
            for one in call.arguments:
                place = place_of(one)
                if place is not None and place[0] in names:
                    found[place[0]].add(last_name(call.function))
        return {name: frozenset(callees) for name, callees in found.items()}

    def is_copied(self, name: str) -> bool:
        """Whether it is a lambda with a copy of a variable, as that was where it was made."""
        captures = self.function.captures
        return name in captures or ("=" in captures and f"&{name}" not in captures)

    @cached_property
    def times_assigned(self) -> Mapping[str, int]:
        """Variables that it assigns, members and elements of them too -> how often."""
        found = Counter(place[0] for place in self.assigned)
        others = self.other_names
        return found + Counter({root: sum(found[name] for name in others[root]) for root in others})

    @cached_property
    def own_parameters(self) -> tuple[Parameter, ...]:
        """Its parameters as a caller sees them: without ``self``."""
        parameters = self.function.parameters
        return parameters[1:] if self.object_name else parameters

    @cached_property
    def object_name(self) -> str:
        """Python's ``self``, as a method calls it; empty: it is no method of an object."""
        function = self.function
        if self.file.language != "python" or not function.owner or not function.parameters:
            return ""
        is_static = any(last_name(one) == "staticmethod" for one in function.decorators)
        return "" if is_static else function.parameters[0].name

    @cached_property
    def is_property(self) -> bool:
        """Whether its value is read like a field."""
        names = {last_name(one) for one in self.function.decorators}
        return bool(names & {"property", "cached_property", "functools.cached_property"})


@dataclass(frozen=True, kw_only=True, eq=False)
class CallSite:
    """A call, and where it stands."""

    caller: IndexedFunction
    point: Point
    call: e.Call
