"""`geoaudit scan` of the suite and of manifests: options, errors, and what is said."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import geoaudit
from geoaudit.cli import suite_scan
from geoaudit.cli.main import main
from geoaudit.cli.shipped import shipped_manifest
from geoaudit.errors import InputError
from geoaudit.launches.interventions import Intervention
from geoaudit.launches.store import read_recording
from geoaudit.manifest.planned import StepPlan
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import VARIABLE_PREFIX
from geoaudit.recording import ncu
from geoaudit.recording.suite import presence, runtime, suite_run
from geoaudit.recording.suite.suite_run import RunOptions, SuiteRecording
from tests.unit.diagnosis.test_interventions import KDA
from tests.unit.manifest.example_manifest import FILE as EXAMPLE
from tests.unit.manifest.example_manifest import changed
from tests.unit.recording.fake_ncu import Counted, page

ARMS = read_manifest(shipped_manifest()).arms


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for arm in ARMS:
        monkeypatch.delenv(VARIABLE_PREFIX + arm, raising=False)
    return tmp_path


class Device:
    """A machine with a device; keeps what it was asked to run."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, StepPlan, RunOptions]] = []
        self.troubles: tuple[str, ...] = ()
        self.interventions: tuple[Intervention, ...] = ()

    def record_plan(
        self, name: str, plan: StepPlan, options: RunOptions, *_: object
    ) -> SuiteRecording:
        self.ran.append((name, plan, options))
        recording = suite_scan.replayed()
        metadata = replace(
            recording.metadata,
            replayed=False,
            source_name=name,
            interventions=self.interventions,
        )
        return SuiteRecording(
            recording=replace(recording, metadata=metadata), troubles=self.troubles
        )


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    found = Device()
    monkeypatch.setattr(presence, "has_device", lambda: True)
    monkeypatch.setattr(runtime, "import_cupy", lambda: None)
    monkeypatch.setattr(suite_run, "record_plan", found.record_plan)
    return found


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["scan", *arguments])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def test_without_an_argument_the_suite_runs_with_every_arm_off(device: Device) -> None:
    result = run()
    ((name, plan, options),) = device.ran
    assert (name, plan.step, options) == ("decode suite", "decode", RunOptions())
    assert set(plan.arms.values()) == {0}
    assert plan.symbols["context"] == 131072
    lines = result.output.splitlines()
    assert lines[0] == "arms: all off · step decode · eager"
    assert lines[1].startswith("decode suite: 19,860 kernel launches on NVIDIA H200, 12 tokens")
    assert lines[-2] == "next: geoaudit rank"
    assert lines[-1].startswith("then: geoaudit scan --all-arms")
    assert "REPLAYED" not in result.output
    assert not read_recording(Path("geoaudit-scan.parquet")).metadata.replayed


def test_options_reach_the_plan_and_the_run(device: Device) -> None:
    result = run(
        "--arm", "WIDE_NORM", "--arm", "KDA_VALUE_TILE=16", "--set", "context=4096", "--set",
        "tp=4", "--graph", "--tokens", "20", "-o", "on.parquet",
    )  # fmt: skip
    ((_, plan, options),) = device.ran
    on = {name: value for name, value in plan.arms.items() if value}
    assert on == {"WIDE_NORM": 1, "KDA_VALUE_TILE": 16}
    assert (plan.symbols["context"], plan.symbols["n_head"]) == (4096, 24)
    assert (options.tokens, options.is_graph) == (20, True)
    assert "arms: WIDE_NORM=1 KDA_VALUE_TILE=16 · step decode · one CUDA graph" in result.output
    assert "next: geoaudit rank on.parquet" in result.output
    assert "then: geoaudit scan runs the baseline" in result.output


def test_all_arms_leaves_out_what_is_not_meant_to_stay(device: Device) -> None:
    run("--all-arms", "--arm", "PDL=0")
    plan = device.ran[0][1]
    off = {name for name, value in plan.arms.items() if not value}
    assert off == {"PDL", *(name for name, arm in ARMS.items() if not arm.in_all)}


def test_gates_of_the_environment_count_and_the_command_line_wins(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEOAUDIT_WIDE_NORM", "1")
    monkeypatch.setenv("GEOAUDIT_PDL", "1")
    run("--arm", "PDL=0")
    arms = device.ran[0][1].arms
    assert (arms["WIDE_NORM"], arms["PDL"]) == (1, 0)


def test_what_is_confirmed_is_planned_before_the_run(device: Device) -> None:
    run("--confirm")
    run("--confirm", "--arm", "WIDE_NORM")
    run()
    baseline, wide, nothing = (options.confirm for _, _, options in device.ran)
    assert baseline is not None
    assert wide is not None
    assert nothing is None
    assert {"WIDE_NORM=1", "KDA_VALUE_TILE=8", "MLA_DERIVED_FLOOR=1"} <= set(baseline.variants)
    assert "WIDE_NORM=0" in wide.variants
    assert baseline.notes == ()


def test_what_was_found_is_said_and_saved(device: Device) -> None:
    device.interventions = (KDA,)
    result = run("--confirm")
    assert "20.3 µs alone, 20.4 µs in its token: alike, so not contended" in result.output
    assert "  KDA_VALUE_TILE=8, 192 blocks of 256 threads: 1.95 µs" in result.output
    assert read_recording(Path("geoaudit-scan.parquet")).metadata.interventions == (KDA,)


def test_another_step(device: Device) -> None:
    run("--step", "gqa")
    assert device.ran[0][1].step == "gqa"


def test_a_manifest_of_the_users_own(device: Device) -> None:
    result = run(str(EXAMPLE), "--arm", "WIDE_NORM")
    name, plan, _ = device.ran[0]
    assert name == "a small decode step"
    assert len(plan.launches) == 13
    assert f"then: geoaudit scan {EXAMPLE} runs the baseline" in result.output


def test_a_tokens_number_does_not_cut_the_recording_by_count(device: Device) -> None:
    run("--tokens", "3")
    options = read_recording(Path("geoaudit-scan.parquet")).metadata.token_options
    assert options.token_count is None


def test_what_was_run_is_kept_where_the_part_that_was_asked_for_is_not_there(
    device: Device,
) -> None:
    result = run("--token-range", "no such range", code=2)
    assert result.stderr.rstrip().endswith("The recording is saved whole.")
    assert len(read_recording(Path("geoaudit-scan.parquet")).launches) > 10_000


def test_troubles_are_told_and_the_exit_code_is_3(device: Device) -> None:
    device.troubles = ("CUPTI is taken",)
    result = run(code=3)
    assert result.stderr == "geoaudit: CUPTI is taken\n"
    assert Path("geoaudit-scan.parquet").exists()


def test_a_gpu_without_cupy_is_an_error_with_the_fix_and_no_replay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(presence, "has_device", lambda: True)
    monkeypatch.setitem(sys.modules, "cupy", None)
    result = run(code=3)
    assert "pip install 'geoaudit[cuda13]'" in result.stderr
    assert result.stdout == ""
    assert not Path("geoaudit-scan.parquet").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--arm", "WIDE_NORM"],
        ["--all-arms"],
        ["--graph"],
        ["--confirm"],
        ["--set", "tp=1"],
        [str(EXAMPLE)],
    ],
)
def test_without_a_device_nothing_that_was_asked_for_is_replayed(arguments: list[str]) -> None:
    result = run(*arguments, code=3)
    assert "needs a CUDA device, and none was found" in result.stderr
    assert "launches, in" in result.stderr
    assert not Path("geoaudit-scan.parquet").exists()


def test_a_gate_of_the_environment_is_asked_for_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEOAUDIT_WIDE_NORM", "1")
    assert "a run with GEOAUDIT_WIDE_NORM=1 needs a CUDA device" in run(code=3).stderr
    monkeypatch.setenv("GEOAUDIT_WIDE_NORM", "0")
    assert run().stdout.startswith("REPLAYED")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--arm", "WIDE_NORMS"], "unknown arm"),
        (["--arm", "WIDE_NORM=2"], "the value must be one of 0, 1"),
        (["--arm", "GQA_HYBRID", "--arm", "GQA_SHARED_BLOCK"], "exclude each other"),
        (["--set", "contexts=1"], "unknown symbol"),
        (["--set", "context"], "write NAME=VALUE"),
        (["--step", "prefill"], "unknown step"),
        (["gone.toml"], "gone.toml: No such file"),
        (["broken.toml"], "broken.toml:1: "),
        (["a.toml", "b.json"], "a.toml is a manifest: give one, and no TRACE beside it"),
        (["t.json", "--arm", "WIDE_NORM"], "--arm is for the suite or a MANIFEST.toml"),
        (["--graph", "--", "true"], "--graph is for the suite"),
        (["--confirm", "--", "true"], "it can do nothing for a COMMAND. Describe the kernel in a"),
        (["t.json", "--confirm"], "only the suite or a MANIFEST.toml says with which"),
        (["--list-arms", "--", "true"], "--list-arms is for the suite"),
        (["a.toml", "--", "true"], "no TRACE"),
        (["--duration", "1"], "--duration is for a recorded command"),
    ],
)
def test_bad_input_is_told_in_one_line_with_code_2(
    folder: Path, arguments: list[str], told: str
) -> None:
    (folder / "broken.toml").write_text("name =\n")
    result = run(*arguments, code=2)
    assert told in result.stderr
    assert "Traceback" not in result.output


def test_arms_are_listed_with_class_reason_and_the_restore_set() -> None:
    text = run("--list-arms").output
    for name, arm in ARMS.items():
        assert re.search(
            rf"^{name}  {arm.arm_class}(, not one of --all-arms)?$", text, re.MULTILINE
        )
        assert " ".join(arm.reason.split()) in " ".join(text.split())
    restore = text.partition("the baseline, whatever the environment says:")[2].split()
    assert restore == [f"GEOAUDIT_{name}=0" for name in ARMS]
    assert max(map(len, text.splitlines())) <= 100


def test_the_printed_restore_set_gives_the_baseline(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    printed = run("--list-arms").output.partition("environment says:")[2].split()
    for gate in printed:
        monkeypatch.setenv(*gate.split("="))
    run()
    (_, before, _), (_, after, _) = device.ran
    assert after == before


def test_the_arms_of_a_manifest_are_its_own() -> None:
    text = run(str(EXAMPLE), "--list-arms").output
    assert text.startswith("a small decode step: 2 arms\n")
    assert "values 4, 8; 4 by itself." in text
    assert "changes nothing where 32 one-warp blocks fill an SM already." in text


def test_the_suite_is_found_in_a_wheel_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "geoaudit"
    (package / "shipped_kernels").mkdir(parents=True)
    monkeypatch.setattr(geoaudit, "__file__", str(package / "__init__.py"))
    with pytest.raises(InputError, match="the decode suite is missing"):
        shipped_manifest()
    manifest = package / "shipped_kernels" / "manifest.toml"
    manifest.write_text("")
    assert shipped_manifest() == manifest


def test_a_bar_is_shown_on_a_terminal_alone(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []

    def record_plan(*arguments: Any) -> SuiteRecording:  # noqa: ANN401
        told.append(arguments[-1])
        return device.record_plan(*arguments)

    monkeypatch.setattr(suite_run, "record_plan", record_plan)
    run()
    assert told == [None]


@pytest.mark.parametrize(
    "arguments", [("--arm", "GQA_HYBRID"), ("--arm", "WIDE_EXPERTS", "--step", "gqa")]
)
def test_an_arm_that_changes_no_launch_is_not_measured(
    device: Device, arguments: tuple[str, ...]
) -> None:
    result = run(*arguments, code=3)
    assert f"the arm {arguments[1]} changes no launch of the step" in result.output
    assert device.ran == []


def test_a_size_that_kernels_are_compiled_for_cannot_be_set(device: Device) -> None:
    result = run("--set", "head_dim=64", code=2)
    assert "head_dim == 128 does not hold: head_dim is 64" in result.output
    assert device.ran == []


def test_a_wrong_name_beside_list_arms_is_told() -> None:
    assert "unknown arm" in run("--list-arms", "--arm", "NOPE", code=2).output


def test_an_idle_arm_is_no_fault_of_a_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = run("--list-arms").output
    assert run("--list-arms", "--arm", "GQA_HYBRID").output == listed
    monkeypatch.setenv("GEOAUDIT_MLA_DERIVED_FLOOR", "1")
    text = run("--list-arms", "--set", "context=1024").output
    assert "alone it changes: no step with these settings" in text


def test_steps_are_listed_with_the_arms_that_change_them() -> None:
    text = run("--list-arms").output
    assert text.splitlines()[1] == "  steps: decode (default), gqa"
    _, _, hybrid = text.partition("GQA_HYBRID  ")
    assert "alone it changes: gqa\n" in hybrid


def test_a_replay_holds_another_number_of_tokens_than_was_asked_for() -> None:
    result = run("--tokens", "3", code=3)
    assert "a run with --tokens needs a CUDA device" in result.stderr
    assert not Path("geoaudit-scan.parquet").exists()


def test_an_arm_that_is_named_and_off_is_replayed_as_one_of_the_environment() -> None:
    assert run("--arm", "WIDE_NORM=0").stdout.startswith("REPLAYED")


def test_several_options_are_told_as_one_run() -> None:
    told = run("--set", "tp=1", "--step", "gqa", code=3).stderr
    assert "a run with --set and --step needs a CUDA device, and none was found" in told


def test_a_misspelt_variable_is_told_on_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEOAUDIT_wide_norm", "1")
    result = run()
    assert result.stdout.startswith("REPLAYED")
    assert result.stderr == (
        "geoaudit: GEOAUDIT_wide_norm is no arm of this manifest and ignored: "
        "did you mean GEOAUDIT_WIDE_NORM?\n"
    )


@pytest.mark.parametrize(("tokens", "code"), [([], 2), (["--tokens", "7"], 0)])
def test_every_token_of_a_run_is_worked_out_before_it(
    device: Device, folder: Path, tokens: list[str], code: int
) -> None:
    (folder / "kernels.cu").touch()
    (folder / "m.toml").write_text(changed(('{ i64 = "position" }', '{ u8 = "246 + token" }')))
    result = run("m.toml", *tokens, code=code)
    assert len(device.ran) == (code == 0)
    if code:
        assert "arguments[5].u8: is 256, beyond u8" in result.stderr
        assert "(at token 10 of the run" in result.stderr


@pytest.mark.parametrize("arguments", [[], [str(EXAMPLE)]])
def test_a_manifest_is_never_read_in_part(arguments: list[str]) -> None:
    assert "--allow-partial is for a TRACE" in run(*arguments, "--allow-partial", code=2).stderr


def test_a_manifest_of_another_name_is_told_how_manifests_are_named(folder: Path) -> None:
    (folder / "manifest.txt").write_text(EXAMPLE.read_text())
    assert "the name of a manifest ends in .toml" in run("manifest.txt", code=2).stderr


def test_a_manifest_that_may_not_be_read_is_told_as_any_other_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "m.toml").mkdir()
    monkeypatch.setattr("os.access", lambda *_: False)
    assert run("m.toml", code=2).stderr.startswith("geoaudit: error: m.toml: ")


def test_an_empty_output_is_told() -> None:
    assert "must not be empty: name a file" in run("-o", "", code=2).stderr


def test_one_arm_is_an_arm(folder: Path) -> None:
    (folder / "kernels.cu").touch()
    text = changed(
        ("[arms.WIDE_NORM]", "[arms.ONLY]"),
        ("[kernels.rms_norm.arms.WIDE_NORM]", "[kernels.rms_norm.arms.ONLY]"),
    )
    start, end = text.index("[arms.ROWS_PER_BLOCK]"), text.index("[buffers.residual]")
    text = (text[:start] + text[end:]).replace("ROWS_PER_BLOCK or 1", "1")
    (folder / "m.toml").write_text(text)
    assert run("m.toml", "--list-arms").output.startswith("a small decode step: 1 arm\n")


def test_the_suite_is_counted_with_the_arms_and_symbols_it_ran_with(
    device: Device, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[list[str]] = []

    def run_counted(command: list[str], log: Path, **_: object) -> tuple[str, ...]:
        given.append(command)
        grid = (1, 1, 1)
        log.write_text(page([Counted(kernel="rms_norm_kernel", grid=grid, block=(128, 1, 1))]))
        return ()

    monkeypatch.setattr(ncu, "run_counted", run_counted)
    monkeypatch.setattr(ncu, "find_ncu", lambda: Path("ncu"))
    result = run("--counters", "--arm", "WIDE_NORM", "--set", "tp=4", "--graph", code=3)
    assert "The recording is saved without counters" in result.stderr
    ((*_, text),) = given
    assert json.loads(text) == {
        "manifest": str(shipped_manifest().resolve()),
        "step": "decode",
        "arms": ["WIDE_NORM"],
        "assignments": ["tp=4"],
        "all_arms": False,
    }
    assert read_recording(Path("geoaudit-scan.parquet")).metadata.source_name == "decode suite"
