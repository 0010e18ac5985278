"""Which names of a file stand for kernels, for tables, for grids: read before all else."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from geoaudit.shardcheck.python.syntax import annotation_text, dotted, last_name

# Functions that make a launchable kernel of CUDA text.
RAW_KERNEL_MAKERS = frozenset({"RawKernel", "get_function", "_compile_kernel"})
_WRAPPERS = frozenset({"autotune", "heuristics", "wrap_triton", "capture_triton", "libentry"})
_NOT_TRITON = frozenset({"torch", "jax", "cute", "cutlass", "tilelang", "numba", "nb", "cudnn"})


@dataclass(kw_only=True)
class KnownNames:
    """Names of a file, wherever in it they are bound.

    Attributes:
        kernels: name -> idiom by which it is launched.
        tables: dictionaries, lists and their like.
        grids: tuples, lambdas and inner functions.
        modules: local name -> module, or module and name, that it was imported from.
    """

    kernels: dict[str, str] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    grids: set[str] = field(default_factory=set)
    modules: dict[str, str] = field(default_factory=dict)


def decorated_idiom(node: ast.expr, modules: dict[str, str]) -> str:
    """Return the idiom of the kernels that a decorator makes; empty where it makes none."""
    name = dotted(node.func if isinstance(node, ast.Call) else node)
    root, _, last = name.partition(".")[0], "", name.rpartition(".")[2]
    origin = modules.get(root, root)
    if last == "jit" or last.endswith("_jit"):
        return _jit_idiom(name, root, origin)
    if last == "kernel":
        if "cuda.tile" in origin or root == "ct":
            return "cutile"
        return "cute" if root in {"cute", "cutlass"} or "cutlass" in origin else ""
    return {"rawkernel": "cupy", "prim_func": "tilelang"}.get(last, "")


def _jit_idiom(name: str, root: str, origin: str) -> str:
    if name.endswith("cuda.jit") or (name == "jit" and "numba.cuda" in origin):
        return "numba"
    if root in _NOT_TRITON:
        return ""
    is_triton = any(word in text for word in ("triton", "gluon") for text in (name, origin))
    return "triton" if is_triton else ""


def function_idiom(
    node: ast.FunctionDef | ast.AsyncFunctionDef, modules: dict[str, str]
) -> str:
    """Return the idiom of a function that is a kernel, or holds one (``tilelang``); else empty."""
    for decorator in node.decorator_list:
        idiom = decorated_idiom(decorator, modules)
        if idiom:
            return idiom
    for parameter in (*node.args.args, *node.args.kwonlyargs):
        annotation = parameter.annotation
        if annotation is not None and annotation_text(annotation).endswith("constexpr"):
            return "triton"
    return ""


def known_names(tree: ast.Module) -> KnownNames:
    """Return what the names of a file stand for."""
    names = KnownNames()
    aliases: list[tuple[str, ast.expr]] = []
    for node in _statements(tree.body):
        if isinstance(node, ast.FunctionDef):
            idiom = function_idiom(node, names.modules)
            if idiom and idiom != "tilelang":
                names.kernels[node.name] = idiom
            elif "grid" in node.name:
                names.grids.add(node.name)
        elif isinstance(node, ast.Import):
            for item in node.names:
                names.modules[item.asname or item.name] = item.name
        elif isinstance(node, ast.ImportFrom):
            for item in node.names:
                names.modules[item.asname or item.name] = f"{node.module or ''}.{item.name}"
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in filter(None, map(last_name, targets)):
                _note(names, name, node.value)
                aliases.append((name, node.value))
    for name, value in aliases:
        idiom = _alias_idiom(names, value)
        if idiom:
            names.kernels.setdefault(name, idiom)
    return names


def _note(names: KnownNames, name: str, value: ast.expr) -> None:
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


def _made_idiom(call: ast.Call, modules: dict[str, str]) -> str:
    """Return the idiom of what a call makes: ``triton.jit(f)``, ``RawKernel(...)``."""
    if last_name(call) in RAW_KERNEL_MAKERS:
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
    for node in nodes:
        yield node
        for block in ("body", "orelse", "finalbody"):
            inner = getattr(node, block, None)
            if inner:
                yield from _statements(inner)
        for handler in getattr(node, "handlers", ()):
            yield from _statements(handler.body)
