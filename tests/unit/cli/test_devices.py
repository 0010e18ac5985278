import csv
import io
import json
from dataclasses import fields
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from geoaudit.cli.device_options import device_options
from geoaudit.cli.devices import devices
from geoaudit.cli.main import AuditGroup
from geoaudit.devices.live import LIVE_SOURCE
from geoaudit.devices.spec import DeviceSpec
from geoaudit.devices.table import all_devices, architecture_limits
from geoaudit.errors import EXIT_USAGE
from geoaudit.render.devices import short_name


@click.group(cls=AuditGroup)
def group() -> None:
    """A group that turns errors into exit codes as the entry point does."""


group.add_command(devices)
LIVE = architecture_limits("9.0").with_sms(
    name="NVIDIA H200 of this machine", sm_count=132, sm_count_source=LIVE_SOURCE
)


@pytest.fixture(autouse=True)
def _no_live_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geoaudit.devices.live.live_devices", lambda: ())


def run(*arguments: str) -> str:
    result = CliRunner().invoke(group, ["devices", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_table_names_every_device_within_100_columns() -> None:
    text = run()
    assert max(map(len, text.splitlines())) <= 100
    for spec in all_devices():
        (line,) = (
            line for line in text.splitlines() if line.startswith(f"{short_name(spec.name)}  ")
        )
        assert f" {spec.sm_count} " in line
    assert "*" not in text


def test_short_names_tell_all_devices_apart() -> None:
    names = [short_name(spec.name) for spec in all_devices()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("columns", [80, 90, 100, 160])
@pytest.mark.parametrize("arguments", [(), ("H200",), ("Thor",)])
def test_no_line_is_wider_than_the_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: int, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert max(map(len, run(*arguments).splitlines())) <= columns


def test_live_devices_stand_first_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geoaudit.devices.live.live_devices", lambda: (LIVE,))
    lines = run().splitlines()
    assert lines[2].startswith("* H200 of this machine")
    assert lines[-1] == "*: in this machine, figures of its driver."
    document = json.loads(run("--format", "json"))
    assert [one["live"] for one in document["devices"][:2]] == [True, False]


def test_json_holds_every_field_of_every_device() -> None:
    document = json.loads(run("--format", "json"))
    assert document["schema_version"] == "1.1"
    assert document["calibrations"] == []
    assert len(document["devices"]) == len(all_devices())
    expected = {field.name for field in fields(DeviceSpec)} | {"live"}
    assert all(set(one) == expected for one in document["devices"])


def test_csv_leaves_what_is_not_known_empty() -> None:
    rows = list(csv.DictReader(io.StringIO(run("--format", "csv"))))
    thor = next(row for row in rows if row["name"] == "NVIDIA Thor")
    assert (thor["sm_count"], thor["l2_bytes"]) == ("20", "")


def test_one_device_shows_the_source_of_every_figure() -> None:
    text = run("gb10")
    assert text.startswith("NVIDIA GB10  nvidia  12.1\n")
    assert max(map(len, text.splitlines())) <= 100
    rows = list(csv.DictReader(io.StringIO(run("gb10", "--format", "csv"))))
    figures = {field.name for field in fields(DeviceSpec)}
    figures -= {"name", "vendor", "architecture", "sm_count_source", "usable_sm_count"}
    assert {row["figure"] for row in rows} == figures
    assert all(row["source"] for row in rows)


def test_what_is_not_known_says_why() -> None:
    document = json.loads(run("Thor", "--format", "json"))
    assert document["device"]["l2_bytes"] is None
    assert document["sources"]["l2_bytes"].startswith("not known: ")
    assert "| l2_bytes | ? |" in run("Thor", "--format", "markdown")


def test_a_live_device_outside_the_table_is_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geoaudit.devices.live.live_devices", lambda: (LIVE,))
    document = json.loads(run(LIVE.name, "--format", "json"))
    assert set(document["sources"].values()) == {LIVE_SOURCE}


def test_an_unknown_name_is_a_usage_error() -> None:
    result = CliRunner().invoke(group, ["devices", "H1000"])
    assert result.exit_code == EXIT_USAGE
    assert "NVIDIA H100" in result.stderr
    assert result.stdout == ""


def test_several_outputs_in_one_run(tmp_path: Path) -> None:
    table, document = tmp_path / "devices.txt", tmp_path / "devices.json"
    assert run("-o", str(table), "--output", f"json={document}") == ""
    assert "\nH200 " in table.read_text(encoding="utf-8")
    assert json.loads(document.read_text(encoding="utf-8"))["devices"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [([], "None None"), (["--device", "H100", "--sms", "66"], "H100 66")],
)
def test_device_options_reach_the_command(arguments: list[str], expected: str) -> None:
    @click.command()
    @device_options
    def command(device_name: str | None, sms: int | None) -> None:
        click.echo(f"{device_name} {sms}")

    assert CliRunner().invoke(command, arguments).stdout == f"{expected}\n"
    assert CliRunner().invoke(command, ["--sms", "0"]).exit_code == EXIT_USAGE
