"""Which calls are kernel launches, by the syntax of each library."""

import ast
from collections.abc import Callable
from dataclasses import replace

from geoaudit.shardcheck.python.bracket_launches import find_bracket_launch, is_kernel_name
from geoaudit.shardcheck.python.kernel_names import KnownNames
from geoaudit.shardcheck.python.launch_syntax import (
    Doubtful,
    Finding,
    LaunchSyntax,
    end_of,
    field_of,
    tuple_of,
)
from geoaudit.shardcheck.python.syntax import dotted, keyword, keywords_but, last_name

_PALLAS = frozenset({"pallas_call", "partial", "kernel"})  # give what is then called


def find_launch(node: ast.Call, names: KnownNames) -> Finding:
    """Return the launch that a call is; None: it is none."""
    function = node.func
    if isinstance(function, ast.Subscript):
        return find_bracket_launch(node, function, names) or _raw_kernel(node, names)
    if isinstance(function, ast.Call) and last_name(function) in _PALLAS:
        made = find_launch(function, names)
        if isinstance(made, LaunchSyntax):
            place = made.place or end_of(function.func)
            return replace(made, arguments=node.args, keywords=node.keywords, place=place)
    reader = _READERS.get(last_name(function))
    found = reader(node, names) if reader is not None else None
    return found or _raw_kernel(node, names)


def _by_keyword(
    node: ast.Call, idiom: str, kernel: ast.expr | None, arguments: list[ast.expr]
) -> LaunchSyntax | None:
    """Return a launch whose grid, and block if any, are keyword arguments."""
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
    )


def _launch(node: ast.Call, names: KnownNames) -> Finding:
    """``kernel(...).launch(grid=...)`` of the CuTe DSL, ``ct.launch(...)``, ``launch(...)``."""
    function = node.func
    if not isinstance(function, ast.Attribute):
        return _cuda_core(node, names)
    library = dotted(function.value)
    if library == "ct" or "cuda.tile" in names.modules.get(library, ""):
        return _cutile(node)
    if "cuda.core" in names.modules.get(library, ""):
        return _cuda_core(node, names)
    receiver = function.value
    if isinstance(receiver, ast.Call):
        return _by_keyword(node, "cute", receiver.func, receiver.args)
    return _by_keyword(node, "cute", receiver, node.args)


def _cutile(node: ast.Call) -> Finding:
    if len(node.args) < 3 or isinstance(node.args[1], ast.Starred):
        return Doubtful(reason="launch of cuda.tile without stream, grid and kernel in place")
    return LaunchSyntax(
        idiom="cutile",
        kernel=node.args[2],
        grid=node.args[1],
        arguments=node.args[3:],
        keywords=node.keywords,
    )


def _cuda_core(node: ast.Call, names: KnownNames) -> Finding:
    """``launch(stream, config, kernel, ...)`` of cuda.core."""
    origin = names.modules.get(dotted(node.func).partition(".")[0], "")
    if "cuda.core" not in origin or len(node.args) < 3:
        return None
    return LaunchSyntax(
        idiom="cuda-core",
        kernel=node.args[2],
        grid=field_of(node.args[1], "grid"),
        block=field_of(node.args[1], "block"),
        arguments=node.args[3:],
        keywords=node.keywords,
    )


def _run(node: ast.Call, names: KnownNames) -> Finding:
    """``kernel.run(..., grid=...)`` and ``kernel.warmup(..., grid=...)`` of Triton."""
    if not isinstance(node.func, ast.Attribute) or keyword(node, "grid") is None:
        return None
    receiver = node.func.value
    name = last_name(receiver)
    if "triton" in names.libraries or name in names.kernels or is_kernel_name(name):
        return _by_keyword(node, "triton", receiver, node.args)
    return Doubtful(reason=f"{name or 'the receiver'} is not known to be a kernel")


def _tilelang(node: ast.Call, names: KnownNames) -> Finding:
    root = dotted(node.func).partition(".")[0]
    is_tilelang = root in {"T", "tilelang"} or "tilelang" in names.modules.get(root, "")
    if not is_tilelang or not node.args:
        return None
    threads = keyword(node, "threads")
    return LaunchSyntax(
        idiom="tilelang",
        kernel=None,
        grid=tuple_of(node.args, node),
        block=None if threads is None else threads.value,
        arguments=[],
        keywords=keywords_but(node, {"threads"}),
    )


def _pallas(node: ast.Call, _: KnownNames) -> Finding:
    return _pallas_call(node, node.args[0] if node.args else None)


def _partial(node: ast.Call, _: KnownNames) -> Finding:
    """``partial(pl.pallas_call, grid=...)``, a decorator of the kernel or a call of its own."""
    if not node.args or last_name(node.args[0]) != "pallas_call":
        return None
    return _pallas_call(node, node.args[1] if len(node.args) > 1 else None)


def _pallas_call(node: ast.Call, kernel: ast.expr | None) -> LaunchSyntax:
    if isinstance(kernel, ast.Call) and last_name(kernel) == "partial" and kernel.args:
        kernel = kernel.args[0]
    found = _by_keyword(node, "pallas", kernel, [])
    if found is not None:
        return found
    specification = keyword(node, "grid_spec")
    return LaunchSyntax(
        idiom="pallas",
        kernel=kernel,
        grid=field_of(specification.value, "grid") if specification else tuple_of([], node),
        arguments=[],
        keywords=keywords_but(node, {"grid_spec"}),
    )


def _mosaic(node: ast.Call, names: KnownNames) -> Finding:
    """``plgpu.kernel(body, out_shape=..., grid=...)``."""
    root = dotted(node.func).partition(".")[0]
    if not node.args or "pallas" not in names.modules.get(root, ""):
        return None
    return _by_keyword(node, "pallas", node.args[0], [])


def _jax_triton(node: ast.Call, _: KnownNames) -> Finding:
    if dotted(node.func).startswith("self."):
        return None
    kernel = keyword(node, "kernel")
    found = _by_keyword(node, "jax-triton", kernel.value if kernel else None, node.args)
    if kernel is None or found is None:
        return Doubtful(reason="triton_call without the keywords kernel and grid")
    return found


def _raw_kernel(node: ast.Call, names: KnownNames) -> Finding:
    """``k((gx,), (bx,), arguments)`` of CuPy; ``k(..., grid=, block=)`` of PyCUDA and PyTorch."""
    if not names.has_raw_kernels:
        return None
    function, arguments = node.func, node.args
    is_known = names.kernels.get(last_name(function)) == "cupy"
    if isinstance(function, ast.Call):
        is_known = last_name(function) in {"get_function", "RawKernel"}
    if is_known and keyword(node, "grid") is not None:
        return _by_keyword(node, "cupy", function, arguments)
    if len(arguments) < 2 or any(isinstance(item, ast.Starred) for item in arguments[:2]):
        return None
    if not is_known and not _is_shaped_so(arguments):
        return None
    return LaunchSyntax(
        idiom="cupy",
        kernel=function,
        grid=arguments[0],
        block=arguments[1],
        arguments=arguments[2:],
        keywords=node.keywords,
    )


def _is_shaped_so(arguments: list[ast.expr]) -> bool:
    """Whether arguments look like grid, block and a tuple of arguments."""
    if len(arguments) < 3 or not isinstance(arguments[2], ast.Tuple):
        return False
    grid, block = arguments[:2]
    return (isinstance(grid, ast.Tuple) or "grid" in last_name(grid)) and (
        isinstance(block, ast.Tuple) or "block" in last_name(block)
    )


def _forall(node: ast.Call, names: KnownNames) -> Finding:
    """``kernel.forall(n)(...)`` of Numba."""
    is_kernel = isinstance(node.func, ast.Attribute) and (
        names.kernels.get(last_name(node.func.value)) == "numba"
    )
    return Doubtful(reason="numba: forall chooses the grid itself") if is_kernel else None


_READERS: dict[str, Callable[[ast.Call, KnownNames], Finding]] = {
    "launch": _launch,
    "run": _run,
    "warmup": _run,
    "forall": _forall,
    "Kernel": _tilelang,
    "pallas_call": _pallas,
    "partial": _partial,
    "kernel": _mosaic,
    "triton_call": _jax_triton,
}
