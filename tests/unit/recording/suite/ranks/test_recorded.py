"""What is made of the streams of a group."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from geoaudit.devices.calibration import Calibration
from geoaudit.devices.recorded import RecordedDevice
from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.table import build_launches
from geoaudit.manifest.planned import StepPlan
from geoaudit.recording.processes import Processes
from geoaudit.recording.runner import Recorded
from geoaudit.recording.suite.described_run import DescribedRun
from geoaudit.recording.suite.ranks import recorded
from geoaudit.recording.suite.ranks.group_run import GroupRun
from geoaudit.recording.suite.ranks.recorded import record_group
from geoaudit.recording.supervision import Ended
from tests.unit.manifest.example_manifest import FILE, planned
from tests.unit.manifest.test_ranks import IN_LAYER

PLAN = planned(IN_LAYER)
GROUP = GroupRun(
    run=DescribedRun(manifest=str(FILE), step="decode"), ranks=2, tokens=3, warm_up_tokens=1
)
CALIBRATION = Calibration(device_name="NVIDIA H200", copy_bytes_per_second=4.17e12)


Row = tuple[str, tuple[int, int, int], tuple[int, int, int], str | None]


def launched(rank: int, tokens: int, plan: StepPlan = PLAN) -> Recording:
    """What a rank left: a filling, a token of warm-up without a range, and its tokens."""
    rows: list[Row] = [("fill", (1, 1, 1), (256, 1, 1), None)]
    sums = {one.after for one in plan.all_reduces}
    for number in range(tokens + 1):
        path = f"decode#{number}" if number else None
        for place, one in enumerate(plan.launches):
            rows.append((one.shape.entry, one.shape.grid, one.shape.block, path))
            if place in sums:
                rows.append(("ncclDevKernel_AllReduce", (2, 1, 1), (512, 1, 1), path))
    names = pd.Categorical([name for name, *_ in rows])
    owners = ["nccl" if name.startswith("nccl") else "own" for name, *_ in rows]
    table = build_launches(
        {
            s.KIND: pd.Categorical([s.KIND_KERNEL] * len(rows)),
            s.KERNEL: names,
            s.KERNEL_SHORT: names,
            s.OWNER: pd.Categorical(owners),
            s.START_NS: [100 * place for place in range(len(rows))],
            s.DURATION_NS: [50] * len(rows),
            s.DEVICE: [rank] * len(rows),
            s.RANK: [rank] * len(rows),
            **{axis: [grid[i] for _, grid, _, _ in rows] for i, axis in enumerate(s.GRID)},
            **{axis: [block[i] for _, _, block, _ in rows] for i, axis in enumerate(s.BLOCK)},
            s.RANGES: pd.Categorical([path for *_, path in rows]),
        }
    )
    metadata = Metadata(
        instrument="cupti",
        source_format="geoaudit",
        source_name=f"python (process {rank})",
        devices=(RecordedDevice(index=rank, name="NVIDIA H200"),),
    )
    return Recording(launches=table, metadata=metadata)


class Machine:
    """A machine on which a group leaves what it is told to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "streams"
        self.left: Sequence[Recording] = ()
        self.exit_code = 0
        self.stopped_by: int | None = None
        self.asked: list[list[str]] = []

    def run_recorded(self, command: list[str], **_: object) -> Recorded:
        self.asked.append(command)
        self.folder.mkdir()
        ended = Ended(exit_code=self.exit_code, wall_ns=1, stopped_by=self.stopped_by)
        return Recorded(ended=ended, folder=self.folder, streams=())

    def read_processes(self, *_: object, **__: object) -> Processes:
        if not self.left:
            raise NotMeasuredError("no kernel was recorded")
        return Processes(recordings=tuple(self.left), troubles=())


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setattr(recorded, "run_recorded", made.run_recorded)
    monkeypatch.setattr(recorded, "read_processes", made.read_processes)
    monkeypatch.setattr(recorded, "measure", lambda _: CALIBRATION)
    return made


def run(machine: Machine, group: GroupRun = GROUP) -> recorded.GroupRecording:
    return record_group("example", PLAN, group, beside=machine.folder)


def test_each_rank_keeps_its_tokens_alone_with_what_is_declared(machine: Machine) -> None:
    machine.left = [launched(1, 3), launched(0, 3)]
    done = run(machine)
    assert machine.asked == [GROUP.command]
    assert not machine.folder.exists()
    assert done.troubles == ()
    assert [one.metadata.source_name for one in done.recordings] == [
        "example, rank 0",
        "example, rank 1",
    ]
    for one in done.recordings:
        launches = one.launches
        assert len(launches) == 3 * (13 + 6)
        assert launches[s.TOKEN].nunique() == 3
        norms = launches[launches[s.KERNEL_SHORT] == "rms_norm"]
        assert set(norms[s.WORKING_THREADS]) == {128}
        sums = launches[launches[s.OWNER] == "nccl"]
        assert len(sums) == 3 * 6
        assert sums[s.COMPULSORY_BYTES].isna().all()
        assert one.metadata.ranks == 2
        assert one.metadata.calibrations == (CALIBRATION,)
        assert one.metadata.warnings == ()
        assert one.metadata.environment["mode"] == "eager"


def test_a_rank_that_left_less_is_told_and_kept(machine: Machine) -> None:
    machine.left, machine.exit_code = [launched(0, 5), launched(1, 4)], 137
    done = run(machine, replace(GROUP, tokens=5))
    assert len(done.recordings) == 2
    assert done.troubles == (
        "the ranks ended with code 137",
        "rank 1: 4 of 5 tokens have the planned 13 launches and 6 sums over the ranks",
    )


def test_a_rank_that_left_nothing_is_told(machine: Machine) -> None:
    machine.left, machine.exit_code = [launched(0, 3)], 137
    done = run(machine)
    assert [one.metadata.ranks for one in done.recordings] == [2]
    assert done.troubles == ("the ranks ended with code 137", "rank 1 of 2 has no recording")


def test_a_rank_that_died_before_its_tokens_is_kept_whole(machine: Machine) -> None:
    machine.left = [launched(0, 3), launched(1, 0)]
    done = run(machine)
    assert len(done.recordings[1].launches) == 1 + 13 + 6
    assert "fillings and warm-up are in the recording" in done.recordings[1].metadata.warnings[0]
    assert done.troubles[0].startswith("rank 1: 0 of 3 tokens have the planned 13 launches")


def test_where_no_rank_left_a_kernel_it_says_so(machine: Machine) -> None:
    machine.exit_code = 1
    with pytest.raises(NotMeasuredError, match="the ranks ended before a kernel was recorded"):
        run(machine)
    assert not machine.folder.exists()


def test_a_rank_that_fails_behind_its_tokens_is_told(machine: Machine) -> None:
    machine.left, machine.exit_code = [launched(0, 3), launched(1, 3)], 139
    assert run(machine).troubles == ("the ranks ended with code 139",)


def test_whoever_stopped_the_run_waits_for_no_measurement(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.left, machine.exit_code, machine.stopped_by = [launched(0, 3), launched(1, 3)], 130, 2
    monkeypatch.setattr(recorded, "measure", lambda _: pytest.fail("measured"))
    done = run(machine)
    assert (done.stopped_by, done.troubles) == (2, ())


def test_a_device_that_cannot_be_measured_is_a_warning(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> Calibration:
        raise NotMeasuredError("no memory")

    monkeypatch.setattr(recorded, "measure", refuse)
    machine.left = [launched(0, 3), launched(1, 3)]
    told = {one.metadata.warnings for one in run(machine).recordings}
    assert told == {("the floors of this device were not measured: no memory",)}


def test_a_figure_of_another_device_is_of_no_use(machine: Machine) -> None:
    other = launched(1, 3)
    devices = (RecordedDevice(index=1, name="NVIDIA H100"),)
    other = replace(other, metadata=replace(other.metadata, devices=devices))
    machine.left = [launched(0, 3), other]
    found = [one.metadata.calibrations for one in run(machine).recordings]
    assert found == [(CALIBRATION,), ()]
