"""Tells a launch ``kernel[grid](...)`` from an entry of a table and from a generic type."""

import ast
import re

from geoaudit.shardcheck.python.kernel_names import KnownNames
from geoaudit.shardcheck.python.syntax import last_name

_OPTIONS = frozenset(
    "num_warps num_stages num_ctas maxnreg waves_per_eu matrix_instr_nonkdim launch_pdl".split()
)
_KERNEL_NAME = re.compile(r"(?:^|_)(?:kernel|krnl|fwd|bwd|triton|gluon)(?:_|\d|$)|[a-z]kernel\d*$|Kernel$")
_TYPE_NAMES = frozenset(
    "str int float bool bytes list dict tuple set Any Tensor None object type Callable Optional".split()
)


def bracket_idiom(call: ast.Call, function: ast.Subscript, names: KnownNames) -> str:
    """Return ``triton``, ``numba`` or ``cupy``; ``doubtful: why``; empty for no launch."""
    name, index = last_name(function.value), function.slice
    if isinstance(index, ast.Slice) or _is_text(index):
        return ""
    if name in names.kernels:
        return names.kernels[name]
    if name in names.tables:
        return ""
    looks_so = bool(_KERNEL_NAME.search(name)) or _is_wrapped(function.value)
    if _has_kernel_keywords(call) or isinstance(index, ast.Lambda):
        return "triton"
    if isinstance(index, ast.Tuple):
        return _of_tuple(index, function, looks_so, names)
    if _is_grid_name(index, names):
        return "triton"
    if looks_so and not isinstance(index, ast.Constant | ast.Name | ast.Attribute):
        return "triton"
    return "doubtful: the name is a kernel's, the index no grid" if looks_so else ""


def _is_text(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and not isinstance(index.value, int)


def _is_wrapped(value: ast.expr) -> bool:
    """Whether a call, a choice or a table gives the kernel, by its name."""
    if isinstance(value, ast.IfExp):
        return _is_wrapped(value.body) or _is_wrapped(value.orelse)
    if isinstance(value, ast.BoolOp):
        return any(map(_is_wrapped, value.values))
    if isinstance(value, ast.Subscript):
        return "kernel" in last_name(value.value).lower()
    name = last_name(value)
    return bool(_KERNEL_NAME.search(name)) or name in {"wrap_triton", "capture_triton"}


def _has_kernel_keywords(call: ast.Call) -> bool:
    return any(
        item.arg is not None and (item.arg in _OPTIONS or item.arg.isupper())
        for item in call.keywords
    )


def _is_grid_name(index: ast.expr, names: KnownNames) -> bool:
    name = last_name(index)
    return "grid" in name.lower() or (isinstance(index, ast.Name) and name in names.grids)


def _of_tuple(
    index: ast.Tuple, function: ast.Subscript, looks_so: bool, names: KnownNames
) -> str:
    if any(_is_type(item) for item in index.elts):
        return ""
    if looks_so:
        return "numba" if _is_numba(names) and len(index.elts) in {2, 4} else "triton"
    is_parenthesised = (index.lineno, index.col_offset) < (
        (index.elts[0].lineno, index.elts[0].col_offset) if index.elts else (0, 0)
    )
    if not is_parenthesised or len(index.elts) > 3:
        return ""
    if len(index.elts) == 1 or any(map(_is_count, index.elts)):
        return "triton"
    return "doubtful: a tuple as index, and nothing says that the name is a kernel"


def _is_numba(names: KnownNames) -> bool:
    modules = names.modules.values()
    return any("numba" in module for module in modules) and not any(
        "triton" in module for module in modules
    )


def _is_type(item: ast.expr) -> bool:
    if isinstance(item, ast.Constant):
        return not isinstance(item.value, int) or isinstance(item.value, bool)
    return last_name(item) in _TYPE_NAMES and not isinstance(item, ast.Call)


def _is_count(item: ast.expr) -> bool:
    return isinstance(item, ast.Constant | ast.BinOp | ast.Call | ast.Subscript)
