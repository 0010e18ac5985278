"""A run under a session: what is launched when, and what is kept of it."""

import gc
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from geoaudit.devices.calibration import Calibration
from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Instrument, Metadata, Recording
from geoaudit.launches.table import build_launches
from geoaudit.manifest.location import ManifestError
from geoaudit.recording import in_process, session, wrappers
from geoaudit.recording.instruments import Measured
from geoaudit.recording.requests import RequestLog
from geoaudit.recording.suite import suite_run
from geoaudit.recording.suite.filling import ENTRY
from geoaudit.recording.suite.interventions import ConfirmOptions
from geoaudit.recording.suite.suite_run import RunOptions, SuiteRecording, record_plan
from tests.unit.manifest.example_manifest import planned
from tests.unit.recording.suite.fake_device import FakeRuntime

FIXED = ('position = "context + token"', 'position = "context"')
LAUNCHES = 13
CALIBRATION = Calibration(device_name="NVIDIA H200", copy_bytes_per_second=4.17e12)
FILLINGS = 7


class SeenLaunches:
    """A runtime, its ranges and an instrument that sees all its launches, as CUPTI does."""

    def __init__(self, instrument: Instrument = "cupti") -> None:
        self.name = instrument
        self.log = RequestLog(lambda: 0)
        self.open: list[str] = []
        self.opened: Counter[str] = Counter()
        self.seen: list[tuple[str, str]] = []
        self.is_collecting: list[bool] = []
        self.hears_ranges = True
        self.refuses_to_be_measured = False
        self.runtime = FakeRuntime()
        self.was_made_in_session = False
        launch = self.runtime.driver.launch_kernel
        graph = self.runtime.driver.launch_graph

        def see(configuration: Any, function: Any, *rest: Any) -> int:  # noqa: ANN401
            status = int(launch(configuration, function, *rest))
            names = {handle: entry for entry, handle in self.runtime.handles.items()}
            if "cuStreamBeginCapture" not in self.runtime.library.names("cuStreamBeginCapture"):
                self._saw(names[function.value])
            return status

        def replay(executable: int, stream: int) -> None:
            graph(executable, stream)
            for _ in range(LAUNCHES):
                self._saw("node")

        self.runtime.driver.launch_kernel = see
        self.runtime.driver.launch_graph = replay  # type: ignore[method-assign]

    def _saw(self, name: str) -> None:
        self.seen.append((name, "/".join(self.open) if self.hears_ranges else ""))
        self.is_collecting.append(gc.isenabled())

    def push(self, name: str) -> None:
        # As recordings tell instances of one name apart.
        self.open.append(f"{name}#{self.opened[name]}")
        self.opened[name] += 1

    def pop(self) -> None:
        self.open.pop()

    def measure(self, make_runtime: Callable[[], FakeRuntime]) -> Calibration:
        assert not wrappers.is_noting()
        assert make_runtime() is self.runtime
        if self.refuses_to_be_measured:
            raise NotMeasuredError("no memory")
        return CALIBRATION

    def make(self) -> FakeRuntime:
        self.was_made_in_session = wrappers.is_noting()
        return self.runtime

    def finish(self) -> Measured:
        seen = self.seen
        if self.name != "cupti":
            seen = [(request.kernel, "") for request in self.log.requests()]
        return Measured(recording=_recording(seen, self.name), ranges=int(self.hears_ranges))


def bare(path: str) -> str:
    """A path without the numbers of its ranges."""
    return re.sub(r"#\d+", "", path)


def _recording(seen: Sequence[tuple[str, str]], instrument: Instrument) -> Recording:
    starts = range(1000, 1000 + 100 * len(seen), 100)
    names = pd.Categorical([name for name, _ in seen])
    table = build_launches(
        {
            s.KIND: pd.Categorical([s.KIND_KERNEL] * len(seen)),
            s.KERNEL: names,
            s.KERNEL_SHORT: names,
            s.START_NS: list(starts),
            s.DURATION_NS: [50] * len(seen),
            s.DEVICE: [0] * len(seen),
            s.CORRELATION_ID: list(range(len(seen))),
            s.RANGES: pd.Categorical([path or None for _, path in seen]),
        }
    )
    metadata = Metadata(instrument=instrument, source_format="geoaudit", source_name="geoaudit")
    return Recording(launches=table, metadata=metadata)


Run = Callable[..., SuiteRecording]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> SeenLaunches:
    device = SeenLaunches()
    monkeypatch.setattr(session, "start_instrument", lambda folder: device)
    monkeypatch.setattr(in_process, "listen_to_nvtx", lambda: None)
    monkeypatch.setattr(in_process, "is_cuda_used", lambda: False)
    monkeypatch.setattr(suite_run, "NvtxRanges", lambda: device)
    monkeypatch.setattr(wrappers, "_nvtx_domain", lambda: _Domain())
    monkeypatch.setattr(suite_run, "measure", device.measure)
    return device


class _Domain:
    """NVTX without NVTX."""

    def get_category_id(self, name: str) -> int:
        return 1

    def get_event_attributes(self, **_: object) -> object:
        return object()

    def push_range(self, _: object) -> None: ...

    def pop_range(self) -> None: ...


def test_the_tokens_alone_are_kept_and_what_was_run_is_said(seen: SeenLaunches) -> None:
    plan = planned(arms=("WIDE_NORM",))
    done = record_plan("example", plan, RunOptions(tokens=4, warm_up_tokens=2), seen.make)
    assert seen.was_made_in_session
    assert len(seen.seen) == FILLINGS + (2 + 4) * LAUNCHES
    table, metadata = done.recording.launches, done.recording.metadata
    assert done.troubles == ()
    assert len(table) == 4 * LAUNCHES
    assert table[s.TOKEN].nunique() == 4
    assert ENTRY not in set(table[s.KERNEL_SHORT])
    assert {bare(path) for path in table[s.RANGES]} == {"decode", "decode/layer"}
    assert metadata.source_name == "example"
    assert metadata.warnings == ()
    environment = metadata.environment
    assert (environment["step"], environment["mode"]) == ("decode", "eager")
    assert environment["arms"] == "WIDE_NORM=1"
    assert "context=4096" in environment["symbols"].split()
    assert environment["warm_up_tokens"] == "2"


def test_without_an_arm_the_recording_says_so(seen: SeenLaunches) -> None:
    done = record_plan("example", planned(), RunOptions(tokens=2), seen.make)
    assert done.recording.metadata.environment["arms"] == "all off"


def test_warm_up_is_neither_noted_nor_in_a_range(seen: SeenLaunches) -> None:
    record_plan("example", planned(), RunOptions(tokens=3, warm_up_tokens=2), seen.make)
    outside = FILLINGS + 2 * LAUNCHES
    assert {path for _, path in seen.seen[:outside]} == {""}
    assert {bare(path) for _, path in seen.seen[outside:]} == {"decode", "decode/layer"}
    assert len(seen.log) == 3 * LAUNCHES


def test_a_step_without_a_range_of_its_own_is_given_one(seen: SeenLaunches) -> None:
    plan = planned(("[steps.decode]   ", '[steps.decode]\nrange = ""\n#'))
    done = record_plan("example", plan, RunOptions(tokens=3), seen.make)
    table = done.recording.launches
    assert done.troubles == ()
    assert {bare(path) for path in table[s.RANGES]} == {"decode", "decode/layer"}
    assert table[s.TOKEN].nunique() == 3


def test_every_token_is_waited_for(seen: SeenLaunches) -> None:
    record_plan("example", planned(), RunOptions(tokens=3, warm_up_tokens=2), seen.make)
    waits = seen.runtime.library.names("cuStreamSynchronize")
    assert len(waits) == 1 + 1 + 3


def test_nothing_is_collected_while_tokens_run_and_again_after(seen: SeenLaunches) -> None:
    assert gc.isenabled()
    record_plan("example", planned(), RunOptions(tokens=2, warm_up_tokens=1), seen.make)
    assert seen.is_collecting[: FILLINGS + LAUNCHES] == [True] * (FILLINGS + LAUNCHES)
    assert seen.is_collecting[FILLINGS + LAUNCHES :] == [False] * (2 * LAUNCHES)
    assert gc.isenabled()


def test_a_graph_is_captured_after_the_warm_up_and_its_replays_are_the_tokens(
    seen: SeenLaunches,
) -> None:
    options = RunOptions(tokens=5, warm_up_tokens=1, is_graph=True)
    done = record_plan("example", planned(FIXED), options, seen.make)
    table = done.recording.launches
    assert len(table) == 5 * LAUNCHES
    assert set(table[s.KERNEL_SHORT]) == {"node"}
    assert {bare(path) for path in table[s.RANGES]} == {"decode"}
    assert table[s.TOKEN].nunique() == 5
    assert done.recording.metadata.environment["mode"] == "CUDA graph"
    assert seen.runtime.library.names("cuGraphExecDestroy") == ["cuGraphExecDestroy"]


def test_a_graph_of_changing_scalars_is_refused_before_the_device_is_touched(
    seen: SeenLaunches,
) -> None:
    with pytest.raises(ManifestError, match="depends on the token"):
        record_plan("example", planned(), RunOptions(is_graph=True), seen.make)
    assert seen.seen == []


def test_ranges_that_nobody_heard_keep_all_and_are_told(seen: SeenLaunches) -> None:
    seen.hears_ranges = False
    done = record_plan("example", planned(), RunOptions(tokens=4), seen.make)
    assert len(done.recording.launches) == FILLINGS + (3 + 4) * LAUNCHES
    assert any("fillings and warm-up are in the recording" in told for told in done.troubles)
    assert any("no NVTX range arrived" in told for told in done.troubles)


def test_events_hold_the_tokens_by_their_number(seen: SeenLaunches) -> None:
    seen.name = "cuda_events"
    done = record_plan("example", planned(), RunOptions(tokens=4), seen.make)
    assert len(done.recording.launches) == 4 * LAUNCHES
    assert done.recording.launches[s.TOKEN].nunique() == 4


def test_progress_grows_to_all_of_it(seen: SeenLaunches) -> None:
    told: list[float] = []
    record_plan("example", planned(), RunOptions(tokens=4), seen.make, told.append)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    assert len(told) == 3 + 4


def test_the_recording_is_kept_where_nothing_can_be_confirmed(seen: SeenLaunches) -> None:
    # This instrument tells no geometry: which launch is which cannot be told.
    told: list[float] = []
    options = RunOptions(tokens=4, confirm=ConfirmOptions(variants={}))
    done = record_plan("example", planned(), options, seen.make, told.append)
    (trouble,) = done.troubles
    assert trouble.startswith("--confirm: nothing was repeated: the recorded tokens are not")
    assert len(done.recording.launches) == 4 * LAUNCHES
    assert told[-1] < 1.0


def test_memory_serves_the_variants_too(seen: SeenLaunches) -> None:
    larger = planned(assignments=("hidden=14336",))
    options = RunOptions(tokens=2, confirm=ConfirmOptions(variants={"hidden": larger}))
    record_plan("example", planned(), options, seen.make)
    assert 4 * 14336 in {memory.size_bytes for memory in seen.runtime.allocations}


def test_a_failing_kernel_ends_the_run_with_its_error(seen: SeenLaunches, tmp_path: Path) -> None:
    seen.runtime.library.status = {"cuLaunchKernelEx": 700}
    with pytest.raises(NotMeasuredError, match="ILLEGAL_ADDRESS"):
        record_plan("example", planned(), RunOptions(tokens=2), seen.make)
    assert not wrappers.is_noting()


def test_the_device_is_measured_behind_the_tokens(seen: SeenLaunches) -> None:
    done = record_plan("example", planned(), RunOptions(tokens=3), seen.make)
    assert done.recording.metadata.calibrations == (CALIBRATION,)
    assert done.recording.metadata.warnings == ()


def test_a_device_that_cannot_be_measured_is_a_warning_and_no_trouble(seen: SeenLaunches) -> None:
    seen.refuses_to_be_measured = True
    done = record_plan("example", planned(), RunOptions(tokens=3), seen.make)
    assert done.recording.metadata.calibrations == ()
    assert done.recording.metadata.warnings == (
        "the floors of this device were not measured: no memory",
    )
    assert done.troubles == ()


def test_where_events_time_wrapped_kernels_the_device_is_not_measured(seen: SeenLaunches) -> None:
    seen.name = "cuda_events"
    seen.refuses_to_be_measured = True
    done = record_plan("example", planned(), RunOptions(tokens=3), seen.make)
    assert done.recording.metadata.calibrations == ()


def test_what_the_manifest_declares_is_beside_its_launches(seen: SeenLaunches) -> None:
    done = record_plan("example", planned(), RunOptions(tokens=3), seen.make)
    kernels = done.recording.launches
    norm = kernels[kernels[s.KERNEL_SHORT] == "rms_norm"]
    assert set(norm[s.WORKING_THREADS].dropna()) == {128}
    assert {one.kernel_short for one in done.recording.metadata.declared} >= {"rms_norm"}
