"""Real public traces, where they are at hand."""

import pytest

from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.table import validate
from geoaudit.sources.kineto import SOURCE
from geoaudit.sources.registry import ReadOptions
from tests.shared_traces import FOLDER, needs_traces

pytestmark = needs_traces

# name, kernels, copies and sets, device index, SMs, share of kernel time with unknown geometry
EXPECTED = [
    ("kineto-2021-resnet50-no-device", 9564, 451, 0, 80, 0.0),
    ("kineto-2022-a100-train", 8568, 882, 3, 108, 0.0),
    ("kineto-2022-v100-graph-replays", 9876, 5756, 1, 80, 0.0),
    ("kineto-2024-mi250-grid-on-launch", 14, 2, 2, 104, 0.0),
    ("kineto-2025-b200-pdl-overlap", 768, 161, 0, 148, 0.0),
    ("kineto-2025-h100-bert", 60, 1, 0, 132, 0.0),
    ("kineto-2025-h100-qwen", 1465, 242, 0, 132, 0.0),
    ("kineto-2025-mi300-bert", 60, 1, 2, 304, 0.0),
    ("kineto-2026-h100-nested-occupancy", 1, 0, 0, 132, 0.0),
    ("kineto-2026-h200-llama-decode", 3491, 6, 0, 132, 0.0),
    ("kineto-2026-mi300-mixed-grid-units", 12, 0, 2, 304, 0.0),
    ("kineto-2026-mi300-vllm-graph-no-grid", 425, 9, 2, 304, 0.9732),
]


def read(name: str) -> Recording:
    return SOURCE.read(FOLDER / f"{name}.json.gz", ReadOptions())


@pytest.mark.parametrize(("name", "kernels", "others", "device", "sms", "unknown"), EXPECTED)
def test_a_real_trace(
    name: str, kernels: int, others: int, device: int, sms: int, unknown: float
) -> None:
    recording = read(name)
    launches, metadata = recording.launches, recording.metadata
    validate(launches)
    is_kernel = launches[s.KIND] == s.KIND_KERNEL
    assert (int(is_kernel.sum()), int((~is_kernel).sum())) == (kernels, others)
    assert [(each.index, each.sm_count) for each in metadata.devices] == [(device, sms)]
    assert metadata.launches_seen == kernels
    assert (metadata.untimed, metadata.warnings, metadata.partial) == (0, (), False)
    time = launches.loc[is_kernel, s.DURATION_NS]
    without = launches.loc[is_kernel, s.GRID_X].isna()
    assert time[without].sum() / time.sum() == pytest.approx(unknown, abs=5e-5)


def test_a_trace_that_lost_its_kernels() -> None:
    with pytest.raises(NotMeasuredError, match="77 launches, 0 kernel records"):
        read("kineto-2023-no-kernels")


def test_grids_in_work_items_become_blocks() -> None:
    launches = read("kineto-2026-mi300-mixed-grid-units").launches
    library = launches[launches[s.KERNEL].astype(str).str.startswith("Cijk")]
    others = launches.drop(library.index)
    assert (library[s.GRID_X] == 350208 // 256).any()
    assert (others[s.GRID_X] == 16384).any()


def test_decode_tokens_are_told_apart() -> None:
    launches = read("kineto-2026-h200-llama-decode").launches
    names = [str(name) for name in launches[s.RANGES].cat.categories]
    assert names == ["prefill", *(f"decode_token#{n}" for n in range(12))]
    assert launches[s.RANGES].notna().all()
    first = launches.iloc[0]
    assert (first[s.START_NS], first[s.DURATION_NS]) == (5103060087253272, 2592)


def test_kernels_launched_before_the_recording_have_no_range() -> None:
    launches = read("kineto-2025-h100-qwen").launches
    kernels = launches[launches[s.KIND] == s.KIND_KERNEL]
    assert int(kernels[s.RANGES].isna().sum()) == 436
    assert set(kernels[s.RANGES].dropna()) == {"ProfilerStep#6"}


def test_overlap_of_dependent_launches_is_kept() -> None:
    launches = read("kineto-2025-b200-pdl-overlap").launches
    one = launches[launches[s.STREAM] == launches[s.STREAM].mode()[0]]
    ends = one[s.START_NS] + one[s.DURATION_NS]
    assert (one[s.START_NS].iloc[1:].to_numpy() < ends.iloc[:-1].to_numpy()).any()
