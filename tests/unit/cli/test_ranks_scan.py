"""`geoaudit scan --ranks`: what is refused, and what is saved and said."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geoaudit.cli.main import main
from geoaudit.launches.store import read_recording
from geoaudit.manifest.planned import StepPlan
from geoaudit.recording.suite import presence, runtime
from geoaudit.recording.suite.ranks import recorded
from geoaudit.recording.suite.ranks.group_run import GroupRun
from geoaudit.recording.suite.ranks.recorded import GroupRecording
from tests.unit.recording.suite.ranks.test_recorded import launched

SUITE = Path(__file__).parents[3] / "kernels" / "manifest.toml"


class Machine:
    """A machine with devices, on which a group leaves what it is told to."""

    def __init__(self) -> None:
        self.devices = 2
        self.ran: list[GroupRun] = []
        self.troubles: tuple[str, ...] = ()

    def record_group(
        self, name: str, plan: StepPlan, group: GroupRun, **_: object
    ) -> GroupRecording:
        self.ran.append(group)
        return GroupRecording(recordings=(launched(0, 3), launched(1, 3)), troubles=self.troubles)


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.chdir(tmp_path)
    made = Machine()
    monkeypatch.setattr(presence, "device_count", lambda: made.devices)
    monkeypatch.setattr(presence, "has_device", lambda: made.devices > 0)
    monkeypatch.setattr(runtime, "import_cupy", lambda: None)
    monkeypatch.setattr(recorded, "record_group", made.record_group)
    return made


def scan(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["scan", *arguments])


def test_the_ranks_are_saved_together_and_the_symbol_is_their_number(machine: Machine) -> None:
    result = scan("--ranks", "2", "--tokens", "20", "--graph")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == "arms: all off · step decode · one CUDA graph · 2 ranks"
    assert result.stdout.splitlines()[-1] == "then: --by rank sets the ranks side by side"
    (group,) = machine.ran
    assert (group.ranks, group.tokens, group.warm_up_tokens, group.is_graph) == (2, 20, 3, True)
    assert group.run.assignments == ("tp=2",)
    assert group.run.planned().symbols["n_head"] == 48
    assert Path("geoaudit-scan.parquet").is_dir()
    assert set(read_recording(Path("geoaudit-scan.parquet")).launches["rank"]) == {0, 1}


def test_the_symbol_keeps_the_value_that_is_given(machine: Machine) -> None:
    assert scan("--ranks", "2", "--set", "tp=8", "--set", "context=4096").exit_code == 0
    assert machine.ran[0].run.assignments == ("tp=8", "context=4096")


def test_what_the_recording_lacks_is_said_and_the_code_is_3(machine: Machine) -> None:
    machine.troubles = ("rank 1 of 2 left no recording",)
    result = scan("--ranks", "2")
    assert result.exit_code == 3
    assert result.stderr == "geoaudit: rank 1 of 2 left no recording\n"
    assert Path("geoaudit-scan.parquet").exists()


@pytest.mark.parametrize(
    ("devices", "said"),
    [(1, "needs 2 CUDA devices, one for each rank, and 1 is visible"), (0, "needs a CUDA device")],
)
def test_more_ranks_than_devices_are_refused(machine: Machine, devices: int, said: str) -> None:
    machine.devices = devices
    result = scan("--ranks", "2")
    assert result.exit_code == 3
    assert said in result.stderr
    assert not machine.ran


def test_ranks_that_sum_nothing_need_no_device_of_their_own(machine: Machine) -> None:
    machine.devices = 1
    assert scan("--ranks", "2", "--step", "gqa").exit_code == 0
    assert machine.ran[0].run.step == "gqa"


@pytest.mark.parametrize("option", ["--confirm", "--counters"])
def test_what_repeats_a_rank_alone_is_refused(machine: Machine, option: str) -> None:
    result = scan("--ranks", "2", option)
    assert result.exit_code == 2
    assert f"use {option} with --set tp=2" in result.stderr


@pytest.mark.parametrize("number", ["0", "1", "-2", "two"])
def test_a_group_has_two_ranks_at_least(number: str) -> None:
    result = scan("--ranks", number)
    assert result.exit_code == 2
    assert "--ranks" in result.stderr


def test_ranks_are_for_the_suite(tmp_path: Path) -> None:
    result = scan("--ranks", "2", "--", "true")
    assert result.exit_code == 2
    assert "--ranks is for the suite or a MANIFEST.toml" in result.stderr


def test_a_plan_says_what_is_summed() -> None:
    result = scan("--plan", "--ranks", "2")
    assert "94 × update [7,168], 92 × expert_sum [7,168]" in result.stdout.splitlines()[2]
    document = json.loads(scan(str(SUITE), "--plan", "--format", "json").stdout)
    assert document["all_reduces"] == [
        {"buffer": "update", "elements": 7168, "calls_per_token": 94},
        {"buffer": "expert_sum", "elements": 7168, "calls_per_token": 92},
    ]
