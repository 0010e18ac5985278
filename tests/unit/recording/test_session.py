"""Sessions: the real recorder in a child process with a fake CUPTI, and its joins by themselves."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd
import pytest

import geoaudit
from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.store import read_recording
from geoaudit.launches.table import build_launches
from geoaudit.recording import in_process, session, wrappers
from geoaudit.recording.events import EventPair, EventTimer, Span
from geoaudit.recording.instruments import EventsInstrument
from geoaudit.recording.requests import (
    MAX_LAUNCH_NS,
    Dimensions,
    Request,
    timed_by_events,
    with_requests,
)
from geoaudit.recording.session import IncompleteRecordingWarning, record
from geoaudit.recording.stream import LAUNCH, Records
from tests.recorder.programs import Programs

# A program that launches through the fake CUPTI, with a launcher that clamps as CuPy's does.
PROGRAM = """
import ctypes, sys, warnings
from pathlib import Path
import geoaudit
from geoaudit.recording import cupti, in_process, runner
from geoaudit.recording.session import IncompleteRecordingWarning

folder, library, fake_cupti = sys.argv[1:4]
runner.LIBRARY = Path(library)
found = (cupti.CuptiLibrary(path=Path(fake_cupti), major=13, origin="wheel"),)
in_process.find_cupti = lambda: found
in_process.cuda_driver = lambda: None
fake = ctypes.CDLL(fake_cupti)

class FakeKernel(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("grid", ctypes.c_int32 * 3),
                ("block", ctypes.c_int32 * 3), ("cluster", ctypes.c_uint32 * 3),
                ("is_runtime_call", ctypes.c_int), ("fails", ctypes.c_int)]

NAMES = {}

def launch(name, grid, block):
    text = NAMES.setdefault(name, ctypes.c_char_p(name.encode()))
    axes = ctypes.c_int32 * 3
    three = (ctypes.c_uint32 * 3)
    kernel = FakeKernel(text, axes(*grid), axes(*block), three(), 0, 0)
    fake.fake_launch(ctypes.byref(kernel))

class RawKernel:
    name, enable_cooperative_groups, max_dynamic_shared_size_bytes = "scale", False, 0
    def __call__(self, grid, block, args, **options):
        launch("scale", [max(1, n) for n in (*grid, 1, 1)[:3]], (*block, 1, 1)[:3])

scale = geoaudit.recording.wrap(RawKernel())
output = Path(folder) / "scan.parquet"
warnings.simplefilter("ignore", IncompleteRecordingWarning)
"""


class Run(Protocol):
    """Runs lines after PROGRAM in a child process; what they print."""

    def __call__(self, lines: str, **changes: str) -> str: ...


@pytest.fixture
def run_program(programs: Programs, tmp_path: Path) -> Run:
    def run(lines: str, **changes: str) -> str:
        environment = programs.environment(tmp_path, **changes)
        # As for a user: the session itself names the listener, before the first range.
        del environment["CUDA_INJECTION64_PATH"], environment["NVTX_INJECTION64_PATH"]
        program = PROGRAM + textwrap.dedent(lines)
        ended = subprocess.run(
            [sys.executable, "-c", program, tmp_path, programs.library, programs.cupti],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


def test_a_session_records_what_was_launched_and_what_was_asked_for(
    run_program: Run, tmp_path: Path
) -> None:
    run_program(
        """
        launch("before", (1, 1, 1), (32, 1, 1))
        with geoaudit.record(output) as session:
            for token in range(20):
                scale((4, 2), (64,), ())
                launch("other", (9, 1, 1), (128, 1, 1))
                scale((0,), (32,), ())
        launch("after", (1, 1, 1), (32, 1, 1))
        """
    )
    recording = read_recording(tmp_path / "scan.parquet")
    launches = recording.launches
    assert launches[s.KERNEL].tolist() == ["scale", "other", "scale"] * 20
    assert launches[s.GRID_X].tolist() == [4, 9, 1] * 20
    assert launches[s.REQUESTED_GRID_X].fillna(-1).tolist() == [4, -1, 0] * 20
    assert launches[s.REQUESTED_GRID_Y].fillna(-1).tolist() == [2, -1, 1] * 20
    assert launches[s.REQUESTED_BLOCK_X].fillna(-1).tolist() == [64, -1, 32] * 20
    assert launches[s.TOKEN].nunique() == 20
    metadata = recording.metadata
    assert metadata.instrument == "cupti"
    assert metadata.environment[session.SCOPE] == session.FROM_INSIDE
    change = "scale: grid 0 × 1 × 1 was asked for and 1 × 1 × 1 launched (20 times)"
    assert change in metadata.warnings
    ranges = launches[s.RANGES].astype("object").fillna("")
    assert ranges.str.startswith("geoaudit:scale").tolist() == [True, False, True] * 20
    assert not any("no NVTX range arrived" in warning for warning in metadata.warnings)


def test_tokens_by_a_range_of_the_default_domain(run_program: Run, tmp_path: Path) -> None:
    run_program(
        """
        import nvtx
        with geoaudit.record(output, token_range="decode_token"):
            for token in range(20):
                with nvtx.annotate("decode_token"):
                    launch("layer", (4, 1, 1), (32, 1, 1))
                    launch("head", (8, 1, 1), (32, 1, 1))
        """
    )
    launches = read_recording(tmp_path / "scan.parquet").launches
    assert launches[s.TOKEN].tolist() == [token for token in range(20) for _ in range(2)]


def test_nvtx_that_was_used_before_the_first_session_is_told(run_program: Run) -> None:
    out = run_program(
        """
        import nvtx
        with nvtx.annotate("too early"):
            pass
        with geoaudit.record(output, token_range="decode_token") as session:
            with nvtx.annotate("decode_token"):
                launch("layer", (4, 1, 1), (32, 1, 1))
        print(*session.troubles)
        """
    )
    assert "no NVTX range arrived" in out
    assert "NVTX_INJECTION64_PATH=" in out


def test_one_process_records_several_times(run_program: Run) -> None:
    out = run_program(
        """
        for count in (3, 2000, 1):
            with geoaudit.record(output) as session:
                for _ in range(count):
                    launch("kernel", (count, 1, 1), (32, 1, 1))
            launches = session.recording.launches
            seen = session.recording.metadata.launches_seen
            print(len(launches), *launches.grid_x.unique(), seen)
        """
    )
    assert out.splitlines() == ["3 3 3", "2000 2000 2000", "1 1 1"]


def test_an_exception_passes_and_what_was_recorded_is_kept(
    run_program: Run, tmp_path: Path
) -> None:
    out = run_program(
        """
        try:
            with geoaudit.record(output):
                launch("kernel", (1, 1, 1), (32, 1, 1))
                raise KeyError("own")
        except KeyError as error:
            print(error, getattr(error, "__notes__", []))
        """
    )
    assert out.strip() == "'own' []"
    assert len(read_recording(tmp_path / "scan.parquet").launches) == 1


def test_a_fork_that_leaves_the_block_leaves_the_session_alone(
    run_program: Run, tmp_path: Path
) -> None:
    run_program(
        """
        import os
        with geoaudit.record(output):
            launch("kernel", (1, 1, 1), (32, 1, 1))
            child = os.fork()
            if child == 0:
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            launch("kernel", (1, 1, 1), (32, 1, 1))
        """
    )
    assert len(read_recording(tmp_path / "scan.parquet").launches) == 2


def test_a_session_within_a_session_is_refused_and_the_outer_goes_on(run_program: Run) -> None:
    out = run_program(
        """
        with geoaudit.record(output) as outer:
            try:
                with geoaudit.record(output):
                    pass
            except geoaudit.errors.InputError as error:
                print(error)
            launch("kernel", (1, 1, 1), (32, 1, 1))
        print(len(outer.recording.launches))
        """
    )
    assert out.splitlines()[0].startswith("one session at a time")
    assert out.splitlines()[1] == "1"


def test_a_taken_slot_is_named(run_program: Run) -> None:
    out = run_program(
        """
        try:
            with geoaudit.record(output):
                pass
        except geoaudit.errors.NotMeasuredError as error:
            print(error)
        print(output.exists())
        """,
        FAKE_CUPTI_SUBSCRIBED="1",
    )
    assert "another profiler in the process has CUPTI" in out
    assert out.splitlines()[-1] == "False"


def test_a_range_not_there_keeps_the_recording(run_program: Run, tmp_path: Path) -> None:
    out = run_program(
        """
        with geoaudit.record(output, token_range="decode_token") as session:
            launch("kernel", (1, 1, 1), (32, 1, 1))
        print(*session.troubles, sep="\\n")
        """
    )
    assert "tokens are not as asked for" in out
    assert "no NVTX range arrived" in out
    assert len(read_recording(tmp_path / "scan.parquet").launches) == 1


def test_importing_geoaudit_stays_light() -> None:
    program = "import sys, geoaudit; print(*{'pandas', 'numpy', 'nvtx'} & set(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == ""


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        geoaudit.no_such_name  # noqa: B018
    with pytest.raises(AttributeError, match="no_such_name"):
        geoaudit.recording.no_such_name  # noqa: B018


def test_options_are_checked_before_anything_is_recorded(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one of token_range"):
        record(tmp_path / "a.parquet", token_range="x", tokens=3)
    with pytest.raises(InputError, match="folder"):
        record(tmp_path / "missing" / "a.parquet")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="not overwritten"):
        record(tmp_path / "notes.txt")


# ---- Joins ------------------------------------------------------------------------------------


def _request(
    entered: int,
    left: int,
    *,
    thread: int = 1,
    grid: Dimensions | None = (2, 1, 1),
    timing: EventPair | None = None,
) -> Request:
    return Request(
        label="matvec",
        kernel="matvec",
        thread=thread,
        entered_ns=entered,
        left_ns=left,
        grid=grid,
        block=(32, 1, 1),
        launched_grid=grid,
        dynamic_shared_bytes=0,
        timing=timing,
    )


def _calls(*rows: tuple[int, int, int]) -> Records:
    """Launch calls: time, correlation, thread."""
    return np.array(list(rows), dtype=LAUNCH)


def _table(correlations: list[int], **columns: list[int | None]) -> pd.DataFrame:
    count = len(correlations)
    return build_launches(
        {
            s.KIND: [s.KIND_KERNEL] * count,
            s.KERNEL: ["k"] * count,
            s.KERNEL_SHORT: ["k"] * count,
            s.START_NS: list(range(count)),
            s.DURATION_NS: [1] * count,
            s.DEVICE: [0] * count,
            s.GRID_X: [2] * count,
            s.GRID_Y: [1] * count,
            s.GRID_Z: [1] * count,
            s.BLOCK_X: [32] * count,
            s.BLOCK_Y: [1] * count,
            s.BLOCK_Z: [1] * count,
            s.CORRELATION_ID: correlations,
            **{name: pd.array(values, dtype="Int64") for name, values in columns.items()},
        }
    )


def test_a_request_belongs_to_the_last_launch_of_its_thread_while_the_launcher_ran() -> None:
    calls = _calls((5, 1, 1), (11, 2, 1), (12, 3, 1), (13, 4, 2), (21, 5, 1))
    joined, changes = with_requests(_table([1, 2, 3, 4, 5]), calls, [_request(10, 20)])
    asked = joined[s.REQUESTED_GRID_X]
    assert joined[s.CORRELATION_ID][asked.notna()].tolist() == [3]
    assert changes == []


def test_a_launcher_that_launched_nothing_has_no_row() -> None:
    joined, _ = with_requests(_table([1]), _calls((5, 1, 1)), [_request(10, 20), _request(1, 2)])
    assert joined[s.REQUESTED_GRID_X].isna().all()
    joined, _ = with_requests(_table([1]), _calls(), [_request(10, 20)])
    assert joined[s.REQUESTED_GRID_X].isna().all()


def test_replays_of_a_graph_were_asked_for_by_nobody() -> None:
    table = _table([7, 7, 8], **{s.GRAPH_ID: [3, 3, None]})
    requests = [_request(10, 20), _request(30, 40)]
    joined, _ = with_requests(table, _calls((15, 7, 1), (35, 8, 1)), requests)
    assert joined[s.REQUESTED_GRID_X].isna().tolist() == [True, True, False]


def test_changes_are_told_once_per_kind() -> None:
    requests = [_request(10, 20, grid=(0, 1, 1)), _request(30, 40, grid=(0, 1, 1))]
    _, changes = with_requests(_table([1, 2]), _calls((15, 1, 1), (35, 2, 1)), requests)
    assert changes == ["matvec: grid 0 × 1 × 1 was asked for and 2 × 1 × 1 launched (2 times)"]


def test_without_requests_the_table_is_as_it_was() -> None:
    table = _table([1, 2])
    joined, changes = with_requests(table, _calls((15, 1, 1)), [])
    pd.testing.assert_frame_equal(joined, table)
    assert changes == []


class Spans(EventTimer):
    """A timer whose launches took a microsecond each."""

    def __init__(self) -> None:
        self.captured = 0

    def spans(self, pairs: object) -> list[Span]:
        assert isinstance(pairs, list)
        return [Span(start_ns=n * 5000, duration_ns=1000) for n in range(len(pairs))]


def test_launches_timed_by_events() -> None:
    timing = EventPair(device=0, begin=1, end=2)
    slow = _request(0, MAX_LAUNCH_NS + 1, grid=None, timing=timing)
    table = timed_by_events([_request(0, 9, timing=timing), slow], Spans(), 42)
    assert table[s.DURATION_NS].isna().tolist() == [False, True]
    assert table[s.DURATION_NS][0] == 1000
    assert table[s.GRID_X].isna().tolist() == [False, True]
    assert table[s.PROCESS].tolist() == [42, 42]
    assert table[s.RANGES].tolist() == ["geoaudit:matvec"] * 2


# ---- CUDA events in place of CUPTI -----------------------------------------------------------


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> Iterator[EventsInstrument]:
    instrument = EventsInstrument(Spans(), "CUPTI was not found.")
    monkeypatch.setattr(session, "start_instrument", lambda folder: instrument)
    monkeypatch.setattr(in_process, "listen_to_nvtx", lambda: None)
    monkeypatch.setattr(in_process, "is_cuda_used", lambda: True)
    yield instrument
    wrappers.stop_log()


def test_events_are_marked_as_such(events: EventsInstrument, tmp_path: Path) -> None:
    with pytest.warns(IncompleteRecordingWarning, match="upper bounds"):  # noqa: PT031, SIM117
        with record(tmp_path / "scan.parquet") as own:
            assert own.instrument == "cuda_events"
            pair = EventPair(device=0, begin=1, end=2)
            events.log.note(lambda: _request(0, 9, timing=pair))
    metadata = read_recording(tmp_path / "scan.parquet").metadata
    assert metadata.instrument == "cuda_events"
    assert session.BEFORE in metadata.warnings
    assert any("CUPTI was not found." in warning for warning in metadata.warnings)


def test_events_without_wrapped_kernels_measure_nothing(
    events: EventsInstrument, tmp_path: Path
) -> None:
    with pytest.raises(NotMeasuredError, match=r"geoaudit\.recording\.wrap"):  # noqa: SIM117
        with record(tmp_path / "scan.parquet"):
            pass
    with pytest.raises(KeyError) as raised:  # noqa: PT012, SIM117
        with record(tmp_path / "scan.parquet"):
            raise KeyError("own")
    assert "not recorded" in raised.value.__notes__[0]
    assert not (tmp_path / "scan.parquet").exists()


def test_a_session_is_used_once(events: EventsInstrument, tmp_path: Path) -> None:
    own = record(tmp_path / "scan.parquet")
    with pytest.raises(NotMeasuredError), own:
        pass
    with pytest.raises(InputError, match="each once"):
        own.__enter__()


def test_everything_is_reached_from_the_package_alone() -> None:
    program = "import geoaudit; print(geoaudit.record.__name__, geoaudit.recording.wrap.__name__)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.split() == ["record", "wrap"], run.stderr
