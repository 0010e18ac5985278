"""The functions, constants and structures of a CUDA source."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from geoaudit.source_axes.values import UnmodelledError

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, kw_only=True)
class Unit:
    """What a source and its headers define.

    Attributes:
        functions: by name; several where a name is overloaded.
        constants: initial values, by name.
        structures: members in order, by name.
        macros: text, by name.
        ambiguous: constants with more than one initial value.
        own: names of functions that the first text defines; the others are a header's.
    """

    functions: dict[str, list["Node"]] = field(default_factory=dict)
    constants: dict[str, "Node"] = field(default_factory=dict)
    structures: dict[str, tuple[str, ...]] = field(default_factory=dict)
    macros: dict[str, str] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    ambiguous: set[str] = field(default_factory=set)


def line_of(node: "Node") -> int:
    """From 1."""
    return int(node.start_point[0]) + 1


def text_of(node: "Node | None") -> str:
    """The text of a node; empty without one."""
    return "" if node is None or node.text is None else node.text.decode(errors="replace")


def child(node: "Node", name: str) -> "Node":
    """A part of a node by its name in the grammar.

    Raises:
        UnmodelledError: it has no such part.
    """
    found = node.child_by_field_name(name)
    if found is None:
        raise UnmodelledError(f"a {node.type.replace('_', ' ')} without {name}", line_of(node))
    return found


def named(node: "Node") -> list["Node"]:
    """Named children, without comments."""
    return [one for one in node.named_children if one.type != "comment"]


def first(node: "Node") -> "Node":
    """The first named child.

    Raises:
        UnmodelledError: it has none.
    """
    parts = named(node)
    if not parts:
        raise UnmodelledError(f"an empty {node.type.replace('_', ' ')}", line_of(node))
    return parts[0]


def declared_name(node: "Node | None") -> str:
    """The name in a declarator; empty where there is none."""
    while node is not None and node.type not in ("identifier", "field_identifier"):
        inner = node.child_by_field_name("declarator")
        candidates = [one for one in node.named_children if one.type.endswith(_NAMES)]
        node = inner or next(iter(candidates), None)
    return text_of(node)


_NAMES = ("declarator", "identifier")


def read_unit(texts: tuple[str, ...]) -> Unit:
    """What texts define together; tree-sitter is imported here and nowhere else.

    Raises:
        UnmodelledError: tree-sitter is not installed.
    """
    try:
        import tree_sitter
        import tree_sitter_cuda
    except ImportError as error:
        raise UnmodelledError("tree-sitter is not installed", 1) from error
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
    unit = Unit()
    for number, text in enumerate(texts):
        for node in _top_level(parser.parse(text.encode()).root_node):
            _take(unit, node)
        if number == 0:
            unit.own.update(unit.functions)
    return unit


def _top_level(node: "Node") -> Iterator["Node"]:
    for one in node.named_children:
        if one.type in _CONTAINERS:
            yield from _top_level(one)
        else:
            yield one


_CONTAINERS = (
    "linkage_specification",
    "declaration_list",
    "template_declaration",
    "namespace_definition",
    "preproc_ifdef",
)


def _take(unit: Unit, node: "Node") -> None:
    if node.type == "function_definition":
        name = declared_name(node.child_by_field_name("declarator"))
        unit.functions.setdefault(name, []).append(node)
    elif node.type == "struct_specifier":
        body = node.child_by_field_name("body")
        members = list(named(body)) if body else []
        if all(one.type == "field_declaration" for one in members):
            unit.structures[text_of(node.child_by_field_name("name"))] = tuple(
                declared_name(part)
                for one in members
                for part in one.children_by_field_name("declarator")
            )
    elif node.type == "declaration" and "const" in text_of(node).split("=")[0]:
        for part in node.children_by_field_name("declarator"):
            value = part.child_by_field_name("value")
            name = declared_name(part)
            if name in unit.constants:
                unit.ambiguous.add(name)
            if value is not None:
                unit.constants[name] = value
    elif node.type in ("preproc_def", "preproc_function_def"):
        is_call = node.type == "preproc_function_def"
        text = "" if is_call else text_of(node.child_by_field_name("value")).strip()
        unit.macros[text_of(node.child_by_field_name("name"))] = text
