"""Regular expressions of a user, matched within a time."""

import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from geoaudit.cli import matching
from geoaudit.cli.main import main
from geoaudit.cli.matching import matching_in_time, pattern_fault
from geoaudit.errors import InputError
from geoaudit.launches.store import write_recording
from tests.unit.ranking.builders import Launch, recording

CATASTROPHIC = r"(?:(?:(?:\w|_)+)*)*\W$"
NAME = "kernel_of_a_long_name_without_any_sign_that_is_no_letter"


def test_what_matches_is_told() -> None:
    assert matching_in_time(r"(\w+::)*norm", ["a::b::RMSNorm", "attention"]) == [True, False]


def test_a_match_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "LIMIT_S", 0.1)
    begun = time.monotonic()
    with pytest.raises(InputError, match="not matched with 1 kernel names within 0.1 s"):
        matching_in_time(CATASTROPHIC, [NAME])
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("option", ["--bytes", "--kernel", "--token-kernel"])
def test_no_option_waits_for_ever(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "LIMIT_S", 0.1)
    write_recording(recording([Launch(kernel=NAME)]), tmp_path / "scan.parquet")
    file = tmp_path / "bytes.csv"
    file.write_text(f"kernel,bytes\n{CATASTROPHIC},1\n", encoding="utf-8")
    value = str(file) if option == "--bytes" else CATASTROPHIC
    result = CliRunner().invoke(main, ["rank", str(tmp_path / "scan.parquet"), option, value])
    assert result.exit_code == 2, result.output
    assert "is not matched with 1 kernel names" in result.output


@pytest.mark.parametrize("pattern", ["(", "(" * 5000 + ")" * 5000, "a{99999999999}"])
def test_what_is_no_pattern_is_told(pattern: str) -> None:
    assert pattern_fault(pattern)
    assert pattern_fault("k.*") is None
