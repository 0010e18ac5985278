"""`scan --counters`, and `--counters-from`: what is saved, said and refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geoaudit.cli.main import main
from geoaudit.cli.progress_line import counting_text
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import read_recording, write_recording
from geoaudit.recording import ncu as ncu_module
from geoaudit.recording.ncu import Counting
from tests.recorder.programs import Programs
from tests.unit.ranking.builders import Launch, recording
from tests.unit.recording.conftest import programs  # noqa: F401 - a fixture
from tests.unit.recording.fake_ncu import NOTHING, PERMISSION, Counted, install, on_path, page
from tests.unit.recording.test_record_command import with_fake_cupti

OUTPUT = Path("geoaudit-scan.parquet")
# What the target of the recorder's tests launches.
LAUNCHED = Counted(kernel="decode_kernel", grid=(12, 1, 1), dynamic_shared_bytes=2048)
Scan = Callable[..., Result]


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result


def saved() -> Recording:
    return read_recording(OUTPUT)


@pytest.fixture
def scan(
    programs: Programs,  # noqa: F811 - the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Scan:
    """Run `geoaudit scan` of the recorder's target, with a stand-in for ncu on PATH."""
    monkeypatch.chdir(tmp_path)
    with_fake_cupti(programs, monkeypatch)
    install(tmp_path / "tools", page([LAUNCHED]))
    monkeypatch.setenv("PATH", on_path(tmp_path / "tools"))

    def scanned(words: str, *options: str, code: int = 0) -> Result:
        return run("scan", *options, "--", str(programs.target), *words.split(), code=code)

    return scanned


def test_a_command_is_recorded_and_then_counted(
    scan: Scan, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    result = scan("launch 40 print engine", "--counters")
    assert capfd.readouterr().out.count("engine") == 1
    assert result.stdout == ""
    sentence = "1 of 1 kernel and launch shape, 100 % of the kernel time (ncu, one launch of each"
    assert f"geoaudit: counters: {sentence}" in result.stderr
    launches = saved().launches
    assert len(launches) == 40
    assert set(launches[s.DRAM_BYTES]) == {3.1e6}
    assert set(launches[s.SM_ACTIVE_FRACTION]) == {0.03}
    assert saved().metadata.environment["counters"].startswith("1 of 1")
    assert json.loads((tmp_path / "tools" / "ncu.arguments").read_text())[-1] == "engine"


def test_without_counters_ncu_is_not_run(scan: Scan, tmp_path: Path) -> None:
    scan("launch 4")
    assert not (tmp_path / "tools" / "ncu.arguments").exists()
    assert saved().launches[s.DRAM_BYTES].isna().all()


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (PERMISSION, "ncu counted nothing: the driver keeps counters for administrators"),
        (NOTHING, "ncu saw no kernel of the command"),
        (page([Counted(kernel="other")]), "none of the 1 launches in it has counters and is of"),
    ],
)
def test_where_nothing_is_counted_the_recording_is_saved_and_the_code_is_3(
    log: str, message: str, scan: Scan, tmp_path: Path
) -> None:
    install(tmp_path / "tools", log)
    result = scan("launch 4", "--counters", code=3)
    assert message in result.stderr
    assert "The recording is saved without counters." in result.stderr
    assert len(saved().launches) == 4


def test_without_ncu_the_recording_is_saved_and_the_code_is_3(
    scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(ncu_module, "_places", lambda: iter(()))
    result = scan("launch 4", "--counters", code=3)
    assert "neither on PATH nor beside a CUDA toolkit" in result.stderr
    assert len(saved().launches) == 4


def test_a_command_that_fails_is_not_run_again(scan: Scan, tmp_path: Path) -> None:
    result = scan("launch 4 exit 7", "--counters", code=7)
    assert "no counters are read: the command did not end well" in result.stderr
    assert not (tmp_path / "tools" / "ncu.arguments").exists()


def test_a_named_ncu_and_its_limit(scan: Scan, tmp_path: Path) -> None:
    slow = install(tmp_path / "slow", page([LAUNCHED]), wait_s=30)
    options = ("--counters", "--ncu", str(slow), "--counting-limit", "1")
    result = scan("launch 4", *options, code=3)
    assert "did not end within 1 s" in result.stderr
    assert len(saved().launches) == 4


def test_ctrl_c_keeps_the_recording(scan: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ncu_module, "run_counted", interrupted)
    result = scan("launch 4", "--counters", code=130)
    assert "interrupted: the recording is saved without counters" in result.stderr
    assert len(saved().launches) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ncu", "/bin/true"], "--ncu is for --counters"),
        (["--counting-limit", "3"], "--counting-limit is for --counters"),
        (["--counters", "--counting-limit", "0"], "not in the range"),
        (["--counters", "--ncu", "nowhere"], "does not exist"),
        (["trace.json", "--counters"], "give rank or report --counters-from FILE"),
    ],
)
def test_wrong_use(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in " ".join(run("scan", *arguments, code=2).output.split())


def test_a_replay_has_nothing_to_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("scan", "--counters", code=3)
    assert "a run with --counters needs a CUDA device" in result.stderr
    assert not OUTPUT.exists()


@pytest.fixture
def timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording of 264 blocks of 128 threads, and a page of the same beside it."""
    monkeypatch.chdir(tmp_path)
    write_recording(recording([Launch(kernel="decode", duration=20_000, blocks=264)]), OUTPUT)
    file = tmp_path / "ncu.csv"
    file.write_text(page([Counted()]))
    return file


def test_rank_joins_the_counters_of_a_file(timed: Path) -> None:
    result = run("rank", "--counters-from", str(timed), "--format", "json")
    assert "counters: 1 of 1 kernel and launch shape, 100 % of the kernel time" in result.stderr
    (row,) = json.loads(result.stdout)["rows"]
    assert row["wasted_sm_time_per_token_ns"] == 0
    assert row["measured_wasted_sm_time_per_token_ns"] == pytest.approx(19_400)
    assert row["dram_bytes"] == 3.1e6
    assert saved().launches[s.DRAM_BYTES].isna().all()


def test_report_joins_them_too(timed: Path) -> None:
    run("report", "--counters-from", str(timed), "-o", "audit")
    (row,) = json.loads(Path("audit/rank.json").read_text())["rows"]
    assert row["sm_active_fraction"] == 0.03


def test_a_file_of_another_program_is_not_joined_in_silence(timed: Path) -> None:
    timed.write_text(page([Counted(grid=(13, 1, 1))]))
    result = run("rank", "--counters-from", str(timed), code=3)
    assert "ncu.csv: none of the 1 launches in it has counters" in result.stderr


def test_a_file_that_is_no_page_is_unusable(timed: Path) -> None:
    timed.write_text("nothing\n")
    run("rank", "--counters-from", str(timed), code=2)
    run("rank", "--counters-from", "nowhere.csv", code=2)


def test_the_line_says_how_far_it_is() -> None:
    assert counting_text(Counting(elapsed_s=75.2, profiled=0)) == "under ncu 1 min 15 s"
    text = counting_text(Counting(elapsed_s=5.0, profiled=31))
    assert text == "under ncu 5 s, 31 launches counted"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            '"9.0"',
            '"7.5"',
            "compute capability 7.5, and the recording is of NVIDIA H200",
        ),
        ("SAME", "SAME", None),
    ],
)
def test_counters_of_another_device_are_refused(
    old: str, new: str, told: str | None, timed: Path
) -> None:
    timed.write_text(timed.read_text().replace(old, new))
    result = run("rank", "--counters-from", str(timed), code=0 if told is None else 2)
    assert told is None or told in result.stderr


@pytest.mark.parametrize(("factor", "is_told"), [(0.2, True), (1, False), (5, True)])
def test_counters_that_took_another_time_are_told(
    factor: float, is_told: bool, timed: Path
) -> None:
    timed.write_text(timed.read_text().replace("20,480", f"{20_480 * factor:.0f}"))
    result = run("rank", "--counters-from", str(timed), "--format", "json")
    warnings = json.loads(result.stdout)["scan"]["warnings"]
    assert any("counted in another program" in one for one in warnings) is is_told


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("3,000,000", "abc", "dram__bytes_read.sum of decode: 'abc byte' is no number"),
        ("3,000,000", "inf", "dram__bytes_read.sum of decode: 'inf byte' is no number"),
        ("3,000,000", "nan", "dram__bytes_read.sum of decode: 'nan byte' is no number"),
        ("3,000,000", "-5", "dram__bytes_read.sum of decode: -5 is below 0"),
        ("3,000,000", "1e30", "dram__bytes_read.sum of decode: no memory moves 1e+30 bytes in its"),
        ("5,000", "0", "sm__cycles_elapsed.max of decode: no cycle elapsed"),
    ],
)
def test_a_counter_that_cannot_be_is_told_and_not_taken(
    old: str, new: str, told: str, timed: Path
) -> None:
    timed.write_text(timed.read_text().replace(f'"{old}"', f'"{new}"'))
    result = run("rank", "--counters-from", str(timed), "--format", "json")
    document = json.loads(result.stdout)
    (warning,) = (one for one in document["scan"]["warnings"] if told in one)
    assert warning.startswith(f"{timed}: ")
    assert warning.endswith(": taken as not counted")
    (row,) = document["rows"]
    column = "sm_active_fraction" if old == "5,000" else "dram_bytes"
    assert row[column] is None
    assert row["sm_throughput_fraction"] == 0.0618


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("6.18", "500", "sm__throughput.avg.pct_of_peak_sustained_elapsed of decode is 500 %"),
        ("150", "1e11", "sm__cycles_active.avg / sm__cycles_elapsed.max of decode is 2e+09 %"),
    ],
)
def test_a_share_of_more_than_all_is_refused(old: str, new: str, told: str, timed: Path) -> None:
    timed.write_text(timed.read_text().replace(f'"{old}"', f'"{new}"'))
    result = run("rank", "--counters-from", str(timed), code=2)
    assert told in " ".join(result.stderr.split())


def test_a_share_that_passes_rounded_up_is_all(timed: Path) -> None:
    timed.write_text(timed.read_text().replace('"6.18"', '"101.3"'))
    result = run("rank", "--counters-from", str(timed), "--format", "json")
    assert json.loads(result.stdout)["rows"][0]["sm_throughput_fraction"] == 1.0


def test_a_device_without_an_end_is_no_page(timed: Path) -> None:
    assert "a device and not a file" in run("rank", "--counters-from", "/dev/zero", code=2).stderr
