"""What stands at the top of a file, in namespaces and in classes: found, not yet converted."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from geoaudit.shardcheck.c_family.syntax import Parsed

_CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_CONTAINERS = frozenset(
    {
        "translation_unit",
        "declaration_list",
        "field_declaration_list",
        "compound_statement",
        "friend_declaration",
        "preproc_if",
        "preproc_ifdef",
        "preproc_elif",
        "preproc_elifdef",
        "preproc_else",
    }
)
_STATEMENTS = frozenset({"declaration", "field_declaration", "alias_declaration", "enum_specifier"})


@dataclass(frozen=True, kw_only=True)
class Context:
    """Where an item stands.

    Attributes:
        namespace, owner: as in `Function`.
        is_hidden: in an anonymous namespace.
        template: the template parameters before it.
        is_damaged: under something that was not understood.
    """

    namespace: str = ""
    owner: str = ""
    is_hidden: bool = False
    template: Node | None = None
    is_damaged: bool = False


@dataclass(frozen=True, kw_only=True)
class Item:
    """A function, class, declaration or statement, and where it stands."""

    node: Node
    context: Context
    parsed: Parsed

    @property
    def is_function(self) -> bool:
        """Whether it is the definition of a function."""
        return self.node.type == "function_definition"

    @property
    def start(self) -> int:
        """First byte in the file."""
        return self.parsed.offset(self.node)

    @property
    def end(self) -> int:
        """Byte of the file after the last one."""
        return self.node.end_byte + self.parsed.first_byte


def items_below(parsed: Parsed, node: Node, context: Context) -> Iterator[Item]:
    """Items in a node, in order."""
    for child in node.named_children:
        yield from items_of(parsed, child, context)


def items_of(parsed: Parsed, node: Node, context: Context) -> Iterator[Item]:
    """The items that a node is or holds, in order."""
    kind = node.type
    if kind in _CONTAINERS:
        yield from items_below(parsed, node, context)
    elif kind in {"ERROR", "linkage_specification"}:
        inside = replace(context, is_damaged=True) if kind == "ERROR" else context
        yield from items_below(parsed, node, inside)
    elif kind == "namespace_definition":
        body = node.child_by_field_name("body")
        if body:
            yield from items_below(parsed, body, _in_namespace(parsed, node, context))
    elif kind == "template_declaration":
        parameters = node.child_by_field_name("parameters")
        yield from items_below(parsed, node, replace(context, template=parameters))
    elif kind in _CLASSES:
        yield from _of_class(parsed, node, context, "")
    elif kind == "type_definition":
        yield from _of_typedef(parsed, node, context)
    elif kind == "function_definition" or kind in _STATEMENTS or kind.endswith("_statement"):
        yield from _of_declared_type(parsed, node, context)
        yield Item(node=node, context=context, parsed=parsed)


def _in_namespace(parsed: Parsed, node: Node, context: Context) -> Context:
    name = node.child_by_field_name("name")
    if name is None:
        return replace(context, is_hidden=True)
    joined = f"{context.namespace}::{parsed.text(name)}" if context.namespace else parsed.text(name)
    return replace(context, namespace=joined)


def _of_declared_type(parsed: Parsed, node: Node, context: Context) -> Iterator[Item]:
    """A class or enumeration that is defined where a variable of it is declared."""
    type_node = node.child_by_field_name("type")
    if type_node is None or not type_node.type.endswith("_specifier"):
        return
    if type_node.type in _CLASSES or type_node.type == "enum_specifier":
        yield from items_of(parsed, type_node, context)


def _of_class(parsed: Parsed, node: Node, context: Context, name: str) -> Iterator[Item]:
    body = node.child_by_field_name("body")
    if body is None:
        return
    name = class_name(parsed, node) or name
    yield Item(node=node, context=replace(context, owner=name), parsed=parsed)
    yield from items_below(parsed, body, replace(context, owner=name, template=None))


def _of_typedef(parsed: Parsed, node: Node, context: Context) -> Iterator[Item]:
    type_node = node.child_by_field_name("type")
    declarator = node.child_by_field_name("declarator")
    name = parsed.text(declarator) if declarator else ""
    if type_node and type_node.type in _CLASSES and type_node.child_by_field_name("body"):
        yield from _of_class(parsed, type_node, context, name)
        if class_name(parsed, type_node) in {"", name}:
            return
    elif type_node and type_node.type == "enum_specifier":
        yield from items_of(parsed, type_node, context)
    yield Item(node=node, context=context, parsed=parsed)


def class_name(parsed: Parsed, node: Node) -> str:
    """Name of a class without namespaces and template arguments."""
    name = node.child_by_field_name("name")
    while name is not None and name.type in {"qualified_identifier", "template_type"}:
        name = name.child_by_field_name("name")
    return parsed.text(name) if name else ""
