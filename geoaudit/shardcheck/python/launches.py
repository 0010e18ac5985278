"""Which calls are kernel launches, by the syntax of each library."""

import ast
from collections.abc import Callable
from dataclasses import dataclass

from geoaudit.shardcheck.python.bracket_launches import bracket_idiom
from geoaudit.shardcheck.python.kernel_names import KnownNames
from geoaudit.shardcheck.python.syntax import dotted, keyword, keywords_but, last_name


@dataclass(frozen=True, kw_only=True)
class LaunchSyntax:
    """A launch in the syntax tree.

    Attributes:
        kernel: None: the function that the launch stands in (TileLang).
        place: line and column, in bytes, of what holds the grid; of a bracket: where its value
            ends.
        anchor: the same of where the called name ends, which a text search finds.
        is_bracket: `place` is before a ``[``.
    """

    idiom: str
    kernel: ast.expr | None
    grid: ast.expr
    block: ast.expr | None = None
    arguments: list[ast.expr]
    keywords: list[ast.keyword]
    place: tuple[int, int]
    anchor: tuple[int, int]
    is_bracket: bool = False


@dataclass(frozen=True, kw_only=True)
class Doubtful:
    """A call that looks like a launch, and why it is not taken for one."""

    reason: str


def find_launch(node: ast.Call, names: KnownNames) -> LaunchSyntax | Doubtful | None:
    """Return the launch that a call is; None: it is none."""
    function = node.func
    if isinstance(function, ast.Subscript):
        return _bracket(node, function, names)
    if isinstance(function, ast.Call):
        inner = find_launch(function, names)
        if isinstance(inner, LaunchSyntax) and inner.idiom == "pallas":
            return _with_arguments(inner, node)
    reader = _READERS.get(last_name(function))
    found = reader(node, names) if reader is not None else None
    return found or _raw_kernel(node, names)


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _start(node: ast.keyword | ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _with_arguments(launch: LaunchSyntax, outer: ast.Call) -> LaunchSyntax:
    return LaunchSyntax(
        idiom=launch.idiom,
        kernel=launch.kernel,
        grid=launch.grid,
        arguments=outer.args,
        keywords=outer.keywords,
        place=launch.place,
        anchor=launch.anchor,
    )


def _bracket(
    node: ast.Call, function: ast.Subscript, names: KnownNames
) -> LaunchSyntax | Doubtful | None:
    idiom = bracket_idiom(node, function, names)
    if not idiom:
        return None
    if idiom.startswith("doubtful"):
        return Doubtful(reason=idiom)
    grid, block = function.slice, None
    if idiom in {"numba", "cupy"}:
        grid, block = _grid_and_block(function.slice)
    return LaunchSyntax(
        idiom=idiom,
        kernel=function.value,
        grid=grid,
        block=block,
        arguments=node.args,
        keywords=node.keywords,
        place=_end(function.value),
        anchor=_end(function.value),
        is_bracket=True,
    )


def _grid_and_block(index: ast.expr) -> tuple[ast.expr, ast.expr]:
    if isinstance(index, ast.Tuple) and len(index.elts) > 1:
        return index.elts[0], index.elts[1]
    first, second = (
        ast.copy_location(
            ast.Subscript(
                value=index, slice=ast.copy_location(ast.Constant(value=i), index), ctx=ast.Load()
            ),
            index,
        )
        for i in (0, 1)
    )
    return first, second


def _by_keyword(
    node: ast.Call, idiom: str, kernel: ast.expr, arguments: list[ast.expr]
) -> LaunchSyntax | None:
    grid, block = keyword(node, "grid"), keyword(node, "block")
    if grid is None:
        return None
    return LaunchSyntax(
        idiom=idiom,
        kernel=kernel,
        grid=grid.value,
        block=None if block is None else block.value,
        arguments=arguments,
        keywords=keywords_but(node, {"grid", "block", "kernel"}),
        place=_start(grid),
        anchor=_end(node.func),
    )


def _launch(node: ast.Call, names: KnownNames) -> LaunchSyntax | Doubtful | None:
    function = node.func
    if not isinstance(function, ast.Attribute):
        return _cuda_core(node, names)
    if len(node.args) >= 3 and keyword(node, "grid") is None:
        origin = names.modules.get(dotted(function.value), "")
        if dotted(function.value) == "ct" or "cuda.tile" in origin:
            return LaunchSyntax(
                idiom="cutile",
                kernel=node.args[2],
                grid=node.args[1],
                arguments=node.args[3:],
                keywords=node.keywords,
                place=_start(node.args[1]),
                anchor=_end(function),
            )
    receiver = function.value
    if isinstance(receiver, ast.Call):
        return _by_keyword(node, "cute", receiver.func, receiver.args)
    return _by_keyword(node, "cute", receiver, node.args)


def _cuda_core(node: ast.Call, names: KnownNames) -> LaunchSyntax | None:
    """``launch(stream, config, kernel, ...)`` of cuda.core."""
    if "cuda.core" not in names.modules.get(dotted(node.func), "") or len(node.args) < 3:
        return None
    config = node.args[1]
    grid, block = _field(config, "grid"), _field(config, "block")
    return LaunchSyntax(
        idiom="cuda-core",
        kernel=node.args[2],
        grid=grid,
        block=block,
        arguments=node.args[3:],
        keywords=node.keywords,
        place=_start(config),
        anchor=_end(node.func),
    )


def _field(value: ast.expr, name: str) -> ast.expr:
    if isinstance(value, ast.Call):
        given = keyword(value, name)
        if given is not None:
            return given.value
    return ast.copy_location(ast.Attribute(value=value, attr=name, ctx=ast.Load()), value)


def _run(node: ast.Call, _: KnownNames) -> LaunchSyntax | None:
    if not isinstance(node.func, ast.Attribute):
        return None
    return _by_keyword(node, "triton", node.func.value, node.args)


def _tilelang(node: ast.Call, _: KnownNames) -> LaunchSyntax | None:
    if not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    threads = keyword(node, "threads")
    grid = ast.copy_location(ast.Tuple(elts=node.args, ctx=ast.Load()), node)
    return LaunchSyntax(
        idiom="tilelang",
        kernel=None,
        grid=grid,
        block=None if threads is None else threads.value,
        arguments=[],
        keywords=keywords_but(node, {"threads"}),
        place=_end(node.func),
        anchor=_end(node.func),
    )


def _pallas(node: ast.Call, _: KnownNames) -> LaunchSyntax | Doubtful | None:
    kernel = node.args[0] if node.args else None
    if kernel is None:
        return Doubtful(reason="pallas_call without a kernel as its first argument")
    if isinstance(kernel, ast.Call) and last_name(kernel) == "partial" and kernel.args:
        kernel = kernel.args[0]
    found = _by_keyword(node, "pallas", kernel, [])
    if found is not None:
        return found
    specification = keyword(node, "grid_spec")
    if specification is not None:
        grid, place = _field(specification.value, "grid"), _start(specification)
    else:
        grid, place = ast.copy_location(ast.Tuple(elts=[], ctx=ast.Load()), node), _end(node.func)
    return LaunchSyntax(
        idiom="pallas",
        kernel=kernel,
        grid=grid,
        arguments=[],
        keywords=keywords_but(node, {"grid_spec"}),
        place=place,
        anchor=_end(node.func),
    )


def _mosaic(node: ast.Call, names: KnownNames) -> LaunchSyntax | None:
    """``plgpu.kernel(body, out_shape=..., grid=...)``."""
    if not node.args or "pallas" not in names.modules.get(dotted(node.func).partition(".")[0], ""):
        return None
    return _by_keyword(node, "pallas", node.args[0], [])


def _jax_triton(node: ast.Call, _: KnownNames) -> LaunchSyntax | Doubtful:
    kernel = keyword(node, "kernel")
    if kernel is not None:
        found = _by_keyword(node, "jax-triton", kernel.value, node.args)
        if found is not None:
            return found
    return Doubtful(reason="triton_call without the keywords kernel and grid")


def _raw_kernel(node: ast.Call, names: KnownNames) -> LaunchSyntax | None:
    """``k((gx,), (bx,), arguments)`` of CuPy; ``k(..., grid=, block=)`` of PyCUDA."""
    if "cupy" not in names.kernels.values() and not _mentions_cupy(names):
        return None
    is_known = names.kernels.get(last_name(node.func)) == "cupy"
    if isinstance(node.func, ast.Call):
        is_known = last_name(node.func) in {"get_function", "RawKernel"}
    if is_known and keyword(node, "grid") is not None:
        return _by_keyword(node, "cupy", node.func, node.args)
    shapes = [isinstance(item, ast.Tuple) for item in node.args[:3]]
    if len(node.args) < 2 or not (is_known or shapes == [True, True, True]):
        return None
    if any(isinstance(item, ast.Starred) for item in node.args[:2]):
        return None
    return LaunchSyntax(
        idiom="cupy",
        kernel=node.func,
        grid=node.args[0],
        block=node.args[1],
        arguments=node.args[2:],
        keywords=node.keywords,
        place=_start(node.args[0]),
        anchor=_end(node.func),
    )


def _mentions_cupy(names: KnownNames) -> bool:
    return any(module.startswith("cupy") for module in names.modules.values())


_READERS: dict[str, Callable[[ast.Call, KnownNames], LaunchSyntax | Doubtful | None]] = {
    "launch": _launch,
    "run": _run,
    "warmup": _run,
    "Kernel": _tilelang,
    "pallas_call": _pallas,
    "kernel": _mosaic,
    "triton_call": _jax_triton,
}
