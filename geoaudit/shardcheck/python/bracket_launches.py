"""Tells a launch ``kernel[grid](...)`` from an entry of a table and from a generic type."""

import ast
import re

from geoaudit.shardcheck.python.kernel_names import KnownNames
from geoaudit.shardcheck.python.launch_syntax import (
    Doubtful,
    Finding,
    LaunchSyntax,
    item_of,
    start_of,
)
from geoaudit.shardcheck.python.syntax import last_name

_OPTIONS = frozenset({"num_warps", "num_stages", "num_ctas", "maxnreg", "waves_per_eu"})
_KERNEL_NAME = re.compile(
    r"(?:^|_)(?:kernel|krnl|fwd|bwd|triton|gluon)(?:_|\d|$)|[a-z]kernel\d*$|Kernel$"
)
_TYPE_NAMES = frozenset(
    {"str", "int", "float", "bool", "bytes", "list", "dict", "tuple", "set", "object", "type"}
    | {"Any", "Tensor", "Callable", "Optional"}
)
_DOUBTFUL_NAME = Doubtful(reason="the name is a kernel's, its index is not known to be a grid")
_DOUBTFUL_TUPLE = Doubtful(reason="a tuple as index of a name that is not known to be a kernel")


def is_kernel_name(name: str) -> bool:
    """Whether a name says that it is a kernel."""
    return _KERNEL_NAME.search(name) is not None


def find_bracket_launch(call: ast.Call, function: ast.Subscript, names: KnownNames) -> Finding:
    """Return the launch that ``value[index](...)`` is."""
    idiom = _idiom(call, function, names)
    if not isinstance(idiom, str):
        return idiom
    return _launch(idiom, function, call)


def find_kept_launch(node: ast.Subscript, names: KnownNames) -> LaunchSyntax | None:
    """Return the launch of ``kernel[grid]`` that is kept as a value and called elsewhere."""
    idiom = names.kernels.get(last_name(node.value), "")
    name = last_name(node.slice)
    is_grid = isinstance(node.slice, ast.Tuple | ast.Lambda) or "grid" in name.lower()
    if not idiom or not is_grid:
        return None
    return _launch(idiom, node, ast.Call(func=node, args=[], keywords=[]))


def _launch(idiom: str, function: ast.Subscript, call: ast.Call) -> LaunchSyntax:
    has_block = idiom in {"numba", "cupy"}
    return LaunchSyntax(
        idiom=idiom,
        kernel=function.value,
        grid=item_of(function.slice, 0) if has_block else function.slice,
        block=item_of(function.slice, 1) if has_block else None,
        arguments=call.args,
        keywords=call.keywords,
    )


def _idiom(call: ast.Call, function: ast.Subscript, names: KnownNames) -> str | Doubtful | None:
    name, index = last_name(function.value), function.slice
    if isinstance(index, ast.Slice) or _is_type(index):
        return None
    if name in names.kernels:
        return names.kernels[name]
    if name in names.tables and not is_kernel_name(name):
        return None
    if _has_kernel_keywords(call) or isinstance(index, ast.Lambda):
        return "triton"
    looks_so = _gives_kernel(function.value)
    if isinstance(index, ast.Tuple):
        return _of_tuple(index, looks_so, names)
    if "grid" in last_name(index).lower() or (looks_so and isinstance(index, ast.Call | ast.BinOp)):
        return "triton"
    if last_name(index) in names.grids and not _is_cached(name, last_name(index)):
        return "triton" if looks_so or name in names.modules else _DOUBTFUL_TUPLE
    return _DOUBTFUL_NAME if looks_so else None


def _gives_kernel(value: ast.expr) -> bool:
    """Whether a name, a choice, a table or a call gives a kernel, by its name."""
    if isinstance(value, ast.IfExp):
        return _gives_kernel(value.body) or _gives_kernel(value.orelse)
    if isinstance(value, ast.BoolOp):
        return any(map(_gives_kernel, value.values))
    if isinstance(value, ast.Subscript):
        return "kernel" in last_name(value.value).lower()
    name = last_name(value)
    return is_kernel_name(name) or name in {"wrap_triton", "capture_triton"}


def _has_kernel_keywords(call: ast.Call) -> bool:
    return any(
        item.arg is not None and (item.arg in _OPTIONS or item.arg.isupper())
        for item in call.keywords
    )


def _is_cached(table: str, index: str) -> bool:
    """Whether a name and its index are those of a cache: ``compiled_cache[key]``."""
    return "cache" in table.lower() or "key" in index.lower()


def _of_tuple(index: ast.Tuple, looks_so: bool, names: KnownNames) -> str | Doubtful | None:
    items = index.elts
    if not items or any(map(_is_type, items)):
        return None
    if looks_so:
        is_numba = "numba" in names.libraries and "triton" not in names.libraries
        return "numba" if is_numba and len(items) > 1 else "triton"
    is_parenthesised = start_of(index) < start_of(items[0])
    if not is_parenthesised or len(items) > 3:
        return None
    if len(items) == 1 or any(map(_is_count, items)):
        return "triton"
    return _DOUBTFUL_TUPLE


def _is_type(item: ast.expr) -> bool:
    """Whether an index is a type, a string or a truth value: nothing that counts."""
    if isinstance(item, ast.Constant):
        return type(item.value) is not int
    if isinstance(item, ast.Subscript):
        return _is_type(item.value)
    if isinstance(item, ast.BinOp) and isinstance(item.op, ast.BitOr):
        return _is_type(item.left)
    return last_name(item) in _TYPE_NAMES and not isinstance(item, ast.Call)


def _is_count(item: ast.expr) -> bool:
    return isinstance(item, ast.Constant | ast.BinOp | ast.Call | ast.Subscript)
