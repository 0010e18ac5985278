"""Where the disassembler is looked for, and what is said where it fails."""

from pathlib import Path

import pytest

from geoaudit.errors import NotMeasuredError
from geoaudit.recording.machine_code import nvdisasm
from geoaudit.recording.machine_code.nvdisasm import disassembled, find_nvdisasm


def tool_in(folder: Path, script: str = 'cat "$3"') -> Path:
    folder.mkdir(parents=True)
    tool = folder / "nvdisasm"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    return tool


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without a toolkit."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for variable in ("CUDA_PATH", "CUDA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(nvdisasm, "_DEFAULT_TOOLKIT", tmp_path / "toolkit")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    return tmp_path


def test_the_path_comes_before_the_toolkit(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_nvdisasm() is None
    default = tool_in(nowhere / "toolkit" / "bin")
    assert find_nvdisasm() == default
    named = tool_in(nowhere / "other" / "bin")
    monkeypatch.setenv("CUDA_PATH", str(nowhere / "other"))
    assert find_nvdisasm() == named
    first = tool_in(nowhere / "bin")
    assert find_nvdisasm() == first


def test_a_wheel_brings_it(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (nowhere / "site" / "nvidia").mkdir(parents=True)
    tool = tool_in(nowhere / "site" / "nvidia" / "cu13" / "bin")
    monkeypatch.undo()
    monkeypatch.setenv("PATH", str(nowhere / "bin"))
    monkeypatch.setattr(nvdisasm, "_DEFAULT_TOOLKIT", nowhere / "toolkit")
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.syspath_prepend(str(nowhere / "site"))
    assert tool in set(nvdisasm._places())


def test_a_binary_is_handed_over(tmp_path: Path) -> None:
    assert disassembled(b"code", tool_in(tmp_path / "bin")) == "code"


def test_a_refusal_is_told(tmp_path: Path) -> None:
    tool = tool_in(tmp_path / "bin", "echo 'invalid ELF' >&2; exit 1")
    with pytest.raises(NotMeasuredError, match="nvdisasm cannot read a binary: invalid ELF"):
        disassembled(b"code", tool)
    with pytest.raises(NotMeasuredError, match="cannot be run"):
        disassembled(b"code", tmp_path / "none")
