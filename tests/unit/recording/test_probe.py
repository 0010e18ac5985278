"""The probes against fake drivers and libraries, compiled here."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from geoaudit.recording.checks import probe as probing
from geoaudit.recording.checks.judge import judge
from geoaudit.recording.checks.probe import library_answer, probe

COMPILER = shutil.which("cc") or shutil.which("gcc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")
DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int cuInit(unsigned flags) { INIT }
int cuDriverGetVersion(int *version) { *version = 12040; return 0; }
int cuGetErrorName(int code, const char **name) { *name = code ? "SOME" : "NONE"; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDeviceGet(int *device, int index) { *device = index; return 0; }
int cuDeviceGetName(char *name, int room, int device) { strcpy(name, "Fake GPU"); return 0; }
int cuDeviceGetAttribute(int *value, int which, int device)
{
    *value = which == 75 ? 9 : which == 76 ? 0 : which == 10 ? 32 : 66;
    return 0;
}
"""
Compile = Callable[[str, str], Path]


@pytest.fixture
def compiled(tmp_path: Path) -> Compile:
    def build(name: str, text: str) -> Path:
        source = tmp_path / "source.c"
        source.write_text(text, encoding="utf-8")
        command = [str(COMPILER), "-shared", "-fPIC", "-o", str(tmp_path / name), str(source)]
        subprocess.run(command, check=True)
        return tmp_path / name

    return build


@pytest.fixture
def fake_driver(compiled: Compile, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def use(init: str) -> None:
        library = compiled("libcuda.so.1", DRIVER.replace("INIT", init))
        monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))

    return use


@needs_compiler
def test_a_driver_is_asked_for_version_and_devices(fake_driver: Callable[[str], None]) -> None:
    fake_driver('printf("noise at the end"); return 0;')
    assert library_answer("driver") == {
        "init_result": 0,
        "init_name": "NONE",
        "cuda": [12, 4],
        "devices": [{"name": "Fake GPU", "compute_capability": "9.0", "sm_count": 66}],
    }


@needs_compiler
def test_a_driver_that_crashes_takes_nothing_along(fake_driver: Callable[[str], None]) -> None:
    fake_driver("abort();")
    assert library_answer("driver") == {
        "error": "the process that loaded it ended with code -6 and no answer"
    }


@needs_compiler
def test_a_driver_that_hangs_is_left(
    fake_driver: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_driver("for (;;) {}")
    monkeypatch.setattr(probing, "_TIMEOUT_SECONDS", 1)
    assert library_answer("driver") == {"error": "no answer within 1 s"}


@needs_compiler
def test_a_taken_slot_is_not_handed_to_the_driver(
    fake_driver: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_driver('return getenv("CUDA_INJECTION64_PATH") ? 999 : 0;')
    monkeypatch.setenv("CUDA_INJECTION64_PATH", "/x.so")
    assert library_answer("driver")["init_result"] == 0


@needs_compiler
def test_a_library_without_the_entry_is_refused(compiled: Compile) -> None:
    library = str(compiled("libother.so", "int other(void) { return 0; }"))
    assert "InitializeInjection" in library_answer("recorder", library)["error"]
    assert "cuptiGetVersion" in library_answer("cupti", library)["error"]


@needs_compiler
def test_a_cupti_gives_its_version(compiled: Compile) -> None:
    text = "int cuptiGetVersion(unsigned *version) { *version = 26; return 0; }"
    assert library_answer("cupti", str(compiled("libcupti.so.12", text))) == {"api_version": 26}


def test_no_library_at_all() -> None:
    assert "nowhere.so" in library_answer("cupti", "/nowhere.so")["error"]


def test_this_machine_is_probed_and_judged() -> None:
    checks = judge(probe())
    assert {check.name for check in checks} >= {"CUDA driver", "devices", "recorder", "CUPTI"}


def test_a_folder_that_is_gone_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    (disk,) = (check for check in judge(probe()) if check.name == "disk")
    assert (disk.status, "gone" in disk.found) == ("problem", True)


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def test_tools_are_asked_for_their_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(
        tmp_path, "ncu", "echo 'NVIDIA (R) Nsight Compute'; echo 'Version 2025.3.1.0 (build 3)'"
    )
    program(tmp_path, "nsys", "exit 3")
    (tmp_path / "compute-sanitizer").write_text("not a program", encoding="utf-8")
    (tmp_path / "compute-sanitizer").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    found = {tool.name: (tool.path is not None, tool.version) for tool in probe().tools}
    assert found == {
        "ncu": (True, "2025.3.1.0"),
        "nsys": (True, None),
        "compute-sanitizer": (True, None),
    }


def test_mig_and_mps_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(
        tmp_path,
        "nvidia-smi",
        'case "$1" in -L) echo "GPU 0: H200"; echo "  MIG 1g.18gb Device 0: (UUID: MIG-1)";; '
        '*) echo "Enabled";; esac',
    )
    (tmp_path / "control").touch()
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    sharing = probe().sharing
    assert (sharing.mig_modes, sharing.mig_instances) == (("Enabled",), 1)
    assert sharing.mps_pipe == str(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A: 1\nRmProfilingAdminOnly: 1\n", True),
        ("RmProfilingAdminOnly: 0\n", False),
        ("B: 1", None),
    ],
)
def test_the_drivers_parameters_are_read(tmp_path: Path, text: str, expected: bool | None) -> None:
    (tmp_path / "params").write_text(text, encoding="utf-8")
    assert probing._counters_need_admin(tmp_path / "params") is expected
    assert probing._counters_need_admin(tmp_path / "missing") is None
