"""The promises of this room besides those that test_architecture.py holds of all rooms."""

import ast
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[3] / "geoaudit" / "manifest"
PURE = sorted(path for path in ROOM.glob("*.py") if path.name != "reading.py")


@pytest.mark.parametrize("path", PURE, ids=lambda path: path.name)
def test_only_the_reader_opens_files(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert names & {"open", "Path", "os", "sys", "io", "time", "print", "eval", "exec"} == set()


@pytest.mark.parametrize("path", sorted(ROOM.glob("*.py")), ids=lambda path: path.name)
def test_it_imports_no_other_room(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    own = [name for name in modules if name.startswith("geoaudit")]
    assert [name for name in own if name.split(".")[1] not in {"manifest", "errors"}] == []


@pytest.mark.parametrize("path", sorted(ROOM.glob("*.py")), ids=lambda path: path.name)
def test_public_values_are_frozen(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        decorators = [ast.unparse(one) for one in getattr(node, "decorator_list", ())]
        if any(one.startswith("dataclass") for one in decorators):
            name = getattr(node, "name", "")
            is_builder = name in {"Assembly", "_Expansion"}
            assert any("frozen=True, kw_only=True" in one for one in decorators) or is_builder, name
