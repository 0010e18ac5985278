"""`geoaudit shard-check --scan`: recordings held against what is predicted."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geoaudit.cli.main import main
from geoaudit.launches.store import read_recording, write_recording

ROOT = Path(__file__).parents[3]
SUITE = ROOT / "kernels" / "manifest.toml"
SCAN = ROOT / "reports" / "h200-decode-suite" / "eager.parquet"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _run(*arguments: object) -> Result:
    told = [*map(str, arguments), "--fail-on", "none"]
    return CliRunner().invoke(main, ["shard-check", str(SUITE), "--jobs", "1", *told])


def _document(*arguments: object) -> dict[str, Any]:
    result = _run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def _without_symbols(folder: Path, ranks: int | None) -> Path:
    """The recording of the suite as if it did not say what it was run with."""
    recording = read_recording(SCAN)
    metadata = replace(recording.metadata, environment={}, ranks=ranks)
    file = folder / "run.parquet"
    write_recording(replace(recording, metadata=metadata), file)
    return file


def test_every_signature_of_the_recorded_suite_agrees() -> None:
    document = _document("--scan", SCAN)
    found = document["predicted_and_recorded"]
    assert found["ranks"] == [8]
    assert found["agreeing_signatures"] == found["recorded_signatures"] == 25
    assert found["unpredicted"] == []
    sites = {(site["kernel"], site["function"]): site for site in document["sites"]}
    assert sites["argmax", "head"]["measured_ns_per_token"] > 0
    never = {
        (one["kernel"], one["function"])
        for one in found["launches"]
        if one["by_ranks"]["8"]["outcome"] != "agrees"
    }
    # The other step of the suite was not recorded.
    assert {function for _, function in never} == {"gqa_layer"}


def test_what_is_said_with_the_file_counts_and_is_evaluated_too() -> None:
    document = _document("--scan", SCAN, "--scan", f"tp=16:{SCAN}", "--shard", "tp=1,2")
    assert document["ranks"] == [1, 2, 8, 16]
    found = document["predicted_and_recorded"]
    assert found["ranks"] == [8, 16]
    assert found["agreeing_signatures"] < found["recorded_signatures"] == 50
    lost = {(one["kernel"], one["ranks"], one["blocks"]) for one in found["unpredicted"]}
    assert ("kda_gates", 16, 12) in lost
    assert {ranks for _, ranks, _ in lost} == {16}


def test_a_run_knows_its_number_of_ranks_or_is_asked_for_it(tmp_path: Path) -> None:
    told = _document("--scan", _without_symbols(tmp_path, 8))["predicted_and_recorded"]
    assert (told["ranks"], told["agreeing_signatures"]) == ([8], 25)
    file = _without_symbols(tmp_path, None)
    result = _run("--scan", file, "--all")
    assert result.exit_code == 0
    assert "predicted and recorded" not in result.output
    assert "does not say its number of ranks" in " ".join(result.output.split())
    assert "as recorded" in result.output  # the times stay


def test_a_recording_with_arms_is_told_apart(tmp_path: Path) -> None:
    recording = read_recording(SCAN)
    environment = {**recording.metadata.environment, "arms": "WIDE_GEMV=1", "symbols": "tp=4 a=12"}
    file = tmp_path / "arms.parquet"
    metadata = replace(recording.metadata, environment=environment)
    write_recording(replace(recording, metadata=metadata), file)
    document = _document("--scan", file)
    assert document["predicted_and_recorded"]["ranks"] == [4]
    (note,) = document["notes"]
    assert "recorded with WIDE_GEMV=1; a manifest is read with all arms off" in note["text"]


def test_a_table_says_what_agrees() -> None:
    output = _run("--scan", SCAN, "--scan", f"tp=1:{SCAN}").stdout
    table = output[output.index("predicted and recorded") :]
    assert "= 12 " in table
    assert "96 ≠ 12" in table
    assert "launch signatures agree at tp 1, tp 8" in table


def test_another_kind_of_parallelism_is_refused() -> None:
    result = _run("--scan", f"ep=8:{SCAN}")
    assert result.exit_code == 2
    assert "varies tp" in result.output


def test_a_file_that_is_not_there_is_an_error() -> None:
    assert _run("--scan", "tp=8:nowhere.parquet").exit_code == 2


@pytest.mark.parametrize("label", ["tp=0", "tp=-1", "tp=", "tp=1000000"])
def test_a_label_without_a_number_of_ranks_is_no_path(label: str) -> None:
    result = _run("--scan", f"{label}:{SCAN}")
    assert result.exit_code == 2
    assert "is no number of ranks. Write tp=N:FILE" in result.stderr
