"""Paths and streams that a shell can give and no program wants: a sentence, and no wait."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from geoaudit.cli.main import main

GEOAUDIT = [sys.executable, "-m", "geoaudit.cli.main"]


@pytest.mark.parametrize("kind", ["pipe", "links to itself", "a name too long"])
def test_an_output_that_cannot_be(tmp_path: Path, kind: str) -> None:
    output = tmp_path / "output"
    if kind == "pipe":
        os.mkfifo(output)
    elif kind == "links to itself":
        output.symlink_to(output)
    else:
        output = tmp_path / ("x" * 300)
    result = CliRunner().invoke(main, ["scan", "-o", str(output)])
    assert result.exit_code == 2, result.output
    assert "Give -o another path" in result.output


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"cd {gone} && rmdir {gone} && {sys.executable} -m geoaudit.cli.main scan -- true"
    ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert ended.returncode in (2, 3)
    assert "Traceback" not in ended.stderr


def test_a_shell_that_closed_standard_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m geoaudit.cli.main scan -- true 2>&-"
    ended = subprocess.run(["sh", "-c", command], cwd=tmp_path, check=False)
    assert ended.returncode == 3


def test_a_loaders_path_with_a_name_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "x" * 300)
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "recorder" in result.output
