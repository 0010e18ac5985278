"""A launch of a manifest as a function: what is set around it, then the launch."""

from collections.abc import Iterator
from dataclasses import dataclass

from geoaudit.manifest.location import KeyPath
from geoaudit.shardcheck.manifest.document import Document, UnreadableError
from geoaudit.shardcheck.manifest.launch_items import LaunchItem
from geoaudit.shardcheck.manifest.symbols import (
    Definition,
    Definitions,
    assignments,
    at_once,
    definitions,
    following_from,
    needed_names,
    ordered_definitions,
)
from geoaudit.shardcheck.program.expressions import Collection, Launch, Name
from geoaudit.shardcheck.program.statements import (
    Assign,
    Branch,
    Evaluate,
    Function,
    Statement,
)

IDIOM = "manifest"


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a kernel's table says of its launches.

    Attributes:
        entry: the function's name, without template arguments.
        grid, block: the extents side by side.
        enabled: whether it is launched; None: always.
        symbols: of the kernel alone.
    """

    entry: str
    grid: Definition
    block: Definition
    enabled: Definition | None
    symbols: Definitions

    @property
    def names(self) -> frozenset[str]:
        """The symbols that it uses."""
        several = (self.grid, self.block, *((self.enabled,) if self.enabled else ()))
        return frozenset().union(*(one.names for one in several))


def launch_function(
    document: Document, symbols: Definitions, item: LaunchItem, offset: int = 0
) -> Function:
    """The function of a launch, named as its segment.

    What follows from a symbol that is set follows from the new value, as in a run.

    Args:
        document: the manifest.
        symbols: of its top, in order.
        item: the launch.
        offset: tells it apart from others on its line.

    Raises:
        UnreadableError: its kernel is none, or has no grid that can be read.
    """
    shape = _shape(document, item)
    levels = [definitions(document, path) for path in item.sets]
    needed = needed_names(shape.names, [symbols, shape.symbols, *levels])
    body: list[Statement] = []
    given: set[str] = set()
    for level in levels:
        body += at_once({name: one for name, one in level.items() if name in needed})
        given |= level.keys()
        following = following_from(symbols, given)
        body += assignments({name: one for name, one in following.items() if name in needed})
    own = {n: one for n, one in shape.symbols.items() if n in needed and n not in given}
    body += assignments(own)
    body += _launching(shape, needed | given, document.line(item.path), offset)
    line = document.line(item.path)
    return Function(name=item.segment, kind="function", body=tuple(body), line=line)


def _launching(shape: Shape, taken: set[str], line: int, offset: int) -> Iterator[Statement]:
    grid, block = (_free(name, taken) for name in ("grid", "block"))
    yield Assign(grid, shape.grid.value, shape.grid.line)
    yield Assign(block, shape.block.value, shape.block.line)
    launch = Launch(IDIOM, Name(shape.entry), grid, block, (), (), line, offset)
    launching = Evaluate(launch, line)
    if shape.enabled is None:
        yield launching
    else:
        yield Branch(shape.enabled.value, (launching,), (), shape.enabled.line)


def _free(name: str, taken: set[str]) -> Name:
    """A name that no symbol has."""
    while name in taken:
        name += "_"
    return Name(name)


def _shape(document: Document, item: LaunchItem) -> Shape:
    path = ("kernels", item.kernel)
    table = document.table(path)
    if not table:
        line = document.line(item.path)
        raise UnreadableError(line, f"{item.kernel} is no kernel of this manifest")
    enabled = None
    if "enabled" in table:
        place = (*path, "enabled")
        enabled = Definition(value=document.formula(place), line=document.line(place))
    return Shape(
        entry=_entry(table.get("entry"), item.kernel),
        grid=_extents(document, (*path, "grid")),
        block=_extents(document, (*path, "block")),
        enabled=enabled,
        symbols=ordered_definitions(document, (*path, "symbols")),
    )


def _extents(document: Document, path: KeyPath) -> Definition:
    several = document.value(path)
    line = document.line(path)
    if not isinstance(several, list) or not 1 <= len(several) <= 3:
        raise UnreadableError(line, f"{path[-1]} is no list of 1 to 3 extents")
    values = tuple(document.formula((*path, number)) for number in range(len(several)))
    return Definition(value=Collection(values), line=line)


def _entry(entry: object, kernel: str) -> str:
    """The name of the function that is launched; the kernel's own where that is a formula's."""
    name = entry.partition("<")[0].strip() if isinstance(entry, str) else ""
    return name if name and "{" not in name else kernel
