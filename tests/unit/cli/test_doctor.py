import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geoaudit.cli.main import main
from geoaudit.errors import EXIT_CLEAN, EXIT_NOT_MEASURED
from geoaudit.recording.checks.machine import Machine
from tests.unit.recording.machines import NO_GPU, machine

Doctor = Callable[..., Result]
AWKWARD = {"CUDA_INJECTION64_PATH": "/opt/\x1b[31m|evil|" + "x" * 300}


@pytest.fixture
def doctor(monkeypatch: pytest.MonkeyPatch) -> Doctor:
    def run(*arguments: str, **changes: object) -> Result:
        def fake_probe() -> Machine:
            return machine(**changes)

        monkeypatch.setattr("geoaudit.recording.checks.probe.probe", fake_probe)
        return CliRunner().invoke(main, ["doctor", *arguments])

    return run


def test_nothing_stops_a_recording(doctor: Doctor) -> None:
    result = doctor()
    assert result.exit_code == EXIT_CLEAN
    assert result.stdout.startswith("Nothing stops a recording")


def test_what_stops_a_recording_is_exit_code_3_and_a_remedy(doctor: Doctor) -> None:
    result = doctor(driver=NO_GPU)
    assert result.exit_code == EXIT_NOT_MEASURED
    assert "do: Record on a machine with an NVIDIA GPU" in result.stdout
    assert "occupancy" in result.stdout.split("\n\n")[0]


@pytest.mark.parametrize("columns", [80, 100, 200])
def test_no_line_is_wider_than_the_terminal(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = doctor(driver=NO_GPU, environment=AWKWARD).stdout
    assert max(map(len, text.splitlines())) <= columns
    assert "\x1b" not in text


def test_json(doctor: Doctor) -> None:
    document = json.loads(doctor("--format", "json", environment=AWKWARD).stdout)
    assert document["schema_version"] == "1.0"
    assert document["can_record"] is False
    assert "rank" in document["works_without_gpu"]
    assert all(set(one) == {"check", "status", "found", "remedy"} for one in document["checks"])
    (slot,) = (one for one in document["checks"] if one["check"] == "injection slot")
    assert AWKWARD["CUDA_INJECTION64_PATH"] in slot["found"]
    assert document["checks"][0]["remedy"] is None


def test_csv_and_markdown_hold_every_check(doctor: Doctor, tmp_path: Path) -> None:
    table = tmp_path / "doctor.md"
    text = doctor("--format", "csv", "--output", f"markdown={table}", environment=AWKWARD).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    lines = table.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(rows) + 4
    assert "\x1b" not in text
    assert all(line.count(" | ") == 3 for line in lines[2:])


def test_help_defines_the_exit_codes() -> None:
    text = CliRunner().invoke(main, ["doctor", "--help"]).stdout
    assert "0  nothing stops a recording" in text
    assert "3  something does" in text


def test_the_real_machine_gives_a_verdict_and_no_traceback() -> None:
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code in (EXIT_CLEAN, EXIT_NOT_MEASURED)
    assert isinstance(result.exception, SystemExit | None)
    assert result.stdout.startswith(("Nothing stops", "A command cannot"))
