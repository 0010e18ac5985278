"""The kept audits are what this version makes of the kept captures, byte for byte."""

import json
import runpy
import statistics
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from geoaudit.diagnosis.evidence import Timing
from geoaudit.diagnosis.thresholds import TIGHT_SPREAD
from geoaudit.launches import schema as s
from geoaudit.launches.store import read_recording
from geoaudit.ranking.audit import Audit
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank

REPORTS = Path(__file__).parents[2] / "reports"
# No audits are kept of these: test_labelled_set.py and test_tensor_parallel_report.py judge them.
OTHERS = {"h200-labelled-set", "h200-tensor-parallel"}
CAPTURES = sorted(one for one in REPORTS.glob("*/*.parquet") if one.parent.name not in OTHERS)
LLAMA = REPORTS / "h200-llama-decode"
SUITE = REPORTS / "h200-decode-suite"
SCRIPT = runpy.run_path(str(REPORTS / "make_audit.py"))


def name_of(capture: Path) -> str:
    return f"{capture.parent.name}/{capture.stem}"


@cache
def audit_of(capture: Path) -> Audit:
    return rank(read_recording(capture), RankOptions())


def test_there_are_captures() -> None:
    assert [name_of(path) for path in CAPTURES] == [
        "h200-decode-suite/arms-eager",
        "h200-decode-suite/arms-graph",
        "h200-decode-suite/confirmed",
        "h200-decode-suite/eager",
        "h200-decode-suite/graph",
        "h200-llama-decode/eager",
        "h200-llama-decode/graph",
    ]


@pytest.mark.parametrize("capture", CAPTURES, ids=name_of)
def test_an_audit_is_made_again_byte_for_byte(capture: Path) -> None:
    made = SCRIPT["make_audit"](capture)
    folder = capture.with_suffix("")
    assert sorted(made) == sorted(path.name for path in folder.iterdir())
    for name, text in made.items():
        assert text == (folder / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("capture", CAPTURES, ids=name_of)
def test_a_capture_holds_what_its_environment_says(capture: Path) -> None:
    environment = json.loads((capture.parent / "environment.json").read_text(encoding="utf-8"))
    recording = read_recording(capture)
    assert recording.metadata.recorded_on == environment["recorded_on"]
    device = recording.metadata.devices[0]
    assert device.name == environment["device"]
    assert device.sm_count == environment.get("sm_count", 132)
    decode = recording.launches[recording.launches[s.STEP_CLASS] == "decode_token"]
    assert decode[s.TOKEN].nunique() == environment.get("tokens", 12)


def gaps_inside_tokens_ns(capture: Path) -> float:
    """The time in which no kernel runs between the first and the last one of a token, a token."""
    launches = read_recording(capture).launches
    decode = launches[launches[s.STEP_CLASS] == "decode_token"].sort_values(s.START_NS)
    gaps = []
    for _, token in decode.groupby(s.TOKEN):
        start = token[s.START_NS].to_numpy(dtype="float64")
        end = start + token[s.DURATION_NS].to_numpy(dtype="float64")
        gaps.append((start[1:] - np.maximum.accumulate(end)[:-1]).clip(min=0.0).sum())
    return statistics.fmean(gaps)


@pytest.mark.parametrize("folder", [LLAMA, SUITE], ids=lambda folder: folder.name)
def test_the_graph_changes_the_gaps_and_not_the_grids(folder: Path) -> None:
    eager, graph = (audit_of(folder / f"{name}.parquet") for name in ("eager", "graph"))
    assert {(row.kernel, row.shape.grid) for row in eager.rows} == {
        (row.kernel, row.shape.grid) for row in graph.rows
    }
    inside = [gaps_inside_tokens_ns(folder / f"{name}.parquet") for name in ("eager", "graph")]
    assert inside[0] > 10 * inside[1] > 0
    # Between the replays of a recorded graph lies the host's time, and the recorder's. The suite's
    # kernels are long, and its eager gaps no longer than that.
    if folder == LLAMA:
        gaps = [audit.totals.gap_time_per_token_ns or 0 for audit in (eager, graph)]
        assert gaps[0] > 10 * gaps[1] > 0


def test_arms_are_off_and_on_as_the_names_say() -> None:
    for name, is_on, is_graph in (
        ("eager", False, False),
        ("graph", False, True),
        ("arms-eager", True, False),
        ("arms-graph", True, True),
    ):
        recording = read_recording(SUITE / f"{name}.parquet")
        environment = recording.metadata.environment
        assert ("KDA_VALUE_TILE=8" in environment["arms"]) is is_on, name
        assert (environment["arms"] == "all off") is not is_on, name
        assert recording.launches[s.GRAPH_ID].notna().all() == is_graph, name


def figures() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SUITE / "measured.json").read_text(encoding="utf-8"))
    return found


def test_the_readme_tells_what_was_measured() -> None:
    told = (REPORTS / "README.md").read_text(encoding="utf-8")
    milliseconds = figures()["milliseconds_per_token"]
    base = statistics.median(milliseconds["baseline"])
    for name, values in milliseconds.items():
        median = statistics.median(values)
        change = f"{median / base - 1:+.1%}".replace("%", " %").replace("-", "−")
        row = f"| {median:.2f} | {'' if name == 'baseline' else change} |"
        assert any(row in line and name in line for line in told.splitlines()), (name, row)


def test_the_readme_tells_the_decode_step_of_each_capture() -> None:
    told = (REPORTS / "README.md").read_text(encoding="utf-8")
    for capture in CAPTURES:
        totals = audit_of(capture).totals
        assert totals.wall_time_per_token_ns
        assert totals.kernel_time_per_token_ns
        row = f"| `{capture.name}` | [{capture.stem}/]({name_of(capture)}/summary.md) | "
        step = f"{totals.wall_time_per_token_ns / 1e6:.2f} ms | "
        kernels = f"{totals.kernel_time_per_token_ns / 1e6:.2f} ms |"
        assert row + step + kernels in told
        assert totals.wasted_sm_time_per_token_ns is not None
        wasted = f" {totals.wasted_sm_time_per_token_ns / 1e6:.2f} ms, "
        share = totals.wasted_sm_time_per_token_ns / totals.kernel_time_per_token_ns
        (line,) = (line for line in told.splitlines() if line.startswith(row))
        assert line.endswith(f"|{wasted}{share:.1%} of kernel time |".replace("%", " %"))


def test_no_folder_of_the_machine_is_kept() -> None:
    log = "wrote /tmp/a/b-c/arms-eager.parquet\nnext: rank /x/eager.parquet; 3.81 / 3.82 ms/token"
    expected = "wrote …/arms-eager.parquet\nnext: rank …/eager.parquet; 3.81 / 3.82 ms/token"
    assert SCRIPT["without_folders"](log) == expected
    assert "/tmp" not in (SUITE / "suite.txt").read_text(encoding="utf-8")


def test_what_was_done_to_the_kernels_confirms_the_documents_verdicts() -> None:
    audit = audit_of(SUITE / "confirmed.parquet")
    verdicts = {row.kernel_short: row.verdict for row in reversed(audit.rows)}
    assert (verdicts["kda_decode_step"].name, verdicts["kda_decode_step"].confidence) == (
        "starved",
        "confirmed",
    )
    # The wide norm is another kernel: what it wins is told, and proves nothing of the shape alone.
    assert (verdicts["rms_norm"].name, verdicts["rms_norm"].confidence) == ("starved", "suspected")
    assert "of rms_norm_wide: 8.5 times as fast alone" in verdicts["rms_norm"].reason
    assert "KDA_VALUE_TILE=8" in verdicts["kda_decode_step"].reason
    for kernel in ("kda_decode_step", "rms_norm"):
        ruled_out = " ".join(verdicts[kernel].ruled_out)
        assert all(f"not {what}" in ruled_out for what in ("contention", "bandwidth", "arithmetic"))
    assert all(row.measured_wasted_sm_time_per_token_ns is not None for row in audit.rows)
    assert all(row.evidence.floor and row.evidence.floor.is_measured for row in audit.rows)


def test_the_readme_holds_the_ceiling_and_the_gain_of_every_arm() -> None:
    told = (REPORTS / "README.md").read_text(encoding="utf-8")
    lines = list(runpy.run_path(str(REPORTS / "arm_table.py"))["table_lines"]())
    assert "\n".join(lines) in told
    assert {"ARGMAX_SPLIT", "PDL"} <= {line.split("`")[1] for line in lines if "`" in line}


def test_the_readme_tells_how_steady_contention_spreads() -> None:
    told = " ".join((REPORTS / "README.md").read_text(encoding="utf-8").split())
    spreads: dict[str, list[Timing]] = {"eager": [], "graph": []}
    for beside in ("memory", "compute"):
        for mode, timings in spreads.items():
            capture = REPORTS / "h200-labelled-set" / f"{beside}-{mode}.parquet"
            timings += [row.timing for row in audit_of(capture).rows if row.timing]
    assert [len(timings) for timings in spreads.values()] == [4, 4]
    both = [one for timings in spreads.values() for one in timings]
    assert all((one.repetitions, one.sites) == (40, 1) for one in both)
    highs = [one.relative_mad_high or 0.0 for one in both]
    assert min(highs) > TIGHT_SPREAD
    eager, graph = (
        f"{100 * min(values):.1f} to {100 * max(values):.0f} %"
        for values in ([one.relative_mad or 0.0 for one in of] for of in spreads.values())
    )
    assert f"spread {eager} eager and {graph} in a graph" in told
    assert f"upper bounds {100 * min(highs):.1f} to {100 * max(highs):.0f} %" in told
