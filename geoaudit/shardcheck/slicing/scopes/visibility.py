"""Which of several definitions of one name a use sees: by lines of macros, and by namespaces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from geoaudit.shardcheck.program.file_program import FileProgram, Using
from geoaudit.shardcheck.program.statements import Assign, Function

Definition = TypeVar("Definition", Assign, Function)


@dataclass(frozen=True, kw_only=True)
class Use:
    """Where a name is used.

    Attributes:
        path: of the file.
        line: outermost: of a name in a macro, where the macro is used.
        namespaces: around it, with its class, joined by ``::``.
        usings: of the file.
    """

    path: str
    line: int
    namespaces: str = ""
    usings: tuple[Using, ...] = ()


def use_in(file: FileProgram, function: Function, line: int) -> Use:
    """A use in a function of a file."""
    around = "::".join(part for part in (function.namespace, function.owner) if part)
    return Use(path=file.path, line=line, namespaces=around, usings=file.usings)


def seen(use: Use | None, text: str, found: Sequence[Definition], path: str) -> list[Definition]:
    """The definitions in a file that a name as written may mean; all, where none fits better."""
    if use is None or len(found) < 2:
        return list(found)
    holding = list(found)
    if any(one.until for one in found):
        holding = [one for one in found if _holds(one, use, path)] or holding
    qualifier = text.rpartition("::")[0].removeprefix("::")
    for namespace in _tried(use, text, qualifier):
        near = [one for one in holding if _is_in(one.namespace, namespace)]
        if near:
            return near
    return holding


def _holds(one: Assign | Function, use: Use, path: str) -> bool:
    if use.path != path:
        return not one.until
    return one.line <= use.line and (not one.until or use.line < one.until)


def _tried(use: Use, text: str, qualifier: str) -> Iterator[str]:
    """Namespaces in which a name is looked for, the nearest first."""
    if qualifier:
        first, _, rest = qualifier.partition("::")
        for using in use.usings:
            if using.local == first:
                yield "::".join(part for part in (using.name, rest) if part)
        yield qualifier
        return
    parts = use.namespaces.split("::") if use.namespaces else []
    for count in range(len(parts), 0, -1):
        yield "::".join(parts[:count])
    for using in use.usings:
        if using.local == text:
            yield using.name.rpartition("::")[0]
        elif not using.local:
            yield using.name
    yield ""


def _is_in(namespace: str, wanted: str) -> bool:
    if not wanted:
        return not namespace
    return namespace == wanted or namespace.endswith(f"::{wanted}")
