"""What is launched to measure a device, and what its recording says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from geoaudit.devices.calibration import Calibration
from geoaudit.devices.recorded import RecordedDevice
from geoaudit.devices.table import find_device
from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.table import build_launches
from geoaudit.recording import in_process, session
from geoaudit.recording.calibration import measure as measuring
from geoaudit.recording.calibration.figures import calibration_of, timer_tick
from geoaudit.recording.calibration.probes import (
    COPIES,
    EMPTY,
    EMPTY_LAUNCHES,
    LINK,
    WALK,
    WALK_STEPS,
    Probes,
    launch_probes,
)
from geoaudit.recording.instruments import Measured
from geoaudit.recording.requests import RequestLog
from tests.unit.recording.suite.fake_device import FakeRuntime

MIB = 1 << 20
GIB = 1 << 30


def u64(argument: bytes) -> int:
    return int.from_bytes(argument, "little")


def probed(
    free_bytes: int = 1 << 40, l2_bytes: int | None = 50 * MIB
) -> tuple[FakeRuntime, Probes]:
    runtime = FakeRuntime(free_bytes)
    # As many arguments as each kernel has: read where the driver reads them.
    runtime.handles = {EMPTY: 100, LINK: 101, WALK: 102}
    runtime.library.argument_counts = {101: 2, 102: 3}
    return runtime, launch_probes(runtime, l2_bytes)


def test_copies_evict_the_lines_before_one_thread_walks_along_them() -> None:
    runtime, probes = probed()
    assert probes == Probes(copy_bytes=GIB, walk_steps=WALK_STEPS)
    source, target = runtime.allocations
    (link,), (walk,) = runtime.launches_of(LINK), runtime.launches_of(WALK)
    # 256 MiB in lines of 128 bytes: a power of two above four times 50 MiB.
    assert [u64(one) for one in link.arguments] == [source.ptr, 256 * MIB // 128]
    assert [u64(one) for one in walk.arguments] == [source.ptr, target.ptr, WALK_STEPS]
    assert (walk.grid, walk.block) == ((1, 1, 1), (1, 1, 1))
    order = runtime.library.names("cuLaunchKernelEx", "cuMemcpyDtoDAsync")
    assert order[: COPIES + 2] == [
        "cuLaunchKernelEx",
        *["cuMemcpyDtoDAsync"] * COPIES,
        "cuLaunchKernelEx",
    ]
    copies = {call for call in runtime.library.calls if call[0] == "cuMemcpyDtoDAsync"}
    assert copies == {("cuMemcpyDtoDAsync", target.ptr, source.ptr, GIB)}


def test_empty_kernels_run_eagerly_and_in_a_graph_that_is_given_back() -> None:
    runtime, _ = probed()
    assert len(runtime.launches_of(EMPTY)) == 2 * EMPTY_LAUNCHES
    assert runtime.library.names("cuGraphLaunch", "cuGraphExecDestroy") == [
        "cuGraphLaunch",
        "cuGraphLaunch",
        "cuGraphExecDestroy",
    ]


@pytest.mark.parametrize(
    ("free_bytes", "l2_bytes", "expected"),
    [
        (100 * MIB, 50 * MIB, Probes(copy_bytes=None, walk_steps=None)),
        (1024 * MIB, 50 * MIB, Probes(copy_bytes=256 * MIB, walk_steps=None)),
        (1024 * MIB, 4 * MIB, Probes(copy_bytes=256 * MIB, walk_steps=WALK_STEPS)),
        (1 << 40, None, Probes(copy_bytes=GIB, walk_steps=None)),
        (1 << 40, 126 * MIB, Probes(copy_bytes=GIB, walk_steps=WALK_STEPS)),
    ],
)
def test_what_there_is_no_memory_for_is_left_out(
    free_bytes: int, l2_bytes: int | None, expected: Probes
) -> None:
    assert probed(free_bytes, l2_bytes)[1] == expected


def test_the_walk_visits_every_line_once() -> None:
    # As probes.cu links them; the period is whole for every power of two.
    lines, at, seen = 1 << 12, 0, set()
    for _ in range(lines):
        seen.add(at)
        at = (at * 1664525 + 1013904223) & (lines - 1)
    assert len(seen) == lines
    assert at == 0


@pytest.mark.parametrize(
    ("durations", "tick"),
    [
        ([1088, 1120, 1152, 1088], 32.0),
        ([1087, 1088, 1088, 1119, 1120, 1120, 1121, 1184], 32.0),
        ([1024, 2048], 1024.0),
        ([1088, 1088], None),
        ([], None),
    ],
)
def test_the_tick_is_the_smallest_step_that_is_no_rounding(
    durations: Sequence[int], tick: float | None
) -> None:
    assert timer_tick(np.array(durations, dtype=np.int64)) == tick


def probe_recording() -> Recording:
    """Copies of 0.515 ms, 1.2 µs eager and 0.9 µs in a graph, a walk of 700 ns a step."""
    rows: list[tuple[str, str, int, int | None, int | None]] = [
        (s.KIND_KERNEL, LINK, 60_000, None, None),
        *[(s.KIND_COPY, "Memcpy DtoD", 515_000 + 320 * n, None, GIB) for n in range(4)],
        (s.KIND_COPY, "Memcpy HtoD", 960, None, 8),
        (s.KIND_KERNEL, WALK, 700 * WALK_STEPS, None, None),
        *[(s.KIND_KERNEL, EMPTY, 1_184 + 32 * (n % 3 - 1), None, None) for n in range(9)],
        *[(s.KIND_KERNEL, EMPTY, 896, 5, None) for _ in range(9)],
    ]
    kinds, names, durations, graphs, sizes = zip(*rows, strict=True)
    launches = build_launches(
        {
            s.KIND: kinds,
            s.KERNEL: names,
            s.KERNEL_SHORT: names,
            s.START_NS: range(len(rows)),
            s.DURATION_NS: durations,
            s.DEVICE: [0] * len(rows),
            s.GRAPH_ID: graphs,
            s.COPY_BYTES: sizes,
        }
    )
    metadata = Metadata(
        instrument="cupti",
        source_format="geoaudit",
        source_name="python",
        devices=(RecordedDevice(name="NVIDIA H200"),),
        environment={"cuda_driver": "13.0"},
    )
    return Recording(launches=launches, metadata=metadata)


CALIBRATION = Calibration(
    device_name="NVIDIA H200",
    copy_bytes_per_second=2 * GIB / 515_000.0 * 1e9,
    launch_floor_ns=1_184.0,
    graph_launch_floor_ns=896.0,
    latency_ns=700.0,
    timer_tick_ns=32.0,
    driver_version="CUDA 13.0",
    measured_on="2026-11-29",
)


def test_figures_are_those_of_the_recorded_durations() -> None:
    probes = Probes(copy_bytes=GIB, walk_steps=WALK_STEPS)
    assert calibration_of(probe_recording(), probes, "2026-11-29") == CALIBRATION
    assert CALIBRATION.copy_bytes_per_second == pytest.approx(4.17e12, rel=1e-3)


def test_what_was_not_launched_is_not_told() -> None:
    probes = Probes(copy_bytes=None, walk_steps=None)
    found = calibration_of(probe_recording(), probes, "2026-11-29")
    assert (found.copy_bytes_per_second, found.latency_ns) == (None, None)


class Instrument:
    """An instrument that saw the probes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.log = RequestLog(lambda: 0)

    def finish(self) -> Measured:
        return Measured(recording=probe_recording(), ranges=0)


@pytest.fixture
def instrument(monkeypatch: pytest.MonkeyPatch) -> Instrument:
    found: Any = Instrument("cupti")
    monkeypatch.setattr(session, "start_instrument", lambda folder: found)
    monkeypatch.setattr(in_process, "listen_to_nvtx", lambda: None)
    monkeypatch.setattr(in_process, "is_cuda_used", lambda: True)
    monkeypatch.setattr(measuring, "live_devices", lambda: (find_device("H200"),))
    return found  # type: ignore[no-any-return]


def test_a_device_is_measured_in_a_session_of_its_own(
    instrument: Instrument, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = measuring.measure(FakeRuntime)
    assert found.copy_bytes_per_second == CALIBRATION.copy_bytes_per_second
    assert found.latency_ns == 700.0
    assert len(found.measured_on) == len("2026-11-29")
    assert list(tmp_path.iterdir()) == []


def test_without_cupti_nothing_is_measured(instrument: Instrument) -> None:
    instrument.name = "cuda_events"
    with pytest.raises(NotMeasuredError, match="CUPTI records nothing here"):
        measuring.measure(FakeRuntime)
