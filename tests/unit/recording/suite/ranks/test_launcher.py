"""A group of processes: how it ends, and what is said of it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from geoaudit.recording.suite.described_run import DescribedRun
from geoaudit.recording.suite.ranks import launcher
from geoaudit.recording.suite.ranks.group_run import GroupRun
from geoaudit.recording.suite.ranks.launcher import first_failure, start
from geoaudit.recording.supervision import is_running

# Rank 1 does what the argument says, the others wait for ever.
PROGRAM = """
import os, signal, sys, time
if os.environ["RANK"] == "1":
    exec(sys.argv[1])
else:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.write(1, b"up" + bytes([10]))
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "GRACE_S", 0.5)
    monkeypatch.setattr(launcher, "_LAST_S", 2.0)


def test_ranks_are_numbered_as_torchrun_numbers_them(tmp_path: Path) -> None:
    names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")
    write = (
        "import os; from pathlib import Path;"
        f"Path(os.environ['RANK']).write_text(' '.join(os.environ[n] for n in {names}))"
    )
    here = Path.cwd()
    try:
        os.chdir(tmp_path)
        assert start([sys.executable, "-c", write], 3).wait() == (0, 0, 0)
    finally:
        os.chdir(here)
    told = [(tmp_path / str(rank)).read_text() for rank in range(3)]
    assert told == ["0 0 3 3", "1 1 3 3", "2 2 3 3"]


@pytest.mark.parametrize(
    ("does", "expected"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", (1, -signal.SIGKILL)),
        ("time.sleep(0.2); sys.exit(7)", (1, 7)),
    ],
)
def test_where_a_rank_fails_the_others_are_ended_for_it(
    does: str, expected: tuple[int, int]
) -> None:
    began = time.monotonic()
    codes = start([sys.executable, "-c", PROGRAM, does], 3).wait()
    assert time.monotonic() - began < 30
    assert codes[0] in (143, -signal.SIGTERM)
    assert first_failure(codes) == expected


def test_a_rank_that_does_not_end_when_asked_is_killed() -> None:
    stubborn = PROGRAM.replace("lambda *_: sys.exit(143)", "signal.SIG_IGN")
    # Rank 1 fails once the other does not listen any more.
    codes = start([sys.executable, "-c", stubborn, "time.sleep(1); sys.exit(7)"], 2).wait()
    assert codes == (-signal.SIGKILL, 7)


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((0, 0), None),
        ((143, -9), (1, -9)),
        ((-15, 1), (1, 1)),
        ((-15, 143), (0, -15)),
        ((2, 1), (0, 2)),
    ],
)
def test_the_failure_that_explains_the_others(
    codes: tuple[int, ...], expected: tuple[int, int] | None
) -> None:
    assert first_failure(codes) == expected


# A launcher whose ranks say that they are there, and end when asked.
LAUNCHES = """
import sys
from geoaudit.recording.suite.ranks import launcher
from geoaudit.recording.suite.ranks.group_run import GroupRun
told = [sys.executable, "-c", sys.argv[1]]
GroupRun.rank_command = lambda self, meeting: told
launcher.group_run = lambda text: GroupRun(run=None, ranks=2, tokens=1, warm_up_tokens=1)
sys.exit(launcher.main(["{}"]))
"""
WAITS = """
import os, signal, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda received, _: sys.exit(128 + received))
os.write(1, b"up" + bytes([10]))
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_signal_reaches_the_ranks(number: signal.Signals) -> None:
    running = subprocess.Popen(
        [sys.executable, "-c", LAUNCHES, WAITS], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    for _ in range(2):
        assert running.stdout.readline() == b"up\n"
    running.send_signal(number)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 128 + number
    assert f"rank 0 of 2 ended with code {128 + number}" in said.decode()


def test_a_rank_does_not_outlive_its_launcher(tmp_path: Path) -> None:
    lives = (
        "import os, sys, time; from geoaudit.recording.suite.ranks.rank import _end_with;"
        "_end_with(os.getppid()); os.write(1, b'%d\\n' % os.getpid()); time.sleep(60)"
    )
    running = subprocess.Popen([sys.executable, "-c", LAUNCHES, lives], stdout=subprocess.PIPE)
    assert running.stdout is not None
    ranks = [int(running.stdout.readline()) for _ in range(2)]
    running.kill()
    running.communicate(timeout=30)
    deadline = time.monotonic() + 10
    while any(is_running(rank) for rank in ranks) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(is_running(rank) for rank in ranks)


def test_a_rank_whose_launcher_is_gone_already_does_not_begin() -> None:
    begin = (
        "from geoaudit.recording.suite.ranks.rank import _end_with; _end_with(1); print('began')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", begin], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (137, "")


def test_where_a_rank_cannot_be_started_the_others_are_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def second_fails(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401
        if made:
            raise OSError("no more processes")
        made.append(popen(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(subprocess, "Popen", second_fails)
    with pytest.raises(OSError, match="no more processes"):
        start([sys.executable, "-c", "import time; time.sleep(60)"], 2)
    assert made[0].wait(timeout=30) == -signal.SIGTERM


def test_a_manifest_that_is_not_there_is_said_by_its_rank(tmp_path: Path) -> None:
    run = GroupRun(
        run=DescribedRun(manifest=str(tmp_path / "none.toml"), step="decode"),
        ranks=2,
        tokens=1,
        warm_up_tokens=1,
    )
    ended = subprocess.run(run.command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert "geoaudit: rank 0: error: " in ended.stderr or "rank 1: error: " in ended.stderr
    assert "none.toml" in ended.stderr
    assert ended.stderr.splitlines()[-1].endswith("ended with code 1")
