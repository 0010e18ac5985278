"""`geoaudit devices --measure`, and what the list shows of it afterwards."""

import csv
import io
import json
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geoaudit.cli.main import main
from geoaudit.devices.calibration import Calibration
from geoaudit.devices.calibration_store import VARIABLE, read_calibrations, store_calibration
from geoaudit.recording.calibration import measure as measuring
from geoaudit.recording.suite import presence, runtime

MEASURED = Calibration(
    device_name="NVIDIA H200",
    copy_bytes_per_second=4.17e12,
    launch_floor_ns=1_184.0,
    graph_launch_floor_ns=1_088.0,
    latency_ns=812.5,
    timer_tick_ns=32.0,
    driver_version="CUDA 13.0",
    measured_on="2026-11-29",
)


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "calibrations.json"
    monkeypatch.setenv(VARIABLE, str(path))
    monkeypatch.setattr("geoaudit.devices.live.live_devices", lambda: ())
    return path


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "has_device", lambda: True)
    monkeypatch.setattr(runtime, "import_cupy", lambda: None)
    monkeypatch.setattr(measuring, "measure", lambda make_runtime: MEASURED)


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["devices", *arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.usefixtures("device")
def test_the_figures_are_printed_and_stored(file: Path) -> None:
    result = run("--measure")
    heading, _, line, *_ = result.stdout.splitlines()
    assert heading.split("  ")[0] == "measured device"
    assert line.split() == [
        "H200", "4.17", "TB/s", "1.18", "µs", "1.09", "µs", "812", "ns", "32", "ns", "CUDA",
        "13.0", "2026-11-29",
    ]  # fmt: skip
    assert result.stderr == f"geoaudit: stored in {file}\n"
    assert read_calibrations().calibrations == (MEASURED,)


@pytest.mark.usefixtures("device")
def test_json_and_csv_hold_base_units(tmp_path: Path) -> None:
    table = tmp_path / "measured.csv"
    document = json.loads(run("--measure", "--format", "json", "--output", f"csv={table}").stdout)
    assert document["schema_version"] == "1.0"
    assert document["calibrations"][0]["copy_bytes_per_second"] == 4.17e12
    (row,) = csv.DictReader(io.StringIO(table.read_text()))
    assert list(row) == [field.name for field in fields(Calibration)]
    assert float(row["latency_ns"]) == 812.5


@pytest.mark.usefixtures("device")
def test_a_foreign_file_is_not_overwritten_and_the_figures_are_printed(file: Path) -> None:
    file.write_text("mine")
    result = run("--measure", code=2)
    assert "H200" in result.stdout
    assert "Nothing was stored" in result.stderr
    assert file.read_text() == "mine"


@pytest.mark.parametrize("columns", ["80", "100", "160"])
def test_the_list_and_a_device_show_what_is_stored(
    monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    store_calibration(MEASURED)
    store_calibration(Calibration(device_name="A device\x1b[31m of a very long name, unknown"))
    for arguments in ((), ("H200",)):
        text = run(*arguments).stdout
        assert "measured device" in text
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= int(columns)
    assert "measured device" not in run("A100-SXM4-40GB").stdout


def test_json_and_markdown_hold_what_is_stored() -> None:
    store_calibration(MEASURED)
    assert len(json.loads(run("--format", "json").stdout)["calibrations"]) == 1
    assert len(json.loads(run("H200", "--format", "json").stdout)["calibrations"]) == 1
    assert json.loads(run("GB10", "--format", "json").stdout)["calibrations"] == []
    assert "| H200 | 4.17 TB/s | 1.18 µs |" in run("--format", "markdown").stdout


def test_a_file_that_cannot_be_used_is_a_warning(file: Path) -> None:
    file.write_text("{}")
    result = run()
    assert "H200" in result.stdout
    assert "warning: " in result.stderr
    assert str(file) in result.stderr


def test_without_a_device_nothing_is_measured(file: Path) -> None:
    result = run("--measure", code=3)
    assert "no CUDA device was found" in result.stderr
    assert not file.exists()


def test_without_cupy_the_error_says_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "has_device", lambda: True)
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert "pip install 'geoaudit[cuda13]'" in run("--measure", code=3).stderr


def test_a_name_beside_measure_is_refused() -> None:
    assert "give no NAME" in run("--measure", "H200", code=2).stderr
