"""The kept audits are what this version makes of the kept captures, byte for byte."""

import json
from pathlib import Path

import pytest

from geoaudit.launches import schema as s
from geoaudit.launches.store import read_recording
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from geoaudit.render.report_files import report_files

REPORTS = Path(__file__).parents[2] / "reports"
CAPTURES = sorted(REPORTS.glob("*/*.parquet"))


def test_there_are_captures() -> None:
    assert [path.stem for path in CAPTURES] == ["eager", "graph"]


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_an_audit_is_made_again_byte_for_byte(capture: Path) -> None:
    made = report_files(rank(read_recording(capture), RankOptions()))
    folder = capture.with_suffix("")
    assert sorted(made) == sorted(path.name for path in folder.iterdir())
    for name, text in made.items():
        assert text == (folder / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_a_capture_holds_what_its_environment_says(capture: Path) -> None:
    environment = json.loads((capture.parent / "environment.json").read_text(encoding="utf-8"))
    recording = read_recording(capture)
    assert recording.metadata.recorded_on == environment["recorded_on"]
    assert recording.metadata.devices[0].name == environment["device"]
    assert recording.metadata.devices[0].sm_count == environment["sm_count"]
    decode = recording.launches[recording.launches[s.STEP_CLASS] == "decode_token"]
    assert decode[s.TOKEN].nunique() == environment["tokens"]


def test_the_graph_changes_the_gaps_and_not_the_grids() -> None:
    eager, graph = (rank(read_recording(path), RankOptions()) for path in CAPTURES)
    assert {(row.kernel, row.shape.grid) for row in eager.rows} == {
        (row.kernel, row.shape.grid) for row in graph.rows
    }
    gaps = [audit.totals.gap_time_per_token_ns or 0 for audit in (eager, graph)]
    assert gaps[0] > 10 * gaps[1] > 0
