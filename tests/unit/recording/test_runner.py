"""Running commands recorded: how they end, what is refused, what is left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.store import read_recording
from geoaudit.recording import runner
from geoaudit.recording.cupti import CuptiLibrary
from geoaudit.recording.runner import (
    RecorderOptions,
    recorder_environment,
    refuse_taken_slot,
    require_recorder,
)
from tests.recorder.programs import Programs

ROOT = Path(__file__).parents[3]
# The command line as it is, with the recorder and the CUPTI of the test.
SCRIPT = """
import sys
from pathlib import Path
from geoaudit.cli.main import run
from geoaudit.recording import runner
from geoaudit.recording.cupti import CuptiLibrary
runner.LIBRARY = Path({library!r})
runner.find_cupti = lambda: (CuptiLibrary(path=Path({cupti!r}), major=13, origin="wheel"),)
run()
"""

SCAN = "geoaudit-scan.parquet"


class CommandLine:
    """`geoaudit scan -- target WORDS` in a process and a folder of its own."""

    def __init__(self, programs: Programs, folder: Path) -> None:
        self.folder = folder
        self.target = programs.target
        self.script = SCRIPT.format(library=str(programs.library), cupti=str(programs.cupti))
        taken = ("GEOAUDIT_", "FAKE_CUPTI_", "CUDA_INJECTION64", "NVTX_INJECTION64")
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(taken)
        } | {"PYTHONPATH": str(ROOT)}

    def start(self, *command: str, output: str = SCAN, **changes: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", self.script, "scan", "-o", output, "--", *command],
            cwd=self.folder,
            env=self.environment | changes,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def scan(self, words: str, *, given: str = "", **changes: str) -> tuple[int, str, str]:
        """Exit code, output and complaints."""
        process = self.start(str(self.target), *words.split(), output=SCAN, **changes)
        output, complaints = process.communicate(given, timeout=120)
        return process.returncode, output, complaints

    @property
    def saved(self) -> Path:
        return self.folder / SCAN

    def launches(self) -> pd.DataFrame:
        return read_recording(self.saved).launches


@pytest.fixture
def command_line(programs: Programs, tmp_path: Path) -> Iterator[CommandLine]:
    made = CommandLine(programs, tmp_path)
    yield made
    assert list(tmp_path.glob(".geoaudit-recording-*")) == []


def test_the_command_reads_and_writes_as_without_us(command_line: CommandLine) -> None:
    words = "print out complain err echo launch 30"
    code, output, complaints = command_line.scan(words, given="in\nput\n")
    assert (code, output) == (0, "out\nin\nput\n")
    assert complaints.startswith("err\n")
    assert "30 kernel launches on Fake H200" in complaints
    assert len(command_line.launches()) == 30


ENDS = {
    "exit 7": 7,
    "_exit 7": 7,
    "abort": 128 + signal.SIGABRT,
    "segv": 128 + signal.SIGSEGV,
    "kill": 128 + signal.SIGKILL,
}


@pytest.mark.parametrize("end", ENDS)
def test_the_commands_exit_code_is_ours(command_line: CommandLine, end: str) -> None:
    code, _, _ = command_line.scan(f"launch 100 sleep 1200 {end}")
    assert code == ENDS[end]
    assert len(command_line.launches()) == 100


def test_an_interrupt_of_the_group_keeps_what_was_recorded(command_line: CommandLine) -> None:
    process = command_line.start(str(command_line.target), "launch", "50", "interrupted")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    # The target's own handler ends it with 9.
    assert process.returncode == 9
    assert len(command_line.launches()) == 50


def test_an_interrupt_that_the_command_dies_of(command_line: CommandLine) -> None:
    words = ("launch", "50", "sleep", "1200", "print", "ready", "sleep", "60000")
    process = command_line.start(str(command_line.target), *words)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    assert len(command_line.launches()) == 50


def test_a_program_that_is_not_there_is_an_input_error(command_line: CommandLine) -> None:
    process = command_line.start("./no-such-engine")
    _, complaints = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "cannot run ./no-such-engine: No such file or directory" in complaints
    assert not command_line.saved.exists()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"FAKE_CUPTI_SUBSCRIBED": "1"}, "another profiler in the process has CUPTI"),
        ({"FAKE_CUPTI_SILENT": "1"}, "40 launches were seen and no record arrived"),
        ({"CUDA_INJECTION64_PATH": "/opt/nsys/inject.so"}, "is set to /opt/nsys/inject.so"),
    ],
    ids=str,
)
def test_nothing_recorded_ends_with_3_and_the_reason(
    command_line: CommandLine, changes: dict[str, str], says: str
) -> None:
    code, _, complaints = command_line.scan("launch 40", **changes)
    assert code == 3
    assert says in complaints
    assert not command_line.saved.exists()


def test_dropped_records_end_with_3_and_what_there_is_is_saved(command_line: CommandLine) -> None:
    code, _, complaints = command_line.scan("launch 40", FAKE_CUPTI_DROP_EVERY="10")
    assert code == 3
    assert "4 of 40 launches seen have no record" in complaints
    assert len(command_line.launches()) == 36


def test_a_failing_command_is_more_than_a_bad_recording(command_line: CommandLine) -> None:
    code, _, complaints = command_line.scan("launch 40 exit 5", FAKE_CUPTI_DROP_EVERY="10")
    assert code == 5
    assert "have no record" in complaints


def test_a_command_without_cuda_is_not_measured(command_line: CommandLine) -> None:
    code, output, complaints = command_line.scan("print hello")
    assert (code, output) == (3, "hello\n")
    assert "none initialised CUDA" in complaints
    assert not command_line.saved.exists()


def test_several_processes_make_a_data_set(command_line: CommandLine) -> None:
    code, _, _ = command_line.scan("fork 2 launch 30", RANK="5")
    assert code == 0
    assert command_line.saved.is_dir()
    recordings = [read_recording(part) for part in sorted(command_line.saved.iterdir())]
    assert [len(recording.launches) for recording in recordings] == [30, 30, 30]
    processes = [recording.launches[s.PROCESS].unique().tolist() for recording in recordings]
    assert len({number for (number,) in processes}) == 3
    assert {int(rank) for r in recordings for rank in r.launches[s.RANK]} == {5}


def test_a_folder_that_cannot_be_written_to(command_line: CommandLine) -> None:
    process = command_line.start(
        str(command_line.target), "launch", "1", output="missing/scan.parquet"
    )
    _, complaints = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "missing" in complaints


def test_only_the_childs_environment_is_changed(programs: Programs, tmp_path: Path) -> None:
    libraries = [
        CuptiLibrary(path=programs.cupti, major=13, origin="wheel"),
        CuptiLibrary(path=Path("/usr/libcupti.so.12"), major=12, origin="CUDA toolkit"),
    ]
    before = {"PATH": "/bin", "HOME": "/root"}
    made = recorder_environment(before, tmp_path, libraries, RecorderOptions(yields=True))
    assert before == {"PATH": "/bin", "HOME": "/root"}
    assert made["GEOAUDIT_CUPTI"] == f"{programs.cupti}:/usr/libcupti.so.12"
    assert made["NVTX_INJECTION64_PATH"] == made["CUDA_INJECTION64_PATH"] == str(runner.LIBRARY)
    assert made["GEOAUDIT_RECORDING"] == str(tmp_path)
    assert (made["PATH"], made["GEOAUDIT_YIELD"]) == ("/bin", "1")
    plain = recorder_environment(before, tmp_path, libraries, RecorderOptions())
    assert "GEOAUDIT_YIELD" not in plain
    assert "GEOAUDIT_DURATION_MS" not in plain


def test_an_installation_without_the_recorder_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "LIBRARY", tmp_path / "missing.so")
    library = CuptiLibrary(path=Path("/usr/libcupti.so.13"), major=13, origin="CUDA toolkit")
    with pytest.raises(NotMeasuredError, match="there was no C compiler.*Install gcc"):
        require_recorder([library])


def test_a_machine_without_cupti_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "recorder.so"
    library.touch()
    monkeypatch.setattr(runner, "LIBRARY", library)
    with pytest.raises(NotMeasuredError, match="CUPTI was not found.*nvidia-cuda-cupti==13"):
        require_recorder([])


def test_a_free_slot_is_not_refused() -> None:
    refuse_taken_slot({"CUDA_INJECTION64_PATH": ""})


def test_a_program_that_may_not_be_run_leaves_no_folder(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = CuptiLibrary(path=programs.cupti, major=13, origin="wheel")
    monkeypatch.setattr(runner, "find_cupti", lambda: (library,))
    monkeypatch.setattr(runner, "LIBRARY", programs.library)
    monkeypatch.delenv("CUDA_INJECTION64_PATH", raising=False)
    program = tmp_path / "text"
    program.write_text("no program\n")
    with pytest.raises(InputError, match="cannot run .*text: Permission denied"):
        runner.run_recorded([str(program)], beside=tmp_path / "scan.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
