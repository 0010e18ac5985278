"""Which expressions do something, and which end a path."""

from collections.abc import Iterable

from geoaudit.shardcheck.c_family.calls import last_component
from geoaudit.shardcheck.program.expressions import (
    Call,
    Cast,
    Choice,
    Collection,
    Expression,
    FunctionValue,
    Launch,
    Member,
    Number,
    Opaque,
    Operation,
    Starred,
    Subscript,
)

_ENDS = frozenset({"abort", "exit", "_exit", "_Exit", "quick_exit", "terminate", "__trap"})
_ENDS_MACRO = ("_ABORT", "_UNREACHABLE", "_THROW", "_FATAL")
_CHECKS = ("_CHECK", "_ASSERT", "assert", "CHECK", "ASSERT")


def ends_path(value: Expression) -> bool:
    """Whether a call never comes back: ``exit(1)``, ``TORCH_CHECK(false, …)``."""
    if not isinstance(value, Call):
        return False
    name = last_component(value.function)
    if name in _ENDS or (name.isupper() and name.endswith(_ENDS_MACRO)):
        return True
    return bool(value.arguments) and value.arguments[0] == Number(0) and name.endswith(_CHECKS)


def has_effect(value: Expression) -> bool:
    """Whether a call, a launch or a lambda is in an expression."""
    match value:
        case Call() | Launch() | FunctionValue():
            return True
        case Operation(_, parts) | Opaque(_, parts):
            return _any(parts)
        case Choice(condition, then, otherwise):
            return _any((condition, then, otherwise))
        case Collection(items, keywords):
            return _any(items) or _any(item for _, item in keywords)
        case Cast(_, inner) | Member(inner, _) | Subscript(inner, _) | Starred(inner):
            return has_effect(inner)
        case _:
            return False


def _any(parts: Iterable[Expression]) -> bool:
    return any(map(has_effect, parts))
