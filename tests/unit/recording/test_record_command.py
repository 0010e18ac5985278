"""`geoaudit scan -- COMMAND` whole: the runner and the recorder around a target of its own."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geoaudit.cli.main import main
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import read_recording
from geoaudit.recording import runner
from geoaudit.recording.cupti import CuptiLibrary
from tests.recorder.programs import Programs

OUTPUT = Path("geoaudit-scan.parquet")
Scan = Callable[..., Result]


@pytest.fixture
def scan(programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scan:
    """Run `geoaudit scan` with the words of the target's language, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    with_fake_cupti(programs, monkeypatch)

    def run(words: str, *options: str, code: int = 0) -> Result:
        command = [str(programs.target), *words.split()]
        result = CliRunner().invoke(main, ["scan", *options, "--", *command])
        assert result.exit_code == code, result.output
        assert result.stdout == ""
        assert [path.name for path in tmp_path.iterdir() if path.name != OUTPUT.name] == []
        return result

    return run


def with_fake_cupti(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    library = CuptiLibrary(path=programs.cupti, major=13, origin="wheel")
    monkeypatch.setattr(runner, "find_cupti", lambda: (library,))
    monkeypatch.setattr(runner, "LIBRARY", programs.library)
    for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "RANK", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)


def saved() -> Recording:
    return read_recording(OUTPUT)


def test_the_summary_goes_to_standard_error_and_the_output_is_the_commands(
    scan: Scan, capfd: pytest.CaptureFixture[str]
) -> None:
    result = scan("launch 40 print engine")
    assert "engine" in capfd.readouterr().out
    assert result.stderr.splitlines() == [
        "target: 40 kernel launches on Fake H200, no tokens found",
        "wrote geoaudit-scan.parquet",
        "next: geoaudit rank",
    ]
    assert len(saved().launches) == 40


def test_the_exit_code_is_passed_on_after_the_recording_is_saved(scan: Scan) -> None:
    scan("launch 5 exit 7", code=7)
    assert len(saved().launches) == 5


@pytest.mark.parametrize(("words", "code"), [("exit 4", 4), ("exit 0", 3)])
def test_a_command_without_cuda_is_not_measured(words: str, code: int, scan: Scan) -> None:
    result = CliRunner().invoke(main, ["scan", "--", "sh", "-c", words])
    assert result.exit_code == code
    assert "sh: no process of it loaded the recorder" in result.stderr
    assert not OUTPUT.exists()


def test_only_a_range_is_kept(scan: Scan) -> None:
    scan("launch 3 push decode launch 4 pop launch 5", "--range", "decode")
    assert len(saved().launches) == 4
    assert (
        "only launches inside decode (--range) are kept: 4 of 12" in saved().metadata.warnings[-1]
    )


def test_what_is_not_there_ends_with_3_and_the_recording_is_whole(scan: Scan) -> None:
    words = "push decode launch 12 pop"
    for options in (["--range", "prefill"], ["--max-tokens", "2", "--tokens", "7"]):
        result = scan(words, *options, code=3)
        assert "The recording is saved whole" in result.stderr
        assert len(saved().launches) == 12
        scan(f"{words} exit 9", *options, code=9)
    assert "--token-range nope" in scan(words, "--token-range", "nope", code=2).stderr
    assert len(saved().launches) == 12


def test_tokens_are_chosen(scan: Scan) -> None:
    words = " ".join(["push decode launch 5 pop"] * 8)
    result = scan(words, "--token-range", "decode", "--skip-tokens", "2", "--max-tokens", "3")
    assert "15 kernel launches on Fake H200, 3 tokens" in result.stderr
    assert saved().launches[s.TOKEN].max() == 2


def test_after_its_duration_the_command_runs_on_unrecorded(
    scan: Scan, capfd: pytest.CaptureFixture[str]
) -> None:
    scan("launch 10 sleep 1300 launch 5 print end", "--duration", "0.7")
    assert "end" in capfd.readouterr().out
    assert len(saved().launches) == 10
    assert "only the first 1 s after each process" in saved().metadata.warnings[-1]


def test_who_yields_is_told_that_nothing_was_counted(
    scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = scan("launch 10", "--yield")
    assert "recorded with --yield: launches were not counted" in result.stderr
    assert saved().metadata.launches_seen is None
    result = scan("fail 2", "--yield", code=3)
    assert "with --yield launches are not counted" in result.stderr
    assert "it did, or no kernel was launched" in result.stderr
    assert "--yield" not in scan("fail 2", code=3).stderr


def test_children_are_parts_named_by_program_and_process(scan: Scan) -> None:
    scan("fork 2 launch 6 exit 0")
    assert OUTPUT.is_dir()
    names = saved().metadata.source_name.split(", ")
    assert len(names) in (2, 3)
    assert all(name.startswith("target (process ") for name in names)
    assert len(saved().launches) % 6 == 0


def test_control_saves_the_last_recorded_run_and_prints_the_tax(
    scan: Scan, capfd: pytest.CaptureFixture[str]
) -> None:
    result = scan("launch 300 print ran", "--control", "2")
    assert capfd.readouterr().out.count("ran") == 4
    assert "control: 2 runs each way, in turns, wall time" in result.stderr
    assert "for each of 300 kernel launches" in result.stderr
    assert len(saved().launches) == 300


def test_control_ends_with_the_code_of_the_run_that_fails(scan: Scan) -> None:
    result = scan("launch 3 exit 6", "--control", "3", code=6)
    assert "the first bare run did not end well" in result.stderr
    assert not OUTPUT.exists()


GEOAUDIT = """
import sys
from pathlib import Path
from geoaudit.cli.main import main
from geoaudit.recording import runner
from geoaudit.recording.cupti import CuptiLibrary
runner.LIBRARY = Path(sys.argv.pop(1))
library = CuptiLibrary(path=Path(sys.argv.pop(1)), major=13, origin="wheel")
runner.find_cupti = lambda: (library,)
main()
"""


def geoaudit(programs: Programs, *arguments: str) -> list[str]:
    """The command line of a geoaudit with the fake CUPTI, for a process of its own."""
    return [
        sys.executable, "-c", GEOAUDIT, str(programs.library), str(programs.cupti), "scan",
        *arguments, "--", str(programs.target),
    ]  # fmt: skip


def plain_environment() -> dict[str, str]:
    taken = ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")
    return {name: value for name, value in os.environ.items() if name not in taken}


def words_of_a_busy_command() -> Sequence[str]:
    return ("launch", "500", "complain", "ready", "sleep", "60000")


def test_a_sigterm_reaches_the_command_and_the_recording_is_saved(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with subprocess.Popen(
        [*geoaudit(programs), *words_of_a_busy_command()],
        env=plain_environment(), stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        assert "ready" in process.stderr.readline()
        # Half a second later the recorder has written what it has.
        threading.Event().wait(1.5)
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
        assert process.wait() == 128 + signal.SIGTERM, said
    assert "500 kernel launches" in said
    assert "PARTIAL" in said


def on_a_terminal(command: Sequence[str], *, output_too: bool) -> tuple[int, str]:
    """Exit code, and what a terminal shows that is standard error, and standard output if said."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command,
        env=plain_environment(),
        stderr=theirs,
        stdout=theirs if output_too else subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:
        pass  # Linux' way to say that no one has the terminal open any more.
    os.close(ours)
    return process.wait(), shown.decode()


def test_the_progress_line_is_shown_on_a_terminal_and_cleared(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("launch", "500", "sleep", "1800")
    code, shown = on_a_terminal([*geoaudit(programs), *words], output_too=False)
    assert code == 0
    assert "\rrecording 1 s, 500 launches\x1b[K\r" in shown
    before, _, after = shown.rpartition("\r\x1b[K")
    assert "recording" in before
    assert after.startswith("target: 500 kernel launches")


@pytest.mark.parametrize(("options", "lines"), [([], False), (["--progress"], True)])
def test_a_terminal_that_the_command_prints_to_is_its_own(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    options: list[str], lines: bool,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    words = ("launch", "500", "sleep", "800")
    _, shown = on_a_terminal([*geoaudit(programs, *options), *words], output_too=True)
    assert ("recording 0 s" in shown) is lines
    assert "500 kernel launches" in shown


def test_the_output_can_be_piped(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("launch", "9", "print", '{"text":"hello"}')
    command = [*geoaudit(programs), *words]
    ran = subprocess.run(command, env=plain_environment(), capture_output=True, check=True)
    assert json.loads(ran.stdout) == {"text": "hello"}
    assert b"9 kernel launches" in ran.stderr


@pytest.mark.parametrize("pause_s", [0.0, 0.004, 0.02, 0.1])
def test_two_interrupts_close_together_lose_nothing(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pause_s: float
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("launch", "50", "sleep", "800", "interrupted")
    with subprocess.Popen(
        [*geoaudit(programs), *words], env=plain_environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGINT)
        threading.Event().wait(pause_s)
        process.send_signal(signal.SIGINT)
        process.wait(60)
    assert len(read_recording(OUTPUT).launches) == 50
    assert not list(tmp_path.glob(".geoaudit-recording-*"))


def test_a_users_own_recorder_variables_are_not_obeyed(
    scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEOAUDIT_DURATION_MS", "500")
    monkeypatch.setenv("GEOAUDIT_YIELD", "1")
    scan("launch 10 sleep 1200 launch 90")
    recording = read_recording(OUTPUT)
    assert (len(recording.launches), recording.metadata.launches_seen) == (100, 100)


def test_a_child_that_runs_on_is_told(scan: Scan, programs: Programs) -> None:
    command = f"{programs.target} launch 30 sleep 4000 & sleep 1.5"
    result = CliRunner().invoke(main, ["scan", "--", "sh", "-c", command])
    assert result.exit_code == 3
    assert "it was still running when the command ended" in result.stderr
    assert len(read_recording(OUTPUT).launches) == 30


def test_where_nothing_was_recorded_the_tool_around_is_named(
    scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NV_SANITIZER_INJECTION_PORT_BASE", "49152")
    monkeypatch.setenv("FAKE_CUPTI_SUBSCRIBED", "1")
    result = scan("launch 3", code=3)
    assert "another profiler in the process has CUPTI" in result.stderr
    assert "compute-sanitizer runs this shell" in result.stderr
