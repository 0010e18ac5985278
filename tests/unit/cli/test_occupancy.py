"""``geoaudit occupancy``: what it prints, what it writes, what it refuses."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from geoaudit.cli.main import AuditGroup
from geoaudit.cli.occupancy import occupancy
from geoaudit.devices.table import find_device
from geoaudit.geometry.occupancy import BlockResources, residency

HEADER = "registers_per_thread,static_shared_bytes,dynamic_shared_bytes,block_threads"
H200 = ("--device", "H200")


@pytest.fixture(autouse=True)
def _no_live_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geoaudit.devices.live.live_devices", tuple)


def run(*arguments: str) -> Result:
    group = AuditGroup(commands={"occupancy": occupancy})
    return CliRunner().invoke(group, ["occupancy", *arguments])


def answer(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def batch_file(folder: Path, lines: Sequence[str], header: str = HEADER) -> str:
    file = folder / "launches.csv"
    file.write_text("\n".join((header, *lines)) + "\n", encoding="utf-8")
    return str(file)


def test_one_launch_as_json() -> None:
    document = answer("--registers", "64", "--block", "16x16", "--grid", "1,2,6", *H200)
    assert document["schema_version"] == "1.0"
    assert document["device"]["name"] == "NVIDIA H200"
    assert document["block"] == [16, 16, 1]
    assert document["grid_blocks"] == 12
    assert document["resident_blocks_per_sm"] == 4
    assert document["limiter"] == "registers"
    assert document["theoretical_occupancy"] == 0.5
    assert document["sm_fill"] == pytest.approx(12 / 132)
    assert document["waves"] == pytest.approx(12 / 528)
    assert document["what_if"] == []


def test_the_table_prints_every_figure() -> None:
    result = run("--registers", "80", "--block", "128", "--grid", "1280", *H200, "--sms", "48")
    assert result.exit_code == 0
    figures = {line.rsplit("  ", 1)[0].strip(): line for line in result.stdout.splitlines()}
    for figure, value in {
        "resident blocks per SM": "6",
        "limiter": "registers",
        "theoretical occupancy": "37.5 %",
        "waves": "4.44",
        "tail blocks": "128",
        "wave efficiency": "88.9 %",
        "SM fill": "100 %",
        "slot fill": "100 %",
        "thread fill": "37.5 %",
    }.items():
        assert figures[figure].split("  ")[-1].strip() == value
    assert "48 of 132 SMs" in result.stdout
    assert "all blocks take the same time" in result.stdout


def test_a_what_if_stands_beside_the_launch_with_its_changes_marked() -> None:
    arguments = ("--registers", "168", "--block", "256", *H200, "--what-if", "registers=128")
    lines = run(*arguments).stdout.splitlines()
    resident = next(line for line in lines if line.startswith("resident blocks"))
    assert resident.split()[-3:] == ["1", "2", "*"]
    block = next(line for line in lines if line.startswith("threads per block"))
    assert block.split()[-2:] == ["256", "256"]

    (what_if,) = answer(*arguments)["what_if"]
    assert what_if["name"] == "registers=128"
    assert what_if["resident_blocks_per_sm"] == 2
    assert set(what_if["changed"]) == {
        "name",
        "registers_per_thread",
        "resident_blocks_per_sm",
        "theoretical_occupancy",
    }


def test_several_what_ifs_of_several_changes() -> None:
    document = answer(
        *("--registers", "64", "--block", "256", "--grid", "12", *H200),
        *("--what-if", "block=16x8,grid=24", "--what-if", "shared_bytes=100000"),
    )
    first, second = document["what_if"]
    assert (first["block"], first["grid_blocks"]) == ([16, 8, 1], 24)
    assert second["limiter"] == "shared_memory"


def test_the_default_device_is_said_aloud() -> None:
    result = run("--registers", "64", "--block", "256")
    assert result.stdout.startswith("NVIDIA H200, compute capability 9.0, 132 SMs")
    assert "no --device and no GPU here" in result.stdout


def test_the_device_of_this_machine_comes_before_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    live = replace(find_device("L4"), name="the one in here")
    monkeypatch.setattr("geoaudit.devices.live.live_devices", lambda: (live,))
    assert answer("--registers", "64", "--block", "256")["device"]["name"] == "the one in here"
    named = answer("--registers", "64", "--block", "256", *H200)
    assert named["device"]["name"] == "NVIDIA H200"


def test_clusters_need_to_be_told_how_many_fit() -> None:
    arguments = ("--registers", "16", "--block", "256", "--grid", "120", "--cluster", "4", *H200)
    assert answer(*arguments)["waves"] is None
    assert "--max-active-clusters" in run(*arguments).stdout
    told = answer(*arguments, "--max-active-clusters", "248")
    assert told["waves"] == pytest.approx(120 / 992)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--registers", "32", "--block", "33x32"), "1056 threads"),
        (("--registers", "32", "--block", "2x2x65"), "block z is 65, the limit is 64"),
        (("--registers", "256", "--block", "32"), "256 registers per thread, the limit is 255"),
        (("--registers", "200", "--block", "288"), "take 76800, a block may have 65536"),
        (("--registers", "32", "--block", "32", "--shared-bytes", "232449"), "is 232448"),
        (("--registers", "32", "--block", "32", "--grid", "1x65536"), "grid y is 65536"),
        (
            ("--registers", "32", "--block", "32", "--grid", "10", "--cluster", "4"),
            "not a multiple of the cluster's 4",
        ),
    ],
)
def test_an_impossible_launch_says_why(arguments: tuple[str, ...], reason: str) -> None:
    document = answer(*arguments, *H200)
    assert document["resident_blocks_per_sm"] == 0
    assert document["limiter"] == "impossible"
    assert any(reason in one for one in document["impossible_because"])
    assert reason in " ".join(run(*arguments, *H200).stdout.split())


def test_clusters_are_impossible_before_compute_capability_9() -> None:
    document = answer(
        *("--registers", "32", "--block", "32", "--grid", "8", "--cluster", "4"),
        *("--device", "A100"),
    )
    assert document["resident_blocks_per_sm"] == 0
    assert "9.0" in document["impossible_because"][0]


@pytest.mark.parametrize("format_name", ["csv", "markdown", "table"])
def test_formats_can_be_written_in_one_run(tmp_path: Path, format_name: str) -> None:
    file = tmp_path / "answer"
    result = run(
        *("--registers", "64", "--block", "256", *H200),
        *("--output", f"{format_name}={file}", "--format", "json"),
    )
    assert json.loads(result.stdout)["resident_blocks_per_sm"] == 4
    text = file.read_text(encoding="utf-8")
    assert "registers" in text
    if format_name == "csv":
        (row,) = csv.DictReader(io.StringIO(text))
        assert (row["resident_blocks_per_sm"], row["block"]) == ("4", "256x1x1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give --registers and --block"),
        (("--registers", "32"), "give --registers and --block"),
        (("--registers", "-1", "--block", "32"), "--registers"),
        (("--registers", "32", "--block", "12a"), "--block: '12a'"),
        (("--registers", "32", "--block", "0"), "dimension of 0"),
        (("--registers", "32", "--block", "1x1x1x1"), "one to three dimensions"),
        (("--registers", "32", "--block", "9" * 5000), "one to three dimensions"),
        (("--registers", "32", "--block", "32", "--what-if", "warps=2"), "is not KEY=VALUE"),
        (("--registers", "32", "--block", "32", "--what-if", "registers=many"), "whole number"),
        (("--registers", "1", "--block", "1", "--what-if", "grid=" + "9" * 5000), "dimensions"),
        (("--registers", "1", "--block", "1", "--what-if", "registers=" + "9" * 5000), "whole"),
        (("--registers", "32", "--block", "32", "--device", "H2000"), "NVIDIA H200"),
    ],
)
def test_what_cannot_be_used_is_refused(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_a_batch_keeps_columns_and_order_and_adds_three(tmp_path: Path) -> None:
    file = batch_file(
        tmp_path,
        ['"a, b",256,64,0,0,H200,', "c,1056,64,0,0,,", "d,128,32,0,200000,A100,", "e,32,32,0,0,,3"],
        header="note,block_threads,registers_per_thread,static_shared_bytes,dynamic_shared_bytes,"
        "device,other",
    )
    result = run("--batch", file, "--device", "RTX 4090")
    assert result.exit_code == 0, result.output
    reader = csv.DictReader(io.StringIO(result.stdout))
    rows = list(reader)
    assert reader.fieldnames is not None
    assert reader.fieldnames[-5:] == [
        *("device", "other", "resident_blocks_per_sm", "limiter", "theoretical_occupancy")
    ]
    assert [row["note"] for row in rows] == ["a, b", "c", "d", "e"]
    assert [row["resident_blocks_per_sm"] for row in rows] == ["4", "0", "0", "24"]
    assert [row["limiter"] for row in rows] == ["registers", "impossible", "impossible", "blocks"]
    assert [row["theoretical_occupancy"] for row in rows] == ["0.5", "0.0", "0.0", "0.5"]
    assert "Rows without a device: NVIDIA GeForce RTX 4090" in result.stderr


def test_a_batch_answers_as_the_formula_does(tmp_path: Path) -> None:
    tuples = [
        (registers, 7 * registers, 500 * registers, 4 * registers) for registers in range(256)
    ]
    file = batch_file(tmp_path, [",".join(map(str, one)) for one in tuples])
    rows = json.loads(run("--batch", file, *H200, "--format", "json").stdout)["rows"]
    device = find_device("H200")
    expected = [
        residency(
            BlockResources(
                threads=threads, registers_per_thread=registers, shared_bytes=static + dynamic
            ),
            device,
        ).blocks
        for registers, static, dynamic, threads in tuples
    ]
    assert [row["resident_blocks_per_sm"] for row in rows] == expected


def test_clusters_and_grids_of_a_batch(tmp_path: Path) -> None:
    file = batch_file(
        tmp_path,
        ["32,0,0,128,8,4,H200", "32,0,0,128,9,4,H200", "32,0,0,128,8,4,A100", "32,0,0,128,,,A100"]
        + [f"32,0,0,128,{2**40},,A100", "32,0,0,128,0,,A100"],
        header=f"{HEADER},grid_blocks,cluster_blocks,device",
    )
    rows = csv.DictReader(io.StringIO(run("--batch", file).stdout))
    assert [row["resident_blocks_per_sm"] for row in rows] == ["16", "0", "0", "16", "16", "0"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["32,0,0,128", "32,0,x,128"], "line 3, column dynamic_shared_bytes: 'x'"),
        (["32,0,0,"], "line 2, column block_threads: ''"),
        (["-1,0,0,128"], "line 2, column registers_per_thread: '-1'"),
        (["nan,0,0,128"], "line 2, column registers_per_thread: 'nan'"),
        (["1.5,0,0,128"], "line 2, column registers_per_thread"),
        (["²,0,0,128"], "line 2, column registers_per_thread"),
        (["1" * 5000 + ",0,0,128"], "line 2, column registers_per_thread"),
        (["32,0,0"], "line 2: 3 cells, the header has 4"),
        (["32,0,0,128,7"], "line 2: 5 cells, the header has 4"),
        ([], "no rows"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, lines: list[str], message: str) -> None:
    result = run("--batch", batch_file(tmp_path, lines), *H200)
    assert result.exit_code == 2
    assert message in result.output
    assert result.stdout == "" or "resident_blocks_per_sm" not in result.stdout


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("registers_per_thread,block_threads", "no column static_shared_bytes, dynamic_shared"),
        (f"{HEADER},limiter", "has the column limiter already"),
        (f"{HEADER},block_threads", "twice"),
    ],
)
def test_a_bad_header_is_named(tmp_path: Path, header: str, message: str) -> None:
    result = run("--batch", batch_file(tmp_path, ["1,2,3,4,5"], header=header))
    assert result.exit_code == 2
    assert message in result.output


def test_an_unknown_device_in_a_row_is_named(tmp_path: Path) -> None:
    file = batch_file(tmp_path, ["32,0,0,128,H2000"], header=f"{HEADER},device")
    result = run("--batch", file)
    assert result.exit_code == 2
    assert "line 2, column device" in result.output
    assert "NVIDIA H200" in result.output


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00rubbish", b"\x1f\x8b\x08gzip"])
def test_what_is_no_csv_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "launches.csv"
    file.write_bytes(content)
    result = run("--batch", str(file))
    assert result.exit_code == 2
    assert str(file) in result.output


def test_a_batch_takes_no_launch_from_the_options(tmp_path: Path) -> None:
    file = batch_file(tmp_path, ["32,0,0,128"])
    result = run("--batch", file, "--registers", "32")
    assert result.exit_code == 2
    assert "--registers" in result.output


def test_help_shows_examples() -> None:
    text = run("--help").output
    assert "geoaudit occupancy --registers 64 --block 256 --grid 12 --device H200" in text
    assert isinstance(occupancy, click.Command)


CLUSTERED = (
    *("--registers", "32", "--block", "128", "--grid", "264", "--cluster", "4"),
    *("--max-active-clusters", "30", *H200),
)


def test_a_what_if_forgets_the_clusters_that_fit_where_they_may_be_others() -> None:
    document = answer(
        *CLUSTERED, "--what-if", "registers=64", "--what-if", "grid=120",
        "--what-if", "registers=64,max-active-clusters=15",
    )  # fmt: skip
    changed, larger, told = document["what_if"]
    assert document["waves"] == pytest.approx(264 / 120)
    assert changed["waves"] is None
    assert larger["waves"] == 1.0
    assert told["waves"] == pytest.approx(264 / 60)


def test_more_sms_than_the_device_has_are_its_sms() -> None:
    arguments = ("--registers", "32", "--block", "128", "--device", "L4", "--sms", "500")
    assert run(*arguments).stdout.startswith("NVIDIA L4, compute capability 8.9, 500 SMs (")
    device = answer(*arguments)["device"]
    assert (device["sm_count"], device["usable_sms"]) == (500, 500)


def test_sms_are_refused_beside_a_batch(tmp_path: Path) -> None:
    result = run("--batch", batch_file(tmp_path, ["32,0,0,128"]), "--sms", "7")
    assert result.exit_code == 2
    assert "--sms changes nothing of a batch" in result.output


@pytest.mark.parametrize("size", ["160KB", "1e5", "-1", "²", "9" * 5000])
def test_sizes_are_plain_bytes(size: str) -> None:
    arguments = ("--registers", "32", "--block", "128", *H200)
    result = run(*arguments, "--shared-bytes", size)
    assert result.exit_code == 2
    assert "plain bytes" in result.output
    result = run(*arguments, "--what-if", f"shared-bytes={size}")
    assert result.exit_code == 2
    assert "plain bytes" in result.output


def test_an_impossible_launch_says_so_first() -> None:
    lines = run("--registers", "200", "--block", "288", *H200).stdout.splitlines()
    assert lines[1].startswith("IMPOSSIBLE: this launch cannot be made: 200 registers x 288")
    changed = run("--registers", "32", "--block", "288", *H200, "--what-if", "registers=200")
    assert "IMPOSSIBLE: the launch with registers=200 cannot be made" in changed.stdout


def test_below_one_wave_no_tail_is_printed() -> None:
    text = run("--registers", "64", "--block", "256", "--grid", "12", *H200).stdout
    (tail,) = (line for line in text.splitlines() if line.startswith("tail blocks"))
    assert tail == "tail blocks"


@pytest.mark.parametrize("columns", [80, 120])
def test_no_line_is_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    changes = [("--what-if", f"registers={count},block=16x16") for count in (32, 64, 128, 200, 255)]
    text = run(*CLUSTERED, *(word for change in changes for word in change)).stdout
    assert max(map(len, text.splitlines())) <= columns
    for _, name in changes:
        assert name in text


def test_a_batch_as_markdown_is_a_table(tmp_path: Path) -> None:
    file = batch_file(tmp_path, ["<b>a|b,64,0,0,256"], header=f"note,{HEADER}")
    text = run("--batch", file, *H200, "--format", "markdown").stdout
    heading, rule, row = text.splitlines()
    assert heading.count("|") == rule.count("|") == row.count("|") == 9
    assert "<b>" not in row
