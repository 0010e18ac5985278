"""The suite's own options do what they say: run in a process of their own, without a driver."""

import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
GPU_TEST = "import pytest\n\n@pytest.mark.gpu\ndef test_device():\n    pass\n"
GOLDEN_TEST = "def test_text(golden):\n    golden('one.txt', {text!r})\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    # A driver that is never found, so that the outcome is the same on a machine with a GPU.
    conftest = CONFTEST.read_text().replace("libcuda.so.1", "libcuda-that-is-not-there.so.1")
    (tmp_path / "conftest.py").write_text(conftest)
    (tmp_path / "golden").mkdir()
    return tmp_path


def run_suite(suite: Path, test: str, *options: str) -> str:
    (suite / "test_one.py").write_text(test)
    command = [sys.executable, "-B", "-m", "pytest", "-rs", "-p", "no:cacheprovider"]
    command += ["-p", "no:randomly", "-o", "markers=gpu", "--rootdir", str(suite), *options]
    done = subprocess.run(
        [*command, str(suite)], capture_output=True, text=True, check=False, cwd=suite
    )
    return done.stdout + done.stderr


def test_a_missing_device_skips_and_says_why(suite: Path) -> None:
    text = run_suite(suite, GPU_TEST)
    assert "1 skipped" in text
    assert "no CUDA device: libcuda-that-is-not-there.so.1" in text


def test_a_required_device_that_is_missing_fails(suite: Path) -> None:
    text = run_suite(suite, GPU_TEST, "--require-gpu")
    assert "skipped" not in text
    assert "no CUDA device" in text
    assert "1 error" in text or "1 failed" in text


def test_golden_outputs_fail_on_any_difference_and_are_written_only_on_demand(suite: Path) -> None:
    assert "1 failed" in run_suite(suite, GOLDEN_TEST.format(text="a b\n"))
    assert not (suite / "golden" / "one.txt").exists()
    assert "1 passed" in run_suite(suite, GOLDEN_TEST.format(text="a b\n"), "--update-golden")
    assert "1 passed" in run_suite(suite, GOLDEN_TEST.format(text="a b\n"))
    assert "1 failed" in run_suite(suite, GOLDEN_TEST.format(text="a  b\n"))
    assert (suite / "golden" / "one.txt").read_text() == "a b\n"
