"""The build: with the recorder where it can be compiled, else without it and with the reason."""

import re
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

import hatch_build
from geoaudit.cli.shipped import CAPTURE
from hatch_build import InjectorBuildHook, c_compiler, compile_injector
from tests.recorder.programs import INJECTOR, compiler, header_options

ROOT = Path(__file__).parents[2]


class _Build:
    """A run of the hook as hatch makes it, for a root and a target of ours."""

    def __init__(self, root: Path, target: str = "wheel") -> None:
        self.warnings: list[str] = []
        self.data: dict[str, object] = {"force_include": {}, "pure_python": True}
        self.hook = object.__new__(InjectorBuildHook)
        shown = SimpleNamespace(display_warning=self.warnings.append)
        for name, value in {"root": str(root), "target_name": target, "app": shown}.items():
            setattr(self.hook, f"_BuildHookInterface__{name}", value)


def test_without_a_compiler_the_reason_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CC", "/nonexistent/cc")
    reason = compile_injector(INJECTOR, tmp_path / "library.so")
    assert reason == "no C compiler was found (install gcc, or set CC)"
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert c_compiler() is None


def test_a_compiler_may_come_with_options(monkeypatch: pytest.MonkeyPatch) -> None:
    command = " ".join([*compiler(), "-g"])
    monkeypatch.setenv("CC", command)
    assert c_compiler() == command.split()


def test_without_the_headers_the_wheels_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler()
    monkeypatch.setattr(hatch_build, "HEADER_WHEELS", ("no-such-wheel",))
    reason = compile_injector(INJECTOR, tmp_path / "library.so")
    assert reason == "headers were not found (wheels no-such-wheel)"


def test_what_the_compiler_says_is_passed_on(tmp_path: Path) -> None:
    header_options()
    broken = tmp_path / "broken.c"
    broken.write_text("int main(void) { return missing; }\n")
    reason = compile_injector(tmp_path, tmp_path / "library.so")
    assert reason is not None
    assert re.search(r"failed: .*missing", reason, re.DOTALL)


@pytest.mark.parametrize("version", ["standard", "editable"])
def test_a_build_without_a_compiler_is_a_package_without_the_recorder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str
) -> None:
    monkeypatch.setenv("CC", "/nonexistent/cc")
    build = _Build(tmp_path)
    build.hook.initialize(version, build.data)
    assert build.data == {"force_include": {}, "pure_python": True}
    (warning,) = build.warnings
    assert "cannot record processes: no C compiler was found" in warning


def test_a_build_with_a_compiler_puts_the_library_into_a_wheel_of_its_platform() -> None:
    header_options()
    compiler()
    build = _Build(ROOT)
    build.hook.initialize("standard", build.data)
    assert build.warnings == []
    (library,) = build.data["force_include"].items()  # type: ignore[attr-defined]
    assert library[1] == "geoaudit/recording/libgeoaudit_injector.so"
    assert Path(library[0]).read_bytes()[:4] == b"\x7fELF"
    assert build.data["pure_python"] is False
    assert re.fullmatch(r"py3-none-linux_\w+", str(build.data["tag"]))


def test_a_source_distribution_is_not_compiled(tmp_path: Path) -> None:
    build = _Build(tmp_path, target="sdist")
    build.hook.initialize("standard", build.data)
    assert build.warnings == []
    assert build.data == {"force_include": {}, "pure_python": True}


def test_the_tests_compile_with_the_headers_of_the_build() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    build = project["build-system"]["requires"]
    test = project["project"]["optional-dependencies"]["test"]
    for needed in (build, test):
        named = {re.split("[=>]", line)[0] for line in needed}
        assert set(hatch_build.HEADER_WHEELS) <= named
    cupti = [line for line in build if line.startswith("nvidia-cuda-cupti")]
    assert set(cupti) <= set(test)


def test_what_a_wheel_brings_beside_the_package_stands_under_its_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included["kernels"] == "geoaudit/shipped_kernels"
    assert included[f"reports/{CAPTURE}"] == f"geoaudit/shipped_reports/{CAPTURE}"
    for source, place in included.items():
        assert (ROOT / source).exists()
        assert place.startswith("geoaudit/shipped_")
    assert "kernels" in project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]


@pytest.mark.parametrize("path", [".ci/run", ".github/workflows/ci.yml"])
def test_ci_asserts_that_the_wheel_holds_the_recorder(path: str) -> None:
    assert "libgeoaudit_injector.so" in (ROOT / path).read_text(encoding="utf-8")
