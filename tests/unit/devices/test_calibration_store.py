"""Stored calibrations: where they are, and files that are no such thing."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from geoaudit.devices.calibration import Calibration
from geoaudit.devices.calibration_store import (
    VARIABLE,
    calibration_file,
    read_calibrations,
    store_calibration,
)
from geoaudit.errors import InputError

H200 = Calibration(
    device_name="NVIDIA H200",
    copy_bytes_per_second=4.17e12,
    launch_floor_ns=1_184.0,
    graph_launch_floor_ns=1_088.0,
    latency_ns=812.5,
    timer_tick_ns=32.0,
    driver_version="CUDA 13.0",
    measured_on="2026-11-29",
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "kept" / "calibrations.json"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def test_what_is_stored_is_read_again(file: Path) -> None:
    assert read_calibrations().calibrations == ()
    assert store_calibration(H200) == file
    assert read_calibrations().calibrations == (H200,)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_device_has_one_and_the_newer_one(file: Path) -> None:
    other = replace(H200, device_name="NVIDIA A100", latency_ns=None)
    newer = replace(H200, latency_ns=800.0)
    for one in (H200, other, newer):
        store_calibration(one)
    assert read_calibrations().calibrations == (other, newer)


def test_the_file_is_json_with_a_version(file: Path) -> None:
    store_calibration(H200)
    document = json.loads(file.read_text())
    assert document["geoaudit_calibrations"] == "1.0"
    assert document["calibrations"][0]["latency_ns"] == 812.5


def test_the_users_data_folder_is_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    default = tmp_path / "home" / ".local" / "share" / "geoaudit" / "calibrations.json"
    assert calibration_file() == default
    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    assert calibration_file() == default
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert calibration_file() == tmp_path / "data" / "geoaudit" / "calibrations.json"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "not a file of calibrations"),
        (b"\xff\xfe", "not a file of calibrations"),
        (b'{"name": "something else"}', "not a file of calibrations"),
        (b'{"geoaudit_calibrations": "1.0", "calibrations": [{}]}', "not a file of calibrations"),
        (b'{"geoaudit_calibrations": "2.0"}', "version '2.0' is newer than 1.0; upgrade"),
    ],
)
def test_a_foreign_file_is_a_warning_and_is_left_alone(
    file: Path, content: bytes, told: str
) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    stored = read_calibrations()
    assert stored.calibrations == ()
    assert told in (stored.warning or "")
    assert str(file) in (stored.warning or "")
    with pytest.raises(InputError, match="Nothing was stored"):
        store_calibration(H200)
    assert file.read_bytes() == content


def test_a_newer_minor_version_is_read_without_what_it_adds(file: Path) -> None:
    file.parent.mkdir()
    file.write_text(
        '{"geoaudit_calibrations": "1.7", "later": 1,'
        ' "calibrations": [{"device_name": "X", "later_ns": 3}]}'
    )
    assert read_calibrations().calibrations == (Calibration(device_name="X"),)


def test_a_folder_in_the_place_of_the_file_is_a_warning(file: Path) -> None:
    file.mkdir(parents=True)
    assert "cannot be used" in (read_calibrations().warning or "")


def test_a_folder_that_cannot_be_made_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "calibrations.json"))
    with pytest.raises(InputError, match=VARIABLE):
        store_calibration(H200)


@pytest.mark.parametrize("figure", [0, -5, 1e-300, 1e300])
def test_a_figure_that_cannot_be_is_told_and_its_calibration_left_out(
    figure: float, file: Path
) -> None:
    other = replace(H200, device_name="NVIDIA A100")
    for one in (H200, other):
        store_calibration(one)
    document = json.loads(file.read_text())
    document["calibrations"][1]["copy_bytes_per_second"] = figure
    file.write_text(json.dumps(document))
    stored = read_calibrations()
    assert stored.calibrations == (other,)
    told = f"copy_bytes_per_second {figure:g} of NVIDIA H200 cannot be"
    assert told in (stored.warning or "")
    # To measure again mends it.
    store_calibration(H200)
    assert read_calibrations().calibrations == (other, H200)
    assert read_calibrations().warning is None
