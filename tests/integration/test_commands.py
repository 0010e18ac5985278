"""The commands as a user runs them: files in a folder, exit codes, what is printed where."""

import csv
import gzip
import io
import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geoaudit.cli.main import main
from geoaudit.launches import schema as s
from geoaudit.launches.store import read_recording
from tests.unit.recording.fake_ncu import Counted, page


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def kernel(name: str, ts: float, dur: float, blocks: int, correlation: int) -> dict[str, object]:
    return {
        "ph": "X",
        "cat": "kernel",
        "name": name,
        "pid": 0,
        "tid": 7,
        "ts": ts,
        "dur": dur,
        "args": {
            "device": 0,
            "context": 1,
            "stream": 7,
            "correlation": correlation,
            "registers per thread": 32,
            "shared memory": 0,
            "grid": [blocks, 1, 1],
            "block": [128, 1, 1],
        },
    }


def trace(path: Path, tokens: int = 12, first_token: int = 0, rank: int | None = None) -> Path:
    """A trace of an embedding, four layers and a head per token, on an H200."""
    events: list[dict[str, object]] = []
    clock = 1000.0
    for token in range(first_token, first_token + tokens):
        layout = [("embed", 4), *[(k, b) for _ in range(4) for k, b in (("norm", 1), ("mm", 132))]]
        for name, blocks in [*layout, ("head", 264), ("argmax", 1)]:
            events.append(kernel(name, clock, 10.0, blocks, len(events)))
            clock += 12.0
        clock += 40.0 + token % 3
    properties = {
        "id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0, "numSms": 132,
        "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536, "warpSize": 32,
    }  # fmt: skip
    document = {"schemaVersion": 1, "deviceProperties": [properties], "traceEvents": events}
    if rank is not None:
        document["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": 2}
    path.write_bytes(gzip.compress(json.dumps(document).encode()))
    return path


def test_a_trace_becomes_a_ranked_audit(folder: Path) -> None:
    trace(folder / "t.json.gz")
    scanned = run("scan", "t.json.gz")
    assert "12 tokens" in scanned.output
    assert scanned.output.rstrip().endswith("next: geoaudit rank")
    document = json.loads(run("rank", "--format", "json").output)
    assert document["scan"]["tokens"] == 12
    first = document["rows"][0]
    assert (first["kernel"], first["grid"], first["calls_per_token"]) == ("norm", [1, 1, 1], 4)
    assert first["sm_fill"] == pytest.approx(1 / 132)
    assert first["wasted_sm_time_per_token_ns"] == pytest.approx(40_000 * 131 / 132)
    assert first["verdict"] == "starved"


def test_without_a_trace_the_shipped_capture_is_replayed_and_says_so() -> None:
    first = run("scan").output.splitlines()[0]
    said = "REPLAYED: recorded on NVIDIA H200 on 2026-11-29; no kernel ran on this machine"
    assert first == said
    table = run("rank").output
    assert table.startswith("REPLAY")
    assert json.loads(run("rank", "--format", "json").output)["scan"]["replayed"] is True


def test_the_replay_is_the_suite_with_arms_off_and_shows_the_documents_table() -> None:
    assert "decode suite: 19,860 kernel launches" in run("scan").output
    document = json.loads(run("rank", "--by", "kernel", "--format", "json").output)
    assert document["scan"]["tokens"] == 12
    rows = {row["kernel"]: row for row in document["rows"]}
    for kernel, calls, blocks, fill in (
        ("rms_norm", 327, 1, "0.8%"),
        ("kda_decode_step", 69, 12, "9.1%"),
        ("mla_decode_split", 24, 128, "97.0%"),
        ("short_conv", 69, 36, "27.3%"),
    ):
        row = rows[kernel]
        assert (row["calls_per_token"], math.prod(row["grid"])) == (calls, blocks), kernel
        assert f"{row['sm_fill']:.1%}" == fill
    assert document["rows"][0]["kernel"] == "rms_norm"


def test_no_gate_accepts_a_replay() -> None:
    run("scan")
    result = run("rank", "--fail-on", "error", code=3)
    assert "nothing was measured here" in result.stderr
    run("report", "--fail-on", "error", code=3)


def test_the_gate_fails_on_what_it_names(folder: Path) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz")
    assert "starved" in run("rank", "--fail-on", "starved", code=1).stderr
    run("rank", "--fail-on", "GA101", code=1)
    run("rank", "--fail-on", "grid-smaller-than-device,tail", code=1)
    run("rank", "--fail-on", "waste>10%", code=1)
    run("rank", "--fail-on", "waste>90%")
    run("rank", "--fail-on", "error")
    assert "Nearest: starved" in run("rank", "--fail-on", "starve", code=2).stderr


def test_several_formats_in_one_run(folder: Path) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz", "-o", "s.parquet")
    result = run(
        "rank", "s.parquet", "--output", "json=a.json", "--output", "csv=a.csv",
        "--format", "markdown", "-o", "a.md",
    )  # fmt: skip
    assert result.output == ""
    assert json.loads((folder / "a.json").read_text())["rows"]
    rows = list(csv.DictReader(io.StringIO((folder / "a.csv").read_text())))
    assert rows[0]["kernel"] == "norm"
    assert "| `norm` |" in (folder / "a.md").read_text()


def test_top_cuts_the_table_and_says_what_it_hides(folder: Path) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz")
    assert "4 more rows" in run("rank", "--top", "1").output
    assert "more rows" not in run("rank", "--top", "0").output
    assert len(json.loads(run("rank", "--format", "json", "--top", "2").output)["rows"]) == 2


def test_a_choice_of_tokens_given_to_scan_is_the_default_of_rank(folder: Path) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz", "--token-kernel", "^argmax$")
    document = json.loads(run("rank", "--format", "json").output)
    assert "argmax" in document["scan"]["token_rule"]
    again = json.loads(run("rank", "--format", "json", "--tokens", "12").output)
    assert again["scan"]["tokens"] == 12


def test_traces_of_several_ranks_are_one_data_set(folder: Path) -> None:
    trace(folder / "a.json.gz")
    trace(folder / "b.json.gz")
    run("scan", "a.json.gz", "b.json.gz")
    assert (folder / "geoaudit-scan.parquet").is_dir()
    document = json.loads(run("rank", "--format", "json").output)
    assert document["scan"]["launches"] == 2 * 12 * 11
    assert document["scan"]["tokens"] == 12


def test_ranks_stand_side_by_side(folder: Path) -> None:
    for rank in (0, 1):
        trace(folder / f"rank{rank}.json.gz", rank=rank)
    run("scan", "rank0.json.gz", "rank1.json.gz")
    shown = run("rank", "--by", "rank").output
    assert "geometry  the same on all at 11 positions" in shown
    assert "rank 0" in next(line for line in shown.splitlines() if line.startswith("#  kernel"))
    assert "ranks     0, 1 of" in run("rank").output
    run("rank", "--fail-on", "ranks-differ")
    document = json.loads(run("rank", "--format", "json").output)
    assert [one["distributed_rank"] for one in document["ranks"]["ranks"]] == [0, 1]
    lines = run("rank", "--by", "rank", "--format", "csv", "--top", "1").output.splitlines()
    assert len(lines) == 1 + 2
    assert "### Ranks" in run("rank", "--format", "markdown").output
    run("report", "--by", "rank", "-o", "audit")
    assert "<h2>Ranks</h2>" in (folder / "audit" / "report.html").read_text()


def test_one_rank_has_nothing_beside_it(folder: Path) -> None:
    trace(folder / "rank0.json.gz", rank=0)
    run("scan", "rank0.json.gz")
    refused = run("rank", "--by", "rank", code=2).stderr
    assert "has only launches of rank 0" in refused
    assert "geoaudit scan --ranks N" in refused
    assert "does not tell GA907" in run("rank", "--fail-on", "GA907", code=3).stderr


def test_report_writes_its_four_files(folder: Path) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz")
    run("report", "-o", "out/audit")
    names = sorted(path.name for path in (folder / "out" / "audit").iterdir())
    assert names == ["rank.csv", "rank.json", "report.html", "summary.md"]
    html = (folder / "out" / "audit" / "report.html").read_text()
    assert "<svg" in html
    assert "http://" not in html.replace("http://www.w3.org/", "")


BAD_FILES = {
    "empty.json": b"",
    "not-a-profile.txt": b"hello world\n" * 10,
    "empty-object.json": b"{}",
    "wrong.json": b'{"traceEvents": 7}',
    "truncated.json": b'{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1',
    "truncated.gz": gzip.compress(b'{"traceEvents": []}')[:-9],
    "binary": bytes(range(256)) * 8,
    "elf": b"\x7fELF" + bytes(64),
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(64),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_what_is_no_profile_is_refused_without_a_traceback(folder: Path, name: str) -> None:
    (folder / name).write_bytes(BAD_FILES[name])
    result = CliRunner().invoke(main, ["scan", name])
    assert result.exit_code in {2, 3}, result.output
    assert result.stderr.startswith("geoaudit: error: ")
    assert name in result.stderr
    assert "Traceback" not in result.output
    assert not (folder / "geoaudit-scan.parquet").exists()


def test_paths_that_are_not_there_or_are_folders(folder: Path) -> None:
    (folder / "sub").mkdir()
    assert "missing.json" in run("scan", "missing.json", code=2).stderr
    assert "sub" in run("scan", "sub", code=2).stderr
    assert "no such recording" in run("rank", code=2).stderr
    assert "not a readable recording" in run("rank", str(trace(folder / "t.gz")), code=2).stderr
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz", "-o", "no/such/folder/x.parquet", code=2)


def test_a_recording_given_to_scan_is_said_to_be_one(folder: Path) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz", "-o", "s.parquet")
    assert "geoaudit rank" in run("scan", "s.parquet", code=2).stderr


def test_a_trace_without_kernels_could_not_be_measured(folder: Path) -> None:
    (folder / "m.json").write_text('{"traceEvents": [{"ph": "M", "name": "process_name"}]}')
    run("scan", "m.json", code=3)


def test_an_unknown_device_names_the_nearest(folder: Path) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz")
    assert "H200" in run("rank", "--device", "H20O", code=2).stderr


def test_a_partial_trace_is_read_only_when_asked_for(folder: Path) -> None:
    whole = gzip.decompress(trace(folder / "t.json.gz").read_bytes())
    (folder / "cut.json").write_bytes(whole[: int(len(whole) * 0.8)])
    run("scan", "cut.json", code=2)
    assert "PARTIAL" in run("scan", "cut.json", "--allow-partial").output
    assert "PARTIAL" in run("rank").output


@pytest.mark.parametrize("command", [[], ["scan"], ["rank"], ["report"], ["explain"],
                                     ["occupancy"], ["devices"]])  # fmt: skip
def test_every_help_has_examples(command: list[str]) -> None:
    output = run(*command, "--help").output
    assert "Usage" in output
    if command:
        assert "Examples" in output


def test_an_empty_table_is_no_clean_bill_in_any_format(folder: Path) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz")
    for format_name in ("table", "csv", "json", "markdown"):
        result = run("rank", "--kernel", "no_such_kernel", "--format", format_name)
        assert "the filters left none" in result.stderr
    assert "the filters left none" not in run("rank", "--format", "csv").stderr


def test_filtered_rows_and_hidden_rows_are_told_apart(folder: Path) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz")
    output = run("rank", "--kernel", "norm|mm|head", "--top", "1").output
    assert "2 more rows (--top 0 shows all); 2 rows left out by filters" in output


def test_the_examples_of_rank_work_on_the_shipped_capture() -> None:
    run("scan")
    launch = read_recording(Path("geoaudit-scan.parquet")).launches.iloc[0]
    grid, block = (tuple(int(launch[axis]) for axis in axes) for axes in (s.GRID, s.BLOCK))
    shared = int(launch[s.DYNAMIC_SHARED_BYTES])
    counted = Counted(kernel=launch[s.KERNEL], grid=grid, block=block, dynamic_shared_bytes=shared)
    Path("ncu.csv").write_text(page([counted]))
    Path("bytes.csv").write_text("kernel,bytes\nrms_norm,3*4*7168\n")
    examples = [
        words[1:]
        for line in run("rank", "--help").output.splitlines()
        if (words := line.split())[:2] == ["geoaudit", "rank"]
    ]
    assert len(examples) == 8
    for words in examples:
        # A gate refuses the replay, after the table is printed.
        result = run(*words, code=3 if "--fail-on" in words else 0)
        assert result.output or "-o" in words, words


def test_a_step_that_is_not_there_is_told_with_those_that_are() -> None:
    run("scan")
    assert "there are decode_token" in run("rank", "--step", "prefill", code=2).stderr


def test_scan_names_every_format_it_reads() -> None:
    text = run("scan", "--help").output
    for name in (
        "PyTorch",
        "Nsight Systems ",
        "Nsight Systems, CSV",
        "Nsight Compute",
        "rocprofv3",
    ):
        assert name in text


def test_no_line_of_a_table_is_wider_than_the_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz")
    for columns in (80, 100, 160):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = run("rank", "--target-ms", "0.01").output.splitlines()
        assert max(map(len, lines)) <= columns


def test_a_profile_is_never_overwritten(folder: Path) -> None:
    before = trace(folder / "t.json.gz").read_bytes()
    assert "is not overwritten" in run("scan", "t.json.gz", "-o", "t.json.gz", code=2).stderr
    assert (folder / "t.json.gz").read_bytes() == before


def test_one_trace_is_not_two_ranks(folder: Path) -> None:
    trace(folder / "t.json.gz")
    assert "given twice" in run("scan", "t.json.gz", "./t.json.gz", code=2).stderr


def test_values_that_say_nothing_are_refused(folder: Path) -> None:
    trace(folder / "t.json.gz")
    run("scan", "t.json.gz")
    for option, value in {
        "--fail-on": " , ", "--min-time": "nan", "--target-ms": "inf", "--sms": "99999999",
        "--tokens": "0", "--top": "-1",
    }.items():  # fmt: skip
        run("rank", option, value, code=2)


def test_control_characters_of_a_file_name_reach_no_terminal(folder: Path) -> None:
    name = "bad\x1b[31m.json"
    (folder / name).write_text("{}")
    result = CliRunner().invoke(main, ["scan", name])
    assert result.exit_code == 2
    assert "\x1b" not in result.output
