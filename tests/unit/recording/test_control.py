import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.recording.control import (
    ControlRuns,
    TimedRun,
    run_interleaved,
    schedule,
    tracing_tax,
)
from geoaudit.recording.runner import Recorded
from geoaudit.recording.supervision import Ended, run_to_end


def test_the_order_is_turned_from_pair_to_pair() -> None:
    assert schedule(1) == (False, True)
    assert schedule(3) == (False, True, True, False, False, True)


@given(st.integers(1, 50))
def test_both_ways_are_run_as_often(pairs: int) -> None:
    runs = schedule(pairs)
    assert (len(runs), sum(runs)) == (2 * pairs, pairs)
    # A drift that grows with every run adds to both ways alike, over an even number of pairs.
    if pairs % 2 == 0:
        places = [place for place, recorded in enumerate(runs) if recorded]
        assert 2 * sum(places) == sum(range(2 * pairs))


def timed(*walls_ns: int) -> tuple[TimedRun, ...]:
    order = schedule(len(walls_ns) // 2)
    return tuple(
        TimedRun(is_recorded=recorded, wall_ns=wall_ns)
        for recorded, wall_ns in zip(order, walls_ns, strict=True)
    )


def test_the_tax_is_the_middle_difference_of_neighbours() -> None:
    tax = tracing_tax(timed(100, 130, 150, 110, 105, 115), launches=5)
    assert tax.bare_ns == (100, 110, 105)
    assert tax.recorded_ns == (130, 150, 115)
    assert tax.differences_ns == (30, 40, 10)
    assert tax.median_ns == 30
    assert tax.per_launch_ns == 6
    assert tax.fraction == pytest.approx(30 / 105)


def test_without_launches_there_is_no_tax_per_launch() -> None:
    assert tracing_tax(timed(100, 90), launches=0).per_launch_ns is None
    assert tracing_tax(timed(100, 90), launches=0).median_ns == -10


class Commands:
    """Runs of a small shell command, and the folders that the recorded ones leave."""

    def __init__(self, folder: Path, script: str) -> None:
        self.folder, self.script = folder, script
        self.order: list[str] = []

    def bare(self) -> Ended:
        self.order.append("bare")
        return run_to_end(["sh", "-c", self.script], {**os.environ, "RUN": str(len(self.order))})

    def recorded(self) -> Recorded:
        self.order.append("recorded")
        folder = self.folder / f"streams-{len(self.order)}"
        folder.mkdir()
        environment = {**os.environ, "RUN": str(len(self.order))}
        ended = run_to_end(["sh", "-c", self.script], environment)
        return Recorded(ended=ended, folder=folder, streams=())

    def run(self, pairs: int) -> ControlRuns:
        return run_interleaved(pairs, self.bare, self.recorded)

    def folders(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


def test_the_last_recorded_run_is_kept(tmp_path: Path) -> None:
    commands = Commands(tmp_path, "exit 0")
    runs = commands.run(2)
    assert commands.order == ["bare", "recorded", "recorded", "bare"]
    assert [run.is_recorded for run in runs.runs] == [False, True, True, False]
    assert all(run.wall_ns > 0 for run in runs.runs)
    assert (runs.exit_code, runs.stopped_by) == (0, None)
    assert runs.last is not None
    assert commands.folders() == [runs.last.folder.name] == ["streams-3"]


@pytest.mark.parametrize(("failing", "kept"), [(1, []), (2, ["streams-2"]), (4, ["streams-3"])])
def test_a_run_that_fails_stops_them(tmp_path: Path, failing: int, kept: list[str]) -> None:
    commands = Commands(tmp_path, f"test $RUN != {failing} || exit 9")
    runs = commands.run(2)
    assert (len(commands.order), len(runs.runs)) == (failing, failing - 1)
    assert runs.exit_code == 9
    assert commands.folders() == kept


def test_a_signal_stops_them_though_the_command_ends_well(tmp_path: Path) -> None:
    script = f"trap 'exit 0' TERM; kill -TERM {os.getpid()}; while :; do sleep 0.01; done"
    commands = Commands(tmp_path, script)
    runs = commands.run(3)
    assert commands.order == ["bare"]
    assert (runs.exit_code, runs.stopped_by, runs.last) == (0, signal.SIGTERM, None)


def test_what_cannot_be_run_leaves_no_streams(tmp_path: Path) -> None:
    commands = Commands(tmp_path, "exit 0")

    def gone() -> Recorded:
        raise FileNotFoundError

    def second() -> Recorded:
        return commands.recorded() if len(commands.order) < 2 else gone()

    with pytest.raises(FileNotFoundError):
        run_interleaved(2, commands.bare, second)
    assert commands.folders() == []


def test_each_run_reads_the_same_input(tmp_path: Path) -> None:
    (tmp_path / "prompts").write_text("hello")
    program = (
        "import os, pathlib; from geoaudit.recording.control import run_interleaved\n"
        "from geoaudit.recording.runner import Recorded\n"
        "from geoaudit.recording.supervision import run_to_end\n"
        "run = lambda: run_to_end(['cat'], os.environ)\n"
        "recorded = lambda: Recorded(ended=run(), folder=pathlib.Path('none'), streams=())\n"
        "run_interleaved(2, run, recorded)\n"
    )
    command = f"'{sys.executable}' -c \"{program}\" < prompts > out"
    assert os.system(f"cd '{tmp_path}' && {command}") == 0
    assert (tmp_path / "out").read_text() == "hello" * 4
