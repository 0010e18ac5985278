"""Commands run to their end: plain shell scripts and small Python programs, no CUDA in them."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from geoaudit.recording.supervision import PERIOD_S, Running, run_to_end

# Each says that it is ready by making a file, so that no test waits for a clock.
READY = "import pathlib, signal, sys, time; ready = pathlib.Path('ready')\n"
OBEDIENT = READY + (
    "signal.signal(signal.{name}, lambda *_: sys.exit({code}))\nready.touch()\ntime.sleep(60)\n"
)
STUBBORN = READY + "signal.signal(signal.SIGINT, signal.SIG_IGN)\nready.touch()\ntime.sleep(60)\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def signals_when_ready(numbers: list[int]) -> threading.Thread:
    """A thread that sends this process the signals, each once the one before has been taken."""

    def send() -> None:
        while not Path("ready").exists():
            threading.Event().wait(0.01)
        for number in numbers:
            os.kill(os.getpid(), number)
            threading.Event().wait(0.2)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -SEGV $$", 139), ("kill $$", 143)]
)
@pytest.mark.parametrize("watched", [True, False])
def test_the_exit_code_is_the_commands(script: str, code: int, watched: bool) -> None:
    ended = run_to_end(["sh", "-c", script], os.environ, (lambda _: None) if watched else None)
    assert (ended.exit_code, ended.stopped_by) == (code, None)
    assert ended.wall_ns > 0


def test_output_and_environment_are_the_commands(capfd: pytest.CaptureFixture[str]) -> None:
    run_to_end(["/bin/sh", "-c", 'printf "%s" "$ONLY"; printf e >&2'], {"ONLY": "a\nb"})
    assert tuple(capfd.readouterr()) == ("a\nb", "e")


def test_what_cannot_be_started_is_an_error_of_the_system() -> None:
    handler = signal.getsignal(signal.SIGTERM)
    with pytest.raises(FileNotFoundError):
        run_to_end(["./nothing"], os.environ)
    assert signal.getsignal(signal.SIGTERM) is handler


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("watched", [True, False])
def test_a_signal_is_passed_on_and_the_end_waited_for(
    number: signal.Signals, watched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geoaudit.recording.supervision._terminal_tells_the_command", lambda: False)
    before = signal.getsignal(number)
    sender = signals_when_ready([number])
    program = OBEDIENT.format(name=number.name, code=5)
    ended = run_to_end(python(program), os.environ, (lambda _: None) if watched else None)
    sender.join()
    assert (ended.exit_code, ended.stopped_by) == (5, number)
    assert signal.getsignal(number) is before


def test_the_second_interrupt_kills_what_does_not_end() -> None:
    sender = signals_when_ready([signal.SIGINT, signal.SIGINT])
    seen: list[Running] = []
    ended = run_to_end(python(STUBBORN), os.environ, seen.append)
    sender.join()
    assert (ended.exit_code, ended.stopped_by) == (128 + signal.SIGKILL, signal.SIGINT)


def test_an_interrupt_of_the_terminal_is_not_told_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geoaudit.recording.supervision._terminal_tells_the_command", lambda: True)
    program = OBEDIENT.format(name="SIGINT", code=5).replace("60", "1")
    sender = signals_when_ready([signal.SIGINT])
    seen: list[Running] = []
    ended = run_to_end(python(program), os.environ, seen.append)
    sender.join()
    assert (ended.exit_code, ended.stopped_by) == (0, signal.SIGINT)
    assert seen[-1].interrupts == 1


def test_a_signal_that_was_ignored_stays_ignored() -> None:
    program = (
        "import os, signal; from geoaudit.recording.supervision import run_to_end\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "print(run_to_end(['sh', '-c', 'kill -HUP $PPID; kill -HUP $$'], os.environ).exit_code)\n"
    )
    result = subprocess.run(python(program), capture_output=True, text=True, check=True)
    assert result.stdout == "0\n"


def test_it_is_looked_at_now_and_then() -> None:
    seen: list[Running] = []
    run_to_end(["sleep", str(2.5 * PERIOD_S)], os.environ, seen.append)
    times = [running.elapsed_s for running in seen]
    assert 1 <= len(times) <= 2
    assert times == sorted(times)
    assert times[0] >= PERIOD_S


def test_a_kernel_without_process_descriptors_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(process: int, flags: int = 0) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    seen: list[Running] = []
    assert run_to_end(["sh", "-c", "sleep 0.6; exit 3"], os.environ, seen.append).exit_code == 3
    assert seen


def test_it_runs_outside_the_main_thread() -> None:
    codes: list[int] = []
    thread = threading.Thread(
        target=lambda: codes.append(run_to_end(["sh", "-c", "exit 6"], os.environ).exit_code)
    )
    thread.start()
    thread.join()
    assert codes == [6]
