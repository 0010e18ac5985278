"""Bytes in flight of the machine code beside what a manifest declares."""

from collections.abc import Callable
from pathlib import Path

import pytest

from geoaudit.errors import NotMeasuredError
from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import Module, StepPlan
from geoaudit.manifest.reading import parse_manifest
from geoaudit.manifest.settings import resolve_settings
from geoaudit.recording.suite.code_figures import with_code_figures
from geoaudit.recording.suite.runtime import CompiledModule
from tests.unit.manifest.example_manifest import FILE, changed
from tests.unit.recording.machine_code.assembly import Line, text_of
from tests.unit.recording.suite.fake_device import FakeRuntime

ENTRY = "projection<1>"
MANGLED = "_Z10projectionILi1EEvPf"
ONE_LOAD: tuple[Line, ...] = (("LDG.E R4, desc[UR6][R2.64]", 0), ("EXIT", 7, (0,)))
TWO_WIDE_LOADS: tuple[Line, ...] = (
    ("LDG.E.128 R4, desc[UR6][R2.64]", 0),
    ("LDG.E.128 R8, desc[UR6][R2.64+0x10]", 1),
    ("EXIT", 7, (0, 1)),
)


class Suite:
    """The example with code for its kernels, and a disassembler that says what it is given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runtime = FakeRuntime()
        self.tool = folder / "nvdisasm"
        self.tool.write_text('#!/bin/sh\ncat "$3"\n')
        self.tool.chmod(0o755)
        self.source = folder / "kernels.cu"
        self.source.write_text((FILE.parent / "kernels.cu").read_text())

    def plan(self, *changes: tuple[str, str]) -> StepPlan:
        manifest = parse_manifest(changed(*changes), file=str(self.folder / "m.toml"))
        return plan(manifest, resolve_settings(manifest))

    def has_code(self, norm: tuple[Line, ...]) -> None:
        text = "\n".join([text_of(norm, "rms_norm"), text_of(TWO_WIDE_LOADS, MANGLED)])
        for module in self.plan().modules:
            names = {entry: MANGLED for entry in module.entries if entry.startswith("projection<")}
            self.runtime.code[module.key.file] = CompiledModule(code=text.encode(), names=names)

    def find(self) -> Path | None:
        return self.tool


def in_flight(one: StepPlan) -> dict[str, int | None]:
    return {launch.shape.kernel: launch.shape.bytes_in_flight_per_thread for launch in one.launches}


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Suite(tmp_path)


def test_what_is_not_declared_is_filled_and_what_is_declared_stays(suite: Suite) -> None:
    suite.has_code(ONE_LOAD)
    before = suite.plan()
    assert in_flight(before) == {"rms_norm": 4, "projection": None}
    found = with_code_figures(before, suite.runtime, suite.find)
    assert in_flight(found.plan) == {"rms_norm": 4, "projection": 32}
    assert found.warnings == ()
    assert [one.shape.grid for one in found.plan.launches] == [
        one.shape.grid for one in before.launches
    ]


def test_more_than_twice_of_what_the_code_has_outstanding_is_a_warning(suite: Suite) -> None:
    suite.has_code(ONE_LOAD)
    eight = with_code_figures(suite.plan(_declared(8)), suite.runtime, suite.find)
    assert eight.warnings == ()
    nine = with_code_figures(suite.plan(_declared(9)), suite.runtime, suite.find)
    assert nine.warnings == (
        "rms_norm: the manifest declares 9 bytes in flight per thread, and the machine code of "
        "rms_norm has at most 4 outstanding before it waits. Declare bytes_in_flight_per_thread "
        "anew, or see why the compiler orders its loads otherwise.",
    )
    assert in_flight(nine.plan)["rms_norm"] == 9


def test_less_than_the_code_has_outstanding_is_no_contradiction(suite: Suite) -> None:
    suite.has_code(TWO_WIDE_LOADS)
    assert with_code_figures(suite.plan(), suite.runtime, suite.find).warnings == ()


def test_nothing_is_compiled_twice_until_the_source_changes(suite: Suite) -> None:
    suite.has_code(ONE_LOAD)
    first = with_code_figures(suite.plan(), suite.runtime, suite.find)
    compilations = suite.runtime.compilations
    assert compilations > 0
    # What is kept needs no tool.
    assert with_code_figures(suite.plan(), suite.runtime, lambda: None) == first
    assert suite.runtime.compilations == compilations
    suite.source.write_text(suite.source.read_text() + "// changed\n")
    with_code_figures(suite.plan(), suite.runtime, suite.find)
    assert suite.runtime.compilations == 2 * compilations


def test_a_damaged_file_of_the_cache_is_read_anew(suite: Suite) -> None:
    suite.has_code(ONE_LOAD)
    first = with_code_figures(suite.plan(), suite.runtime, suite.find)
    for file in (suite.folder / "cache").rglob("*.json"):
        file.write_bytes(b"{")
    assert with_code_figures(suite.plan(), suite.runtime, suite.find) == first


def _refuses(module: Module) -> CompiledModule | None:
    raise NotMeasuredError("no compiler")


def _no_tool(suite: Suite) -> None:
    suite.tool.unlink()


def _no_code(suite: Suite) -> None:
    suite.runtime.code.clear()


def _no_compiler(suite: Suite) -> None:
    suite.runtime.compiled = _refuses  # type: ignore[method-assign]


def _no_source(suite: Suite) -> None:
    suite.source.unlink()


def _no_room(suite: Suite) -> None:
    (suite.folder / "cache").write_text("a file")
    suite.tool.unlink()


@pytest.mark.parametrize("lack", [_no_tool, _no_code, _no_compiler, _no_source, _no_room])
def test_what_is_lacking_is_no_error_and_leaves_the_plan(
    suite: Suite, lack: Callable[[Suite], None]
) -> None:
    suite.has_code(ONE_LOAD)
    lack(suite)
    found = with_code_figures(suite.plan(), suite.runtime, suite.find)
    assert (found.plan, found.warnings) == (suite.plan(), ())


def test_where_nothing_can_be_kept_it_is_read_all_the_same(suite: Suite) -> None:
    (suite.folder / "cache").write_text("a file")
    suite.has_code(ONE_LOAD)
    found = with_code_figures(suite.plan(), suite.runtime, suite.find)
    assert in_flight(found.plan)["projection"] == 32


def _declared(size: int) -> tuple[str, str]:
    return ("bytes_in_flight_per_thread = 4", f"bytes_in_flight_per_thread = {size}")
