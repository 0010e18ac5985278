"""Expressions as the source writes them, shortened, ``->`` as ``.`` and without ``&``."""

from geoaudit.shardcheck.program import expressions as e

MOST_CHARACTERS = 100


def spelled(node: e.Expression) -> str:
    """The expression as text, at most 100 characters."""
    text = _spelled(node)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _spelled(node: e.Expression) -> str:  # noqa: C901 (one case for each node)
    match node:
        case e.Number(value=value):
            return str(value)
        case e.Real(value=real):
            return repr(real)
        case e.Text(value=words):
            return repr(words)
        case e.Name(text=text):
            return text
        case e.Member():
            return f"{_spelled(node.value)}.{node.name}"
        case e.Subscript():
            return f"{_spelled(node.value)}[{_listed(node.indices)}]"
        case e.Slice():
            return f"{_optional(node.lower)}:{_optional(node.upper)}"
        case e.Operation():
            return _operation(node)
        case e.Choice():
            parts = (node.condition, node.then, node.otherwise)
            return "{} ? {} : {}".format(*(_spelled(part) for part in parts))
        case e.Cast():
            return _spelled(node.value)
        case e.Call():
            return f"{_spelled(node.function)}({_listed(node.arguments, node.keywords)})"
        case e.Collection():
            return f"{node.type}({_listed(node.items, node.keywords)})"
        case e.Starred():
            return f"*{_spelled(node.value)}"
        case e.Launch():
            return f"{_spelled(node.kernel)}<<<{_spelled(node.grid)}>>>"
        case e.Opaque(text=text):
            return text
        case _:
            return "lambda"


def _optional(node: e.Expression | None) -> str:
    return "" if node is None else _spelled(node)


def _listed(
    nodes: tuple[e.Expression, ...], keywords: tuple[tuple[str, e.Expression], ...] = ()
) -> str:
    given = [_spelled(node) for node in nodes]
    return ", ".join([*given, *(f"{name}={_spelled(node)}" for name, node in keywords)])


def _operation(node: e.Operation) -> str:
    parts = [
        f"({_spelled(part)})" if isinstance(part, e.Operation | e.Choice) else _spelled(part)
        for part in node.operands
    ]
    if len(parts) == 1:
        return parts[0] if node.operator == "&" else f"{node.operator}{parts[0]}"
    return f" {node.operator} ".join(parts)
