"""A command under Nsight Compute, by a stand-in that writes what the real one writes."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.owners import mangled_other_than_collectives
from geoaudit.recording import ncu as module
from geoaudit.recording.ncu import METRICS, Counting, find_ncu, run_counted
from geoaudit.recording.supervision import is_running
from geoaudit.sources.ncu.reader import read_ncu_csv
from geoaudit.sources.registry import ReadOptions
from tests.unit.recording.fake_ncu import NOTHING, PERMISSION, Counted, install, on_path, page

PAGE = page([Counted(), Counted(kernel="_Z5scalePf", grid=(12, 1, 1))])


def run(
    ncu: Path, tmp_path: Path, command: Sequence[str] = ("true",), limit_s: float = 60.0
) -> tuple[str, ...]:
    return run_counted(command, tmp_path / "log.csv", ncu=ncu, limit_s=limit_s)


def arguments(ncu: Path) -> list[str]:
    written = json.loads(ncu.with_suffix(".arguments").read_text())
    assert isinstance(written, list)
    return written


def test_the_log_is_a_page_with_the_counters_of_each_signature(tmp_path: Path) -> None:
    assert run(install(tmp_path, PAGE), tmp_path) == ()
    launches = read_ncu_csv(tmp_path / "log.csv", ReadOptions()).launches
    assert launches[s.KERNEL].tolist() == ["decode", "scale(float*)"]
    assert launches[s.GRID_X].tolist() == [264, 12]
    assert launches[s.CLUSTER_X].tolist() == [1, 1]
    assert launches[s.DRAM_BYTES].tolist() == [3.1e6] * 2
    assert launches[s.SM_ACTIVE_FRACTION].tolist() == [0.03] * 2
    assert launches[s.SM_THROUGHPUT_FRACTION].tolist() == [0.0618] * 2


def test_ncu_is_asked_for_one_launch_of_each_kernel_and_shape(tmp_path: Path) -> None:
    ncu = install(tmp_path, PAGE)
    run(ncu, tmp_path, ["true", "--csv"])
    given = arguments(ncu)
    options = dict(zip(given, given[1:], strict=False))
    context, stream, kind, pattern, invocation = options["--kernel-id"].split(":")
    assert (context, stream, kind, invocation) == ("", "", "regex", "1")
    assert pattern == mangled_other_than_collectives()
    assert options["--kernel-name-base"] == "mangled"
    assert options["--filter-mode"] == "per-launch-config"
    assert options["--graph-profiling"] == "node"
    assert options["--target-processes"] == "all"
    assert (options["--cache-control"], options["--clock-control"]) == ("all", "none")
    assert options["--metrics"].split(",") == list(METRICS)
    assert options["--log-file"] == str(tmp_path / "log.csv")
    assert given[-2:] == ["true", "--csv"]


def test_the_recorder_is_not_in_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "GEOAUDIT_RECORDING"):
        monkeypatch.setenv(name, "/somewhere")
    monkeypatch.setenv("GEOAUDIT_WIDE_NORM", "1")
    ncu = install(tmp_path, PAGE)
    run(ncu, tmp_path)
    environment = json.loads(ncu.with_suffix(".environment").read_text())
    assert {name for name, value in environment.items() if value == "/somewhere"} == set()
    assert environment["GEOAUDIT_WIDE_NORM"] == "1"


def test_the_command_has_no_input_and_its_output_goes_nowhere(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = "import sys; print('out'); sys.stderr.write(repr(sys.stdin.read()))"
    run(install(tmp_path, PAGE), tmp_path, [sys.executable, "-c", script])
    assert capfd.readouterr() == ("", "''")


@pytest.mark.parametrize(
    ("log", "code", "message"),
    [
        (PERMISSION + NOTHING, 1, "administrators. Run as root, load the driver with NVreg_"),
        (PERMISSION + NOTHING, 0, "--cap-add SYS_ADMIN"),
        (
            "==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no "
            "other tool (like DCGM) is concurrently collecting profiling data.\n",
            1,
            "another tool has the counters",
        ),
        (NOTHING, 0, "ncu saw no kernel of the command"),
        ("", 0, "ncu saw no kernel of the command"),
        ("==ERROR== Unknown option 'graph-profiling'.\n", 1, "code 1: Unknown option"),
        ("", 9, "code 9: it does not say why"),
    ],
)
def test_what_fails_is_said_with_its_remedy(
    log: str, code: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(NotMeasuredError) as raised:
        run(install(tmp_path, log, code=code), tmp_path)
    assert message in str(raised.value)


def test_ncus_own_words_stand_under_the_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError) as raised:
        run(install(tmp_path, PERMISSION, code=1), tmp_path)
    assert raised.value.details[0].startswith("ERR_NVGPUCTRPERM - The user does not")


@pytest.mark.parametrize("code", [None, 0])
def test_a_command_that_fails_under_ncu_is_not_counted(code: int | None, tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError, match="the command fails under ncu"):
        run(install(tmp_path, PAGE, code=code), tmp_path, ["false"])


def test_errors_of_single_launches_stand_beside_the_counters_of_others(tmp_path: Path) -> None:
    log = '==ERROR== Failed to profile "scale" in process 510\n' + PAGE
    notes = run(install(tmp_path, log), tmp_path)
    assert notes == ('ncu: Failed to profile "scale" in process 510',)


def has_ended(process: int) -> bool:
    """Whether a process that got its signal ends; on a busy machine that is not at once."""
    deadline = time.monotonic() + 10
    while is_running(process) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(process)


def test_after_its_time_ncu_and_the_command_are_ended(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    command = ["sh", "-c", f"echo $$ > {mark}; exec sleep 60"]
    began = time.monotonic()
    with pytest.raises(NotMeasuredError, match="did not end within 4 s.*--counting-limit"):
        run(install(tmp_path, PAGE), tmp_path, command, limit_s=4.0)
    assert time.monotonic() - began < 30
    assert has_ended(int(mark.read_text()))


def test_a_signal_ends_ncu_too(tmp_path: Path) -> None:
    ncu = install(tmp_path, PAGE)
    mark = tmp_path / "mark"
    program = (
        "from pathlib import Path\n"
        "from geoaudit.recording.ncu import run_counted\n"
        f"run_counted(['sh', '-c', 'echo $$ > {mark}; exec sleep 60'], Path({str(tmp_path)!r}) / "
        f"'log', ncu=Path({str(ncu)!r}), limit_s=60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program])
    deadline = time.monotonic() + 30
    while not (mark.exists() and mark.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 128 + signal.SIGTERM
    assert has_ended(int(mark.read_text()))


def test_it_runs_off_the_main_thread_too(tmp_path: Path) -> None:
    ncu = install(tmp_path, PAGE)
    notes: list[tuple[str, ...]] = []
    thread = threading.Thread(target=lambda: notes.append(run(ncu, tmp_path)))
    thread.start()
    thread.join()
    assert notes == [()]


def test_who_watches_hears_of_the_launches_that_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PERIOD_S", 0.1)
    heard: list[Counting] = []
    ncu = install(tmp_path, PAGE, wait_s=1.0)
    run_counted(["true"], tmp_path / "log.csv", ncu=ncu, limit_s=30.0, watch=heard.append)
    assert heard[-1].profiled == 2
    assert heard[-1].elapsed_s >= heard[0].elapsed_s > 0


def test_what_cannot_be_started_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError, match="cannot run .*: No such file.*--ncu PATH"):
        run(tmp_path / "ncu", tmp_path)


def test_ncu_is_found_on_the_path_and_beside_a_toolkit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = install(tmp_path / "bin", PAGE)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert find_ncu() == beside
    first = install(tmp_path / "first", PAGE)
    monkeypatch.setenv("PATH", on_path(tmp_path / "first"))
    assert find_ncu() == first


def test_without_ncu_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(module, "_places", lambda: iter(()))
    with pytest.raises(NotMeasuredError, match="neither on PATH.*cuda-nsight-compute.*--ncu PATH"):
        find_ncu()
