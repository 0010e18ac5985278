"""Which names of a file stand for kernels, for tables, for grids: read before all else."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from geoaudit.shardcheck.python.syntax import dotted, last_name

# Functions that make a launchable kernel of CUDA text.
_RAW_KERNEL_MAKERS = frozenset({"RawKernel", "get_function", "_compile_kernel"})
_WRAPPERS = frozenset({"autotune", "heuristics", "wrap_triton", "capture_triton", "libentry"})
_NOT_TRITON = frozenset({"torch", "jax", "cute", "cutlass", "tilelang", "numba", "nb", "cudnn"})
_LIBRARIES = ("triton", "numba", "cupy", "pycuda")
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(kw_only=True)
class KnownNames:
    """Names of a file, wherever in it they are bound.

    Attributes:
        kernels: name -> idiom by which it is launched.
        tables: dictionaries, lists and their like.
        grids: tuples, lambdas and functions named so.
        modules: local name -> module, or module and name, that it was imported from.
        libraries: those of `_LIBRARIES` that are imported.
    """

    kernels: dict[str, str] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    grids: set[str] = field(default_factory=set)
    modules: dict[str, str] = field(default_factory=dict)
    libraries: frozenset[str] = frozenset()
    has_raw_kernels: bool = False


def known_names(tree: ast.Module) -> KnownNames:
    """Return what the names of a file stand for."""
    names = KnownNames()
    bound: list[tuple[str, ast.expr]] = []
    for node in _statements(tree.body):
        if isinstance(node, Definition):
            _note_function(names, node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            _note_import(names, node)
        elif isinstance(node, ast.Assign):
            bound.extend((last_name(target), node.value) for target in node.targets)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            bound.append((last_name(node.target), node.value))
    bound = [(name, value) for name, value in bound if name]
    for name, value in bound:
        _note_value(names, name, value)
    for name, value in bound:
        idiom = _alias_idiom(names, value)
        if idiom:
            names.kernels.setdefault(name, idiom)
    names.libraries = frozenset(
        library
        for library in _LIBRARIES
        if any(library in module for module in names.modules.values())
    )
    names.has_raw_kernels = "cupy" in names.kernels.values() or bool(
        names.libraries & {"cupy", "pycuda"}
    )
    return names


def decorated_idiom(node: ast.expr, modules: Mapping[str, str]) -> str:
    """Return the idiom of the kernels that a decorator makes; empty where it makes none."""
    name = dotted(node.func if isinstance(node, ast.Call) else node)
    root, last = name.partition(".")[0], name.rpartition(".")[2]
    origin = modules.get(root, root)
    if last == "jit" or last.endswith("_jit"):
        return _jit_idiom(name, root, origin)
    if last == "kernel":
        if root == "ct" or "cuda.tile" in origin:
            return "cutile"
        return "cute" if root in {"cute", "cutlass"} or "cutlass" in origin else ""
    return {"rawkernel": "cupy", "prim_func": "tilelang"}.get(last, "")


def _jit_idiom(name: str, root: str, origin: str) -> str:
    if name.endswith("cuda.jit") or (name == "jit" and "numba.cuda" in origin):
        return "numba"
    if root in _NOT_TRITON:
        return ""
    words = name + origin
    return "triton" if "triton" in words or "gluon" in words else ""


def function_idiom(node: Definition, modules: Mapping[str, str]) -> str:
    """Return the idiom of a function that is a kernel, or holds one (``tilelang``); else empty."""
    for decorator in node.decorator_list:
        idiom = decorated_idiom(decorator, modules)
        if idiom:
            return idiom
    annotations = (one.annotation for one in (*node.args.args, *node.args.kwonlyargs))
    has_constants = any(one is not None and last_name(one) == "constexpr" for one in annotations)
    return "triton" if has_constants and not _calls_bracket(node) else ""


def _calls_bracket(node: Definition) -> bool:
    """Whether a function calls ``name[index](...)``, which no kernel does."""
    return any(
        isinstance(inner, ast.Call) and isinstance(inner.func, ast.Subscript)
        for inner in ast.walk(node)
    )


def _note_function(names: KnownNames, node: Definition) -> None:
    idiom = function_idiom(node, names.modules)
    if idiom and idiom != "tilelang":
        names.kernels[node.name] = idiom
    elif "grid" in node.name:
        names.grids.add(node.name)


def _note_import(names: KnownNames, node: ast.Import | ast.ImportFrom) -> None:
    for item in node.names:
        origin = item.name
        if isinstance(node, ast.ImportFrom):
            origin = f"{node.module or ''}.{item.name}"
        names.modules[item.asname or item.name] = origin


def _note_value(names: KnownNames, name: str, value: ast.expr) -> None:
    if isinstance(value, ast.Dict | ast.List | ast.DictComp | ast.ListComp):
        names.tables.add(name)
    elif isinstance(value, ast.Tuple | ast.Lambda):
        names.grids.add(name)
    elif isinstance(value, ast.Call):
        idiom = _made_idiom(value, names.modules)
        if idiom:
            names.kernels[name] = idiom
        elif last_name(value) in {"dict", "defaultdict", "OrderedDict"}:
            names.tables.add(name)


def _made_idiom(call: ast.Call, modules: Mapping[str, str]) -> str:
    """Return the idiom of what a call makes: ``triton.jit(f)``, ``RawKernel(...)``."""
    if last_name(call) in _RAW_KERNEL_MAKERS:
        return "cupy"
    maker = call.func.func if isinstance(call.func, ast.Call) else call.func
    if last_name(maker) in _WRAPPERS:
        return "triton"
    idiom = decorated_idiom(maker, modules)
    return "" if idiom == "tilelang" else idiom


def _alias_idiom(names: KnownNames, value: ast.expr) -> str:
    if isinstance(value, ast.IfExp):
        return _alias_idiom(names, value.body) or _alias_idiom(names, value.orelse)
    if isinstance(value, ast.Name | ast.Attribute):
        return names.kernels.get(last_name(value), "")
    return ""


def _statements(nodes: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield all statements, those of blocks after the one that holds them."""
    waiting = list(reversed(list(nodes)))
    while waiting:
        node = waiting.pop()
        yield node
        inner: list[ast.stmt] = []
        for block in ("body", "orelse", "finalbody"):
            inner.extend(getattr(node, block, ()))
        for handler in getattr(node, "handlers", ()):
            inner.extend(handler.body)
        waiting.extend(reversed(inner))
