"""Launches repeated alone on a device that launches nothing: which, in what order, how restored."""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Metadata, Recording, TokenOptions
from geoaudit.launches.table import build_launches
from geoaudit.launches.tokens import segment
from geoaudit.manifest.plan import plan as plan_step
from geoaudit.manifest.planned import StepPlan
from geoaudit.manifest.settings import resolve_settings
from geoaudit.manifest.variants import reshaped_variants
from geoaudit.recording.instruments import CuptiInstrument, Measured
from geoaudit.recording.suite import interventions
from geoaudit.recording.suite.alone import durations_of_cases
from geoaudit.recording.suite.cold_cache import ENTRY as READ
from geoaudit.recording.suite.cold_cache import FLUSH_BYTES
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.filling import ENTRY as FILL
from geoaudit.recording.suite.interventions import ConfirmOptions, with_interventions
from geoaudit.recording.suite.sites import chosen_sites
from tests.unit.manifest.example_manifest import parsed, planned
from tests.unit.recording.suite.fake_device import FakeRuntime, Launched

REPETITIONS = 5
TOKENS = 12
# Every launch of an arm's is made faster by what it has more of.
NORM_NS, PROJECTION_NS, OTHER_NS = 20_000, 60_000, 700


def duration_ns(entry: str, launch: Launched) -> int:
    """What a launch takes on this device."""
    if entry == "rms_norm":
        return NORM_NS * 128 // launch.block[0]
    return PROJECTION_NS * 32 // launch.block[0] if "projection" in entry else OTHER_NS


def table(entries: Sequence[tuple[str, Launched]]) -> pd.DataFrame:
    """The launches table of what was launched."""
    names = pd.Categorical([entry.partition("<")[0] for entry, _ in entries])
    columns: dict[str, Any] = {
        s.KIND: pd.Categorical([s.KIND_KERNEL] * len(entries)),
        s.KERNEL: names,
        s.KERNEL_SHORT: names,
        s.START_NS: [100_000 * place for place in range(len(entries))],
        s.DURATION_NS: [duration_ns(*one) for one in entries],
        s.DEVICE: [0] * len(entries),
        s.DYNAMIC_SHARED_BYTES: [one.shared_bytes for _, one in entries],
    }
    for axis in range(3):
        columns[s.GRID[axis]] = [one.grid[axis] for _, one in entries]
        columns[s.BLOCK[axis]] = [one.block[axis] for _, one in entries]
    return build_launches(columns)


class Seen(CuptiInstrument):
    """Sees what a runtime launches between its start and its end."""

    def __init__(self, runtime: FakeRuntime) -> None:
        self._runtime = runtime
        self._first = len(runtime.library.launches)

    def finish(self) -> Measured:
        names = {handle: entry for entry, handle in self._runtime.handles.items()}
        launched = self._runtime.library.launches[self._first :]
        launches = table([(names[one.function], one) for one in launched])
        return Measured(recording=Recording(launches=launches, metadata=METADATA), ranges=0)


METADATA = Metadata(
    instrument="cupti",
    source_format="geoaudit",
    source_name="geoaudit",
    devices=(RecordedDevice(index=0, name="NVIDIA H200", sm_count=132),),
)


class Device:
    """An engine that ran the tokens of a plan, with its variants."""

    def __init__(self, *arms: str) -> None:
        manifest = parsed()
        settings = resolve_settings(manifest, arms=arms)
        self.plan = plan_step(manifest, settings)
        self.variants = reshaped_variants(manifest, settings, self.plan).plans
        self.runtime = FakeRuntime()
        self.engine = Engine(self.runtime, [self.plan, *self.variants.values()])
        self.recording = recorded(self.engine, self.plan)
        self.runtime.library.launches.clear()
        self.runtime.library.calls.clear()

    def confirm(self, **options: Any) -> Recording:  # noqa: ANN401
        chosen = ConfirmOptions(variants=self.variants, repetitions=REPETITIONS, **options)
        told: list[float] = []
        done = with_interventions(self.engine, self.plan, self.recording, chosen, told.append)
        assert told == sorted(told)
        assert told[-1] == 1.0
        return done


def recorded(engine: Engine, plan: StepPlan) -> Recording:
    """A recording of tokens."""
    seen = Seen(engine.runtime)  # type: ignore[arg-type]
    token = engine.prepare(plan)
    for number in range(TOKENS):
        token.launch(number)
    launches = seen.finish().recording.launches
    cut = segment(launches, TokenOptions(token_count=TOKENS)).launches
    return Recording(launches=cut, metadata=METADATA)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    found = Device()
    monkeypatch.setattr(interventions, "start_instrument", lambda _: Seen(found.runtime))
    return found


def test_every_kernel_is_repeated_as_recorded_and_reshaped(device: Device) -> None:
    done = device.confirm().metadata.interventions
    norm, projection = sorted(done, key=lambda one: one.kernel_short != "rms_norm")
    assert (norm.grid, norm.block, norm.dynamic_shared_bytes) == ((1, 1, 1), (128, 1, 1), 0)
    assert norm.in_situ_ns == (NORM_NS,) * TOKENS
    assert norm.alone_ns == (NORM_NS,) * REPETITIONS
    assert [(one.setting, one.grid_blocks, one.block_threads) for one in norm.sweep] == [
        ("WIDE_NORM=1", 1, 1024)
    ]
    assert norm.sweep[0].durations_ns == (NORM_NS // 8,) * REPETITIONS
    assert [(one.setting, one.grid_blocks, one.block_threads) for one in projection.sweep] == [
        ("ROWS_PER_BLOCK=4", 224, 128),
        ("ROWS_PER_BLOCK=8", 112, 256),
    ]
    assert [set(one.durations_ns) for one in projection.sweep] == [
        {PROJECTION_NS // 4},
        {PROJECTION_NS // 8},
    ]


def test_the_launch_is_that_of_its_site_and_no_programmatic_one(device: Device) -> None:
    done = device.confirm(most=1).metadata.interventions[0]
    launches = device.runtime.library.launches
    read = device.runtime.handles[READ]
    repeated = [
        launch
        for before, launch in zip(launches, launches[1:], strict=False)
        if before.function == read != launch.function
    ]
    assert repeated[0].grid == device.plan.launches[done.position].shape.grid
    assert len(repeated) == (1 + len(done.sweep)) * REPETITIONS
    assert all(launch.attributes == {} for launch in repeated)


def test_before_a_site_its_token_is_launched_from_the_first_contents(device: Device) -> None:
    done = device.confirm(most=1).metadata.interventions[0]
    entries = [name for name in device.runtime.entries() if name not in (READ, FILL)]
    before = [one.shape.entry for one in device.plan.launches[: done.position + 1]]
    assert entries[: len(before)] == before
    fills = device.runtime.launches_of(FILL)
    assert fills
    assert device.runtime.library.launches[0] == fills[0]


def test_the_l2_is_emptied_and_the_warm_inputs_are_read_again(device: Device) -> None:
    device.runtime.library.argument_counts[device.runtime.handles.setdefault(READ, 900)] = 2
    device.confirm(most=1)
    sizes = [struct.unpack("<Q", one.arguments[1])[0] for one in device.runtime.launches_of(READ)]
    per_repetition = "".join("F" if size == FLUSH_BYTES else "w" for size in sizes).split("F")
    # The residual, or the normed vector: what is small and was touched last.
    assert set(per_repetition[1:]) == {"w"}
    assert {size for size in sizes if size != FLUSH_BYTES} <= {4 * 7168, 4 * 896}


def test_what_is_changed_in_place_is_kept_and_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    change = ('outputs = ["normed"]', 'outputs = ["normed", "residual"]')
    plan = planned(change)
    runtime = FakeRuntime()
    engine = Engine(runtime, [plan])
    recording = recorded(engine, plan)
    monkeypatch.setattr(interventions, "start_instrument", lambda _: Seen(runtime))
    runtime.library.calls.clear()
    with_interventions(
        engine, plan, recording, ConfirmOptions(repetitions=3, most=1), lambda share: None
    )
    copies = [call for call in runtime.library.calls if call[0] == "cuMemcpyDtoDAsync"]
    (kept, *restored) = copies
    assert len(restored) == 3
    assert all((one[1], one[2]) == (kept[2], kept[1]) for one in restored)
    assert {one[3] for one in copies} == {4 * 7168}


def test_what_cannot_be_repeated_is_told_and_the_others_are(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = device.engine.prepare

    def refuse(plan: StepPlan) -> object:
        if plan.arms["ROWS_PER_BLOCK"] == 8:
            raise NotMeasuredError("no such kernel")
        return prepare(plan)

    monkeypatch.setattr(device.engine, "prepare", refuse)
    metadata = device.confirm().metadata
    projection = next(one for one in metadata.interventions if one.kernel_short == "projection")
    assert [one.setting for one in projection.sweep] == ["ROWS_PER_BLOCK=4"]
    (warning,) = metadata.warnings
    assert warning.startswith("projection at position ")
    assert warning.endswith("under ROWS_PER_BLOCK=8 is not repeated alone: no such kernel")


def test_without_memory_to_empty_the_l2_nothing_is_measured(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def allocate(size_bytes: int) -> object:
        raise NotMeasuredError(f"no device memory for {size_bytes}")

    monkeypatch.setattr(device.runtime, "allocate", allocate)
    with pytest.raises(NotMeasuredError, match="the L2 cannot be emptied .* no device memory"):
        device.confirm()


def test_tokens_of_another_plan_are_refused(device: Device) -> None:
    with pytest.raises(NotMeasuredError, match="not the planned one"):
        chosen_sites(device.recording, planned(arms=("WIDE_NORM",)), 20)


def test_the_most_wasteful_signatures_come_first(device: Device) -> None:
    sites = chosen_sites(device.recording, device.plan, 20)
    assert [one.kernel_short for one in sites] == ["rms_norm", "projection"]
    assert sites[0].wasted_ns == pytest.approx(sites[0].time_ns * 131 / 132)
    assert sites[1].wasted_ns == 0
    # Seven norms: the fourth of them when sorted by their medians, which are all the same.
    assert sites[0].position == 6
    assert len(chosen_sites(device.recording, device.plan, 1)) == 1


def test_a_missing_record_is_told() -> None:
    launched = Launched(
        function=1, grid=(1, 1, 1), block=(32, 1, 1), shared_bytes=0, stream=7, attributes={},
        arguments=(),
    )  # fmt: skip
    launches = table([(READ, launched), ("k", launched), ("k", launched)])
    assert durations_of_cases(launches, [4]) == {4: (OTHER_NS,)}
    with pytest.raises(NotMeasuredError, match="2 launches were repeated alone and 1 are"):
        durations_of_cases(launches, [4, 4])


def test_events_are_too_coarse(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interventions, "start_instrument", lambda folder: object())
    with pytest.raises(NotMeasuredError, match="CUPTI cannot be had"):
        device.confirm()


def test_a_session_folder_is_given(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[Path] = []

    def start(folder: Path) -> Seen:
        assert folder.is_dir()
        folders.append(folder)
        return Seen(device.runtime)

    monkeypatch.setattr(interventions, "start_instrument", start)
    device.confirm()
    assert not folders[0].exists()


def test_an_arm_that_is_on_is_switched_off_too(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Device("ROWS_PER_BLOCK=8")
    monkeypatch.setattr(interventions, "start_instrument", lambda _: Seen(device.runtime))
    found = {one.kernel_short: one for one in device.confirm().metadata.interventions}
    assert [(one.setting, one.grid_blocks) for one in found["projection"].sweep] == [
        ("ROWS_PER_BLOCK=0", 896),
        ("ROWS_PER_BLOCK=4", 224),
    ]
