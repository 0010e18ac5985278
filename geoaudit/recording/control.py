"""What recording costs: a command run bare and recorded, in turns."""

import os
import shutil
import statistics
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from geoaudit.recording.runner import Recorded
from geoaudit.recording.supervision import Ended

STANDARD_INPUT = 0


@dataclass(frozen=True, kw_only=True)
class TimedRun:
    """One run of the command.

    Attributes:
        is_recorded: with the recorder, or bare.
        wall_ns: from its start to its end.
    """

    is_recorded: bool
    wall_ns: int


@dataclass(frozen=True, kw_only=True)
class ControlRuns:
    """The runs that came to their end in order.

    Attributes:
        runs: bare and recorded, as they were made.
        last: the last recorded run, whatever its exit code; None: there was none yet.
        exit_code: of the run that stopped them, else 0.
        stopped_by: the signal that geoaudit was sent meanwhile, or None.
    """

    runs: tuple[TimedRun, ...]
    last: Recorded | None
    exit_code: int
    stopped_by: int | None


@dataclass(frozen=True, kw_only=True)
class TracingTax:
    """What the recorder added to the wall time of a command.

    Attributes:
        bare_ns, recorded_ns: wall times in the order of the runs, as many of each.
        differences_ns: recorded less bare, of runs that stood beside each other.
        launches: kernels of the last recorded run; 0: none, and no figure per launch.
    """

    bare_ns: tuple[int, ...]
    recorded_ns: tuple[int, ...]
    differences_ns: tuple[int, ...]
    launches: int

    @property
    def median_ns(self) -> float:
        """Median of the differences; below 0 where the recorded runs were the faster ones."""
        return float(statistics.median(self.differences_ns))

    @property
    def per_launch_ns(self) -> float | None:
        """The median difference over the launches; None where there were none."""
        return self.median_ns / self.launches if self.launches else None

    @property
    def fraction(self) -> float:
        """The median difference over the median bare run."""
        return self.median_ns / statistics.median(self.bare_ns)


def schedule(pairs: int) -> tuple[bool, ...]:
    """Whether each run is a recorded one: bare, recorded, recorded, bare, and so on.

    The order within a pair changes from one to the next, so that what drifts meanwhile (a clock,
    a temperature) adds as much to the one as to the other.
    """
    return tuple(second for pair in range(pairs) for second in _turn(pair))


def _turn(pair: int) -> tuple[bool, bool]:
    return (False, True) if pair % 2 == 0 else (True, False)


def tracing_tax(runs: tuple[TimedRun, ...], launches: int) -> TracingTax:
    """The cost of recording out of the runs of a whole schedule.

    Args:
        runs: as `schedule` orders them.
        launches: kernels that one run launches.
    """
    bare = tuple(run.wall_ns for run in runs if not run.is_recorded)
    recorded = tuple(run.wall_ns for run in runs if run.is_recorded)
    return TracingTax(
        bare_ns=bare,
        recorded_ns=recorded,
        differences_ns=tuple(after - before for before, after in zip(bare, recorded, strict=True)),
        launches=launches,
    )


def run_interleaved(
    pairs: int, run_bare: Callable[[], Ended], run_recorded: Callable[[], Recorded]
) -> ControlRuns:
    """Run a command bare and recorded in turns; a run that fails or is stopped ends it.

    Each run reads standard input from where it stood, if that is a file. Streams of recorded runs
    but the last are removed.

    Args:
        pairs: how often each way.
        run_bare: runs it without the recorder.
        run_recorded: runs it with the recorder.
    """
    runs: list[TimedRun] = []
    last: Recorded | None = None
    ended: Ended | None = None
    start = _input_place()
    with ExitStack() as on_error:
        on_error.callback(lambda: _discard(last))
        for is_recorded in schedule(pairs):
            if start is not None:
                os.lseek(STANDARD_INPUT, start, os.SEEK_SET)
            if is_recorded:
                recorded = run_recorded()
                _discard(last)
                last, ended = recorded, recorded.ended
            else:
                ended = run_bare()
            if ended.exit_code or ended.stopped_by is not None:
                break
            runs.append(TimedRun(is_recorded=is_recorded, wall_ns=ended.wall_ns))
        on_error.pop_all()
    return ControlRuns(
        runs=tuple(runs),
        last=last,
        exit_code=ended.exit_code if ended else 0,
        stopped_by=ended.stopped_by if ended else None,
    )


def _discard(recorded: Recorded | None) -> None:
    if recorded is not None:
        shutil.rmtree(recorded.folder, ignore_errors=True)


def _input_place() -> int | None:
    """How far standard input was read, or None where it is no file that can be read again."""
    try:
        return os.lseek(STANDARD_INPUT, 0, os.SEEK_CUR)
    except OSError:
        return None
