"""Asks the slice one question of a short source: what a name is, or what a launch's grid is."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from geoaudit.shardcheck.c_family.reading import read_c_file
from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.python.file_program import read_python_file
from geoaudit.shardcheck.slicing.index import ProgramIndex, index_of
from geoaudit.shardcheck.slicing.launches.launch_sites import launch_sites
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.sites import Hop, LaunchConstant, LaunchSite
from geoaudit.shardcheck.slicing.slicer import Slicer
from geoaudit.shardcheck.slicing.values import Quantity
from geoaudit.shardcheck.symbolic.evaluation import evaluate
from geoaudit.shardcheck.symbolic.extents import Extent, Integer, Unknown
from geoaudit.shardcheck.symbolic.walking import symbols
from geoaudit.shardcheck.symbolic.wording import as_text
from tests.expected_extents import differences, expected_axes, spelling, symbols_of

ENGINE_CU, ENGINE_PY = "engine.cu", "engine.py"
ONE = Integer(value=1)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A number that a source was asked for, and the named constants that the slice met."""

    quantity: Quantity
    constants: tuple[LaunchConstant, ...]

    @property
    def extent(self) -> Extent:
        """How many."""
        return self.quantity.extent

    @property
    def names(self) -> set[str]:
        """Every name on the way."""
        return {name for _, name in self.quantity.trail.names}

    @property
    def hops(self) -> tuple[Hop, ...]:
        """Every line on the way, nearest first."""
        return self.quantity.trail.hops


def read(text: str, path: str) -> FileProgram:
    """The program of a source; its indentation does not count."""
    text = textwrap.dedent(text)
    return read_python_file(path, text) if path.endswith(".py") else read_c_file(path, text)


def index(files: Mapping[str, str]) -> ProgramIndex:
    """Sources by path, indexed."""
    return index_of([read(text, path) for path, text in files.items()])


def value_of(
    text: str,
    name: str = "x",
    *,
    function: str = "f",
    path: str = ENGINE_CU,
    beside: Mapping[str, str] | None = None,
    crosses_files: bool = False,
) -> Answer:
    """What a variable is at the end of a function's body, as a number."""
    program = index({path: text, **(beside or {})})
    (indexed,) = (one for one in program.functions[function] if one.path == path)
    body = indexed.function.body
    slicer = Slicer(program=program, crosses_files=crosses_files)
    end = Point(block=body, index=len(body))
    found = slicer.quantity(e.Name(name), slicer.open_frame(indexed), end)
    return Answer(quantity=found, constants=tuple(slicer.constants.values()))


def c_value(body: str, before: str = "") -> Answer:
    """What ``x`` is at the end of a C++ function of integers n, m, k and a condition c."""
    return value_of(f"{before}\nvoid f(int n, int m, int k, bool c) {{\n{body}\n}}\n")


def python_value(body: str, before: str = "") -> Answer:
    """What ``x`` is at the end of a Python function of n, m, k, a condition c and a tensor q."""
    body, before = textwrap.dedent(body).strip(), textwrap.dedent(before)
    inner = textwrap.indent(body, "    ")
    return value_of(f"{before}\ndef f(n, m, k, c, q):\n{inner}\n", path=ENGINE_PY)


def sites_of(
    text: str, path: str = ENGINE_CU, beside: Mapping[str, str] | None = None
) -> tuple[LaunchSite, ...]:
    """The launches of a file, among others that are read with it."""
    files = {path: text, **(beside or {})}
    found = launch_sites([read(one, name) for name, one in files.items()])
    return tuple(site for site in found if site.path == path)


def site_of(
    text: str, path: str = ENGINE_CU, beside: Mapping[str, str] | None = None
) -> LaunchSite:
    """The one launch of a file."""
    (site,) = sites_of(text, path, beside)
    return site


def assert_extent(found: Answer, expected: str) -> None:
    """The extent has the expected value whatever its symbols are, and depends on no others."""
    _compare(f"({expected})", (found.extent, ONE, ONE), found.constants)


def assert_grid(site: LaunchSite, expected: str) -> None:
    """Each axis of a grid has the expected value, and depends on nothing else."""
    x, y, z = (axis.extent for axis in site.grid)
    _compare(expected, (x, y, z), site.constants)


def _compare(
    expected: str, extents: tuple[Extent, Extent, Extent], constants: tuple[LaunchConstant, ...]
) -> None:
    wrong = differences(expected, extents, constants)
    known = {spelling(one.symbol.name) for one in constants}
    for axis, extent in zip(expected_axes(expected), extents, strict=True):
        wanted = set(symbols_of(axis)) | known
        more = {spelling(one.name) for one in symbols(extent)} - wanted
        wrong += [f"it depends on {sorted(more)}: {as_text(extent)}"] if more else []
    assert not wrong, "; ".join(wrong)


def assert_unknown(found: Answer, *, of: set[str], reason: str = "") -> None:
    """The extent cannot be told, for that reason, and it is known what it depends on."""
    assert isinstance(found.extent, Unknown), found.extent
    assert reason in found.extent.reason, found.extent.reason
    depends = {one.name for one in symbols(found.extent)}
    assert depends == of, f"it depends on {sorted(depends)}"


def worth(found: Answer, **values: int) -> int:
    """The one value that an extent has where its symbols have these."""
    got = evaluate(found.extent, lambda symbol: values.get(symbol.name))
    assert got is not None, as_text(found.extent)
    (one,) = got
    return one
