"""The values that Triton's autotuner may give a kernel's meta-parameters."""

from collections.abc import Iterable, Iterator, Mapping

from geoaudit.shardcheck.program.expressions import (
    Call,
    Choice,
    Collection,
    Expression,
    FunctionValue,
    Name,
    Opaque,
    Operation,
    Starred,
)
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.program.statements import Function
from geoaudit.shardcheck.python.constant_values import (
    Bindings,
    ConstantValues,
    last_component,
    returned,
)

_DEEPEST = 12  # lists within lists, and names that stand for them
_LISTS = frozenset({"list", "tuple", "filter", "sorted"})
Given = Iterator[tuple[str, set[int]]]  # a meta-parameter and values; empty: not told


def meta_values(function: Function, file: FileProgram) -> Mapping[str, frozenset[int]]:
    """Return the values of each meta-parameter of a kernel, as far as its file tells them.

    Read are the configurations of ``autotune`` (lists and comprehensions over constants, sums,
    and functions of the file that give them) and of ``heuristics`` what is a number or one of
    several. ``num_warps``, ``num_stages`` and ``num_ctas`` are among them. What prunes
    configurations is not followed: the values are then too many. A parameter is missing where one
    of its values is not told.
    """
    reader = _DecoratorReader(file)
    values: dict[str, set[int]] = {}
    unclear: set[str] = set()
    for decorator in function.decorators:
        for name, found in reader.given(decorator):
            values.setdefault(name, set()).update(found)
            if not found:
                unclear.add(name)
    return {name: frozenset(found) for name, found in values.items() if name not in unclear}


class _DecoratorReader:
    """Reads what decorators of a file's kernels give."""

    def __init__(self, file: FileProgram) -> None:
        self._file = file
        self._values = ConstantValues(file)

    def given(self, decorator: Expression) -> Given:
        """Yield the meta-parameters that a decorator sets."""
        if not isinstance(decorator, Call):
            return
        name = last_component(decorator.function)
        keyword = {"autotune": "configs", "heuristics": "values"}.get(name, "")
        first = decorator.arguments[0] if decorator.arguments else Opaque("")
        argument = dict(decorator.keywords).get(keyword, first)
        if name == "autotune":
            yield from self._configurations(argument, {}, 0)
        elif name == "heuristics":
            for rules in self._values.alternatives(argument, {}):
                if isinstance(rules, Collection):
                    for parameter, rule in rules.keywords:
                        yield parameter, self._heuristic(rule)

    def _heuristic(self, rule: Expression) -> set[int]:
        if not isinstance(rule, FunctionValue):
            return set()
        results = returned(self._file.functions[rule.function].body)
        found = [self._values.integers(result, {}) for result in results]
        return set[int]().union(*found) if all(found) else set()

    def _configurations(self, node: Expression, bound: Bindings, depth: int) -> Given:
        """Yield what the configurations in a list set, whatever gives the list."""
        if depth > _DEEPEST:
            return
        if isinstance(node, Call) and last_component(node.function) == "Config":
            yield from self._configuration(node, bound)
            return
        parts, inner = self._parts(node, bound)
        for part in parts:
            yield from self._configurations(part, inner, depth + 1)

    def _parts(self, node: Expression, bound: Bindings) -> tuple[Iterable[Expression], Bindings]:
        """Return the lists and elements that a list is made of, and the names bound in them."""
        if isinstance(node, Opaque):
            return node.parts[:1], self._loops(node, bound)
        if isinstance(node, Collection):
            return node.items, bound
        if isinstance(node, Operation):
            return node.operands, bound
        if isinstance(node, Choice):
            return (node.then, node.otherwise), bound
        if isinstance(node, Starred):
            return (node.value,), bound
        if isinstance(node, Call):
            is_list = last_component(node.function) in _LISTS
            return (node.arguments[-1:], bound) if is_list else self._values.called(node)
        return [one for one in self._values.alternatives(node, bound) if one != node], bound

    def _configuration(self, node: Call, bound: Bindings) -> Given:
        """Yield what one ``Config({...}, num_warps, num_stages)`` sets."""
        names = ("kwargs", "num_warps", "num_stages", "num_ctas")
        for name, value in (*zip(names, node.arguments, strict=False), *node.keywords):
            if name != "kwargs":
                yield name, self._values.integers(value, bound)
                continue
            for one in self._values.alternatives(value, bound):
                if isinstance(one, Collection):
                    for key, setting in one.keywords:
                        yield key, self._values.integers(setting, bound)

    def _loops(self, node: Opaque, bound: Bindings) -> Bindings:
        """Return what the loops of a comprehension add to the bound names."""
        inner = dict(bound)
        for loop in node.parts:
            if not isinstance(loop, Collection) or loop.type != "for":
                continue
            target = loop.items[0]
            elements = list(self._values.elements(loop.items[1], inner))
            if isinstance(target, Name):
                inner[target.text] = elements
            elif isinstance(target, Collection):
                for index, name in enumerate(target.items):
                    if isinstance(name, Name):
                        inner[name.text] = [
                            one.items[index]
                            for one in elements
                            if isinstance(one, Collection) and index < len(one.items)
                        ]
        return inner
