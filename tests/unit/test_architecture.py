"""The structure the project promises: one-way imports, a pure middle, small modules."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "geoaudit"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Which rooms a room may import from, besides itself, errors and quantities.
ALLOWED = {
    "devices": set(),
    "manifest": set(),
    "launches": {"devices"},
    "sources": {"launches", "devices"},
    "recording": {"launches", "devices", "manifest", "source_axes"},
    "experiments": {"recording", "launches", "ranking", "manifest"},
    "source_axes": set(),
    "geometry": {"devices"},
    "shardcheck": {"devices", "diagnosis", "manifest"},
    "diagnosis": {"geometry", "devices", "launches"},
    "ranking": {"diagnosis", "geometry", "launches", "devices"},
    "render": {"shardcheck", "ranking", "diagnosis", "geometry", "launches", "devices"},
}
PURE = ("source_axes", "geometry", "diagnosis", "ranking", "render", "shardcheck")
LONG_MODULES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}


def _room(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", [m for m in MODULES if _room(m) in ALLOWED], ids=_name)
def test_imports_run_one_way(path: Path) -> None:
    room = _room(path)
    rooms = {name.split(".")[1] for name in _imports(_tree(path)) if name.startswith("geoaudit.")}
    assert rooms - ALLOWED[room] - {room, "errors", "quantities"} == set()


@pytest.mark.parametrize("path", [m for m in MODULES if _room(m) == "shardcheck"], ids=_name)
def test_sources_are_not_derived_by_what_plans_a_run(path: Path) -> None:
    """Of a manifest only where its keys stand is shared: a prediction is held against a plan."""
    shared = {name for name in _imports(_tree(path)) if name.startswith("geoaudit.manifest")}
    assert shared <= {"geoaudit.manifest.lines", "geoaudit.manifest.location"}


def _is_pure(path: Path) -> bool:
    return _room(path) in PURE and not _name(path).startswith("shardcheck/discovery/")


@pytest.mark.parametrize("path", [m for m in MODULES if _is_pure(m)], ids=_name)
def test_pure_rooms_touch_nothing_outside(path: Path) -> None:
    banned = {"os", "sys", "time", "datetime", "pathlib", "subprocess", "socket", "cupy", "random"}
    assert {name.split(".")[0] for name in _imports(_tree(path))} & banned == set()
    calls = {
        node.func.id
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls & {"open", "print", "input", "eval", "exec"} == set()


@pytest.mark.parametrize("path", [m for m in MODULES if _room(m) != "cli"], ids=_name)
def test_only_the_command_line_prints(path: Path) -> None:
    calls = [
        node.lineno
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert calls == []


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_modules_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count("\n") > 300:
        assert _name(path) in LONG_MODULES
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > 40:
                assert f"{_name(path)}:{node.name}" in LONG_FUNCTIONS, length


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_no_vague_names(path: Path) -> None:
    assert not {"utils", "common", "helpers", "manager", "misc"} & set(
        path.relative_to(PACKAGE).with_suffix("").parts
    )


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_no_broad_except(path: Path) -> None:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, node.lineno
            assert ast.unparse(node.type) not in {"Exception", "BaseException"}, node.lineno


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from geoaudit.cli.main import main\n"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0\n"
        "heavy = {'pandas', 'pyarrow', 'numpy', 'scipy', 'cupy', 'rich', 'jinja2', 'msgspec',\n"
        "         'tree_sitter', 'tree_sitter_cuda'}\n"
        "print(*sorted(heavy & set(sys.modules)))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == ""
