"""`geoaudit scan --plan`: what would be launched, told without a device."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from geoaudit.cli.main import main
from geoaudit.cli.plan_view import plan_document, plan_lines, shape_groups
from tests.unit.manifest.example_manifest import FILE as EXAMPLE
from tests.unit.manifest.example_manifest import planned


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_launches_of_one_shape_are_told_once() -> None:
    groups = shape_groups(planned())
    assert [(one.launch.shape.kernel, one.first, one.calls_per_token) for one in groups] == [
        ("rms_norm", 0, 6),
        ("projection", 1, 6),
        ("rms_norm", 12, 1),
    ]


def test_the_text_of_a_shape() -> None:
    lines = plan_lines("example", planned(arms=("ROWS_PER_BLOCK",)))
    assert lines[0].startswith("example, step decode: 13 launches a token in 3 shapes, 49.1 MiB of")
    assert lines[1] == "arms: ROWS_PER_BLOCK=4"
    assert lines[9:15] == [
        "projection: 6 calls per token, first as launch 2 in decode/layer",
        "  entry projection<4> of source kernels.cu",
        "  grid 224, block 128, cluster 1, dynamic shared memory 0 B",
        "  read 12.3 MiB, written 3.50 KiB, working threads of a block not said, in flight per "
        "thread not said",
        "  arguments of the first: @weight[0], @normed, @projected, i32 896, i32 7168, i64 4096 at "
        "token 0, 4096 + token",
        "",
    ]


def test_the_document_of_a_shape() -> None:
    document = plan_document("example", planned())
    assert (document["schema_version"], document["launches_per_token"]) == (1, 13)
    shape = document["shapes"][1]
    assert shape["grid_blocks"] == [896, 1, 1]
    assert shape["working_threads"] is None
    assert shape["first_arguments"][0] == {"buffer": "weight", "copy": 0}
    assert shape["first_arguments"][-1] == {
        "dtype": "i64",
        "value": 4096,
        "of_token": "4096 + token",
    }


@pytest.mark.parametrize("arguments", [[], [str(EXAMPLE)], ["--step", "gqa", "--all-arms"]])
def test_a_plan_needs_no_device_and_writes_nothing(tmp_path: Path, arguments: list[str]) -> None:
    result = CliRunner().invoke(main, ["scan", "--plan", *arguments])
    assert result.exit_code == 0, result.output
    assert "launches a token in" in result.output.splitlines()[0]
    assert list(tmp_path.iterdir()) == []


def test_a_plan_as_json() -> None:
    result = CliRunner().invoke(main, ["scan", str(EXAMPLE), "--plan", "--format", "json"])
    assert json.loads(result.output)["manifest"] == "a small decode step"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--format", "json"], "--format is for --plan"),
        (["--plan", "--list-arms"], "--plan and --list-arms exclude each other"),
        (["--plan", "-o", "x.parquet"], "-o is for a recording"),
        (["--plan", "--", "true"], "--plan is for the suite or a MANIFEST.toml"),
        (["t.json", "--plan"], "--plan is for the suite or a MANIFEST.toml"),
        (["--plan", "--set", "tp=0"], "division by zero"),
    ],
)
def test_what_means_nothing_beside_a_plan_is_refused(arguments: list[str], told: str) -> None:
    result = CliRunner().invoke(main, ["scan", *arguments])
    assert result.exit_code == 2
    assert told in result.stderr
