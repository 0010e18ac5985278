"""One token without a recorder, for another profiler to run."""

import json
import subprocess
from pathlib import Path

import pytest

from geoaudit.recording.suite import unrecorded
from geoaudit.recording.suite.described_run import DescribedRun
from geoaudit.recording.suite.unrecorded import command_of, main, run_one_token
from tests.unit.manifest.example_manifest import FILE, planned
from tests.unit.recording.suite.fake_device import FakeRuntime


def test_buffers_are_filled_and_one_token_is_launched_and_waited_for() -> None:
    runtime, plan = FakeRuntime(), planned(arms=("WIDE_NORM",))
    run_one_token(plan, lambda: runtime)
    assert runtime.entries() == [one.shape.entry for one in plan.launches]
    assert len(runtime.library.launches) > len(plan.launches)
    assert len(runtime.library.names("cuStreamSynchronize")) == 2


def test_the_plan_is_that_of_the_settings_and_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runtime = FakeRuntime()
    monkeypatch.setattr(unrecorded, "CupyRuntime", lambda: runtime)
    monkeypatch.setenv("GEOAUDIT_WIDE_NORM", "1")
    main([command_of(DescribedRun(manifest=str(FILE), step="decode"))[-1]])
    assert {one.block[0] for one in runtime.launches_of("rms_norm")} == {128, 1024}


def test_what_goes_wrong_is_said_and_the_code_is_1(tmp_path: Path) -> None:
    command = command_of(DescribedRun(manifest=str(tmp_path / "none.toml"), step="decode"))
    assert json.loads(command[-1])["step"] == "decode"
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.startswith("geoaudit: error: ")
    assert "none.toml" in ended.stderr
