"""Small questions to Python's syntax tree."""

import ast
from collections.abc import Collection


def dotted(node: ast.expr) -> str:
    """Return ``a.b.c`` of names and attributes; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def last_name(node: ast.expr) -> str:
    """Return the last component of a name, or of a call's function; else empty."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    """Return the keyword argument of a name."""
    for item in call.keywords:
        if item.arg == name:
            return item
    return None


def keywords_but(call: ast.Call, names: Collection[str | None]) -> list[ast.keyword]:
    """Return the keyword arguments but those of some names."""
    return [item for item in call.keywords if item.arg not in names]


def annotation_text(node: ast.expr | None) -> str:
    """Return a type annotation as it is written, in one line."""
    if node is None:
        return ""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant):
        return node.value[:80] if isinstance(node.value, str) else repr(node.value)[:80]
    if isinstance(node, ast.Attribute):
        return f"{annotation_text(node.value)}.{node.attr}"
    if isinstance(node, ast.Subscript):
        return f"{annotation_text(node.value)}[{annotation_text(node.slice)}]"
    if isinstance(node, ast.Tuple):
        return ", ".join(annotation_text(item) for item in node.elts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return f"{annotation_text(node.left)} | {annotation_text(node.right)}"
    if isinstance(node, ast.List):
        return f"[{', '.join(annotation_text(item) for item in node.elts)}]"
    return ""
