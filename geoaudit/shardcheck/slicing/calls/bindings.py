"""Calls from Python of C++ functions, where the source shows what binds them.

``m.def("name", &function)`` of pybind11 and nanobind; of PyTorch ``m.def("name(Tensor q, int n)")``
with ``m.impl("name", ..., &function)``, called as ``torch.ops.NAMESPACE.name(...)``.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import last_name, within
from geoaudit.shardcheck.slicing.calls.arguments import accepts
from geoaudit.shardcheck.slicing.functions import CallSite, IndexedFunction
from geoaudit.shardcheck.slicing.index import ProgramIndex
from geoaudit.shardcheck.slicing.scopes import names
from geoaudit.shardcheck.slicing.values import Quantity, Reference

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_SCHEMA = re.compile(
    r"\s*(?:\w+::)?(?P<name>\w+)(?:\.\w+)?\s*(?:\((?P<parameters>.*)\)\s*->.*)?", re.S
)
_LIBRARIES = ("np", "numpy", "torch", "math", "os", "F", "triton", "tl", "jnp", "jax", "nn")
_DEFINING = ("def", "impl", "def_static")
_OVERLOADS = ("default", "out")
Names = tuple[str, tuple[str, ...]]


def python_calls(slicer: "Slicer", function: IndexedFunction) -> Iterator[CallSite]:
    """Calls from Python of a C++ function, with keywords by the names it has for them."""
    if function.file.language != "c" or function.function.kind != "function":
        return
    program = slicer.program
    if program.exposed is None:
        program.exposed = _exposed(program)
    for name, parameters in program.exposed.get(function.name, ()):
        for site in _named(program, name):
            if not _may_be_extension(slicer, site):
                continue
            call = _by_own_names(function, site.call, parameters)
            if accepts(function, call):
                yield CallSite(caller=site.caller, point=site.point, call=call)


def _exposed(program: ProgramIndex) -> dict[str, list[Names]]:
    """C++ function -> the names it is bound to, each with the names of its parameters there."""
    functions: dict[str, list[str]] = defaultdict(list)
    schemas: dict[str, tuple[str, ...]] = {}
    for defining in _DEFINING:
        for site in program.calls_of(defining):
            given = site.call.arguments
            if site.caller.file.language != "c" or not given or not isinstance(given[0], e.Text):
                continue
            found = _SCHEMA.fullmatch(given[0].value)
            if found is None:
                continue
            name, written = found["name"], found["parameters"]
            named = _parameter_names(written) if written else _keyword_names(given[1:])
            if named:
                schemas[name] = named
            for one in given[1:]:
                functions[name].extend(_functions_in(program, one))
    bound: dict[str, list[Names]] = defaultdict(list)
    for name, those in functions.items():
        for function in dict.fromkeys(those):
            bound[function].append((name, schemas.get(name, ())))
    return bound


def _parameter_names(written: str) -> tuple[str, ...]:
    """The names of a schema's parameters: ``Tensor! out, int n=1``."""
    found = (part.partition("=")[0].split() for part in written.split(",") if part.strip() != "*")
    return tuple(words[-1] for words in found if words)


def _keyword_names(given: tuple[e.Expression, ...]) -> tuple[str, ...]:
    """The names in ``py::arg("name")``."""
    return tuple(
        one.arguments[0].value
        for part in given
        for one in within(part)
        if isinstance(one, e.Call)
        and last_name(one.function) == "arg"
        and one.arguments
        and isinstance(one.arguments[0], e.Text)
    )


def _functions_in(program: ProgramIndex, node: e.Expression) -> Iterator[str]:
    for one in within(node):
        last = last_name(one) if isinstance(one, e.Name) else ""
        if last in program.functions:
            yield last


def _named(program: ProgramIndex, name: str) -> Iterator[CallSite]:
    """Calls in Python of ``name(...)``, ``x.name(...)``, ``x.name.default(...)``."""
    of_overloads = (
        site
        for overload in _OVERLOADS
        for site in program.calls_of(overload)
        if isinstance(site.call.function, e.Member) and last_name(site.call.function.value) == name
    )
    for site in (*program.calls_of(name), *of_overloads):
        if site.caller.file.language == "python":
            yield site


def _may_be_extension(slicer: "Slicer", site: CallSite) -> bool:
    """Whether what a call in Python is looked up in is an extension module, as far as is known."""
    text = spelled(site.call.function)
    if ".ops." in f".{text}":
        return True
    base = text.partition(".")[0]
    if base in {"self", *_LIBRARIES}:
        return False
    found = names.of_file(slicer, site.caller.file, base)
    return isinstance(found, Quantity) or (
        isinstance(found, Reference) and found.kind in {"module", "unknown"}
    )


def _by_own_names(function: IndexedFunction, call: e.Call, parameters: tuple[str, ...]) -> e.Call:
    """A call with keywords by the names that the function has for its parameters."""
    own = [one.name for one in function.own_parameters]
    if not call.keywords or len(own) != len(parameters):
        return call
    renamed = dict(zip(parameters, own, strict=True))
    keywords = tuple((renamed.get(name, name), value) for name, value in call.keywords)
    return e.Call(call.function, call.arguments, keywords, call.template_arguments, call.line)
