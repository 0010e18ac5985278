"""Points of a function: where a statement stands, and what the statements before it assign."""

from collections.abc import Iterator
from dataclasses import dataclass

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.walking import blocks_of

Block = tuple[s.Statement, ...]
Place = tuple[str, ...]
"""A variable, then members and constant elements (``[0]``) of it."""

SOME_ELEMENT = "[]"


@dataclass(frozen=True, kw_only=True, eq=False)
class Point:
    """Just before a statement of a block.

    Attributes:
        block, index: the statement; one past the last is the block's end.
        parent: point of the statement that holds the block; None: the block is a function's body.
        holder: that statement.
    """

    block: Block
    index: int
    parent: "Point | None" = None
    holder: s.Statement | None = None

    @property
    def statement(self) -> s.Statement:
        """What stands here."""
        return self.block[self.index]

    def at(self, index: int) -> "Point":
        """Another point of the same block."""
        return Point(block=self.block, index=index, parent=self.parent, holder=self.holder)

    def end_of(self, block: Block) -> "Point":
        """The end of a block that the statement here holds."""
        return Point(block=block, index=len(block), parent=self, holder=self.statement)

    @property
    def key(self) -> tuple[int, int]:
        """Identifies the point within its function."""
        return id(self.block), self.index


def points_of(block: Block, parent: Point | None = None) -> Iterator[Point]:
    """A point before each statement of a block and of all blocks within it."""
    holder = parent.statement if parent else None
    for index, statement in enumerate(block):
        point = Point(block=block, index=index, parent=parent, holder=holder)
        yield point
        for inner in blocks_of(statement):
            yield from points_of(inner, point)


def place_of(node: e.Expression) -> Place | None:
    """The place that an expression names; None: it names none."""
    match node:
        case e.Name(text=text):
            return (text,)
        case e.Member():
            base = place_of(node.value)
            return None if base is None else (*base, node.name)
        case e.Subscript(indices=(index,)) if not isinstance(index, e.Slice):
            base = place_of(node.value)
            return None if base is None else (*base, _element(index))
        case e.Operation(operator="&" | "*", operands=(inner,)):
            return place_of(inner)
        case e.Cast():
            return place_of(node.value)
        case _:
            return None


def _element(index: e.Expression) -> str:
    match index:
        case e.Number(value=value):
            return f"[{value}]"
        case e.Text(value=key):
            return key
        case e.Operation(operator="-", operands=(e.Number(value=value),)):
            return f"[-{value}]"
        case _:
            return SOME_ELEMENT


def targets(node: e.Expression) -> Iterator[Place]:
    """The places that an assignment to an expression changes."""
    match node:
        case e.Collection():
            for item in node.items:
                yield from targets(item)
        case e.Starred():
            yield from targets(node.value)
        case _:
            place = place_of(node)
            if place is not None:
                yield place


def declares(block: Block, name: str) -> bool:
    """Whether a block declares a variable of its own."""
    return any(
        isinstance(one, s.Assign) and bool(one.type) and one.target == e.Name(name) for one in block
    )


def leaves(block: Block) -> bool:
    """Whether no path reaches the end of a block."""
    for statement in block:
        match statement:
            case s.Return():
                return True
            case s.Stop():
                return True
            case s.Branch() if statement.otherwise:
                if leaves(statement.then) and leaves(statement.otherwise):
                    return True
            case _:
                continue
    return False
