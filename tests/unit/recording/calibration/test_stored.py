"""Stored calibrations beside recordings."""

from dataclasses import replace
from pathlib import Path

import pytest

from geoaudit.devices.calibration import Calibration
from geoaudit.devices.calibration_store import VARIABLE, store_calibration
from geoaudit.recording.calibration.stored import with_stored_calibrations
from tests.unit.ranking.builders import Launch, recording

STORED = Calibration(device_name="NVIDIA H200", copy_bytes_per_second=4.17e12)


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "calibrations.json"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def test_a_recording_gets_what_is_stored_of_its_devices() -> None:
    made = recording([Launch()])
    assert with_stored_calibrations(made) is made
    store_calibration(STORED)
    store_calibration(Calibration(device_name="NVIDIA A100"))
    assert with_stored_calibrations(made).metadata.calibrations == (STORED,)


def test_what_was_measured_stays() -> None:
    store_calibration(STORED)
    measured = replace(STORED, copy_bytes_per_second=4e12)
    made = recording([Launch()])
    made = replace(made, metadata=replace(made.metadata, calibrations=(measured,)))
    assert with_stored_calibrations(made) is made


def test_a_foreign_file_is_a_warning_of_the_recording(file: Path) -> None:
    file.write_text("no JSON")
    (told,) = with_stored_calibrations(recording([Launch()])).metadata.warnings
    assert "stored calibrations cannot be used" in told


def test_an_unnamed_device_has_none(file: Path) -> None:
    file.write_text("no JSON")
    made = recording([Launch()], devices=())
    assert with_stored_calibrations(made) is made
