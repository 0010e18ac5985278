"""Default arguments of C++ that stand in a declaration, and not where the function's body is."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.program.statements import Function, Parameter

Declared = tuple[str, str, tuple[str, ...]]
"""A function's name, its class and the types of its parameters."""


def declared_defaults(files: Iterable[FileProgram]) -> Mapping[Declared, tuple[Parameter, ...]]:
    """Declarations that give defaults -> their parameters."""
    return {
        _key(function): function.parameters
        for file in files
        if file.language == "c"
        for function in file.functions
        if function.is_declaration and any(one.default for one in function.parameters)
    }


def with_defaults(
    function: Function, declared: Mapping[Declared, tuple[Parameter, ...]]
) -> Function | None:
    """A function with the defaults of its declaration; None: it is given none by one."""
    found = declared.get(_key(function)) if function.parameters and declared else None
    if found is None or function.is_declaration:
        return None
    pairs = zip(function.parameters, found, strict=True)
    parameters = tuple(replace(own, default=own.default or one.default) for own, one in pairs)
    return replace(function, parameters=parameters)


def _key(function: Function) -> Declared:
    return function.name, function.owner, tuple(one.type for one in function.parameters)
