"""A launch site: where it is, what it launches, and its grid as far as the source tells."""

from dataclasses import dataclass

from geoaudit.shardcheck.symbolic.extents import Extent, Symbol


@dataclass(frozen=True, kw_only=True)
class Hop:
    """A line on the way from a launch to what its grid is made of.

    Attributes:
        path, line: where.
        text: what happens there in the words of the source: ``grid = dim3(n_head, 3)``.
    """

    path: str
    line: int
    text: str


@dataclass(frozen=True, kw_only=True)
class LaunchConstant:
    """A named constant on the way to a grid; its symbol, of kind ``constant``, stays in the extent.

    Attributes:
        symbol: as it stands in the extents; its path and line are those of the definition.
        values: its value; several of a set that is searched at run time (autotuning).
        remark: comment above or beside the definition; else empty.
    """

    symbol: Symbol
    values: tuple[int, ...]
    remark: str = ""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One axis of a grid or block.

    Attributes:
        extent: how many.
        symbols: every name on the way, as written, ``->`` as ``.``, sorted.
        roots: the last of them inside the site's file, sorted.
    """

    extent: Extent
    symbols: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LaunchSite:
    """A launch.

    Attributes:
        path, line: of the launch; `offset` tells launches of one line apart.
        kernel: its name without namespaces and template arguments, or the expression as written.
        launcher: function or macro that is called here and launches; None: a primitive.
        idiom: ``chevron``, ``triton``, ``cudaLaunchKernelEx``, ``launcher``, ...
        function: the function it stands in.
        grid: x, y, z.
        block: x, y, z; None: the language has none, or it is not told.
        guards: conditions that hold where it launches, as extents that are not 0.
        chain: derivation, from the launch backwards.
        is_launcher: its grid and its kernel are both parameters of the function it stands in: the
            calls of that function are sites of their own.
        callers_followed: how many calls deep the slice went.
        language: ``c``, ``python`` or ``manifest``.
        constants: named constants in its extents whose values are known.
        bindings: of symbols in its extents, what they are beyond its file: where callers in other
            files, fields and tensors are made.
        aliases: of symbols in its extents, the variables that were given exactly their value.
    """

    path: str
    line: int
    offset: int
    kernel: str
    launcher: str | None
    idiom: str
    function: str
    grid: tuple[Axis, Axis, Axis]
    block: tuple[Axis, Axis, Axis] | None = None
    guards: tuple[Extent, ...] = ()
    chain: tuple[Hop, ...] = ()
    is_launcher: bool = False
    callers_followed: int = 0
    language: str = "c"
    constants: tuple[LaunchConstant, ...] = ()
    bindings: tuple[tuple[Symbol, Extent], ...] = ()
    aliases: tuple[tuple[Symbol, tuple[str, ...]], ...] = ()
