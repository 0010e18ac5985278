"""AMD traces: grids in work-items, grids on the launch call, graph replays without a grid."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from geoaudit.launches import schema as s
from tests.unit.sources.kineto.kineto_trace import MI300X, call, kernel, read


def dispatch(*, ts: float = 10, **args: object) -> dict[str, Any]:
    return kernel("k", ts=ts, dur=5, context=None, kind="Dispatch Kernel", **args)


@pytest.mark.parametrize(
    ("api", "blocks"),
    [
        ("hipExtModuleLaunchKernel", 8),
        ("hipHccModuleLaunchKernel", 8),
        ("hipModuleLaunchKernel", 2048),
        ("hipLaunchKernel", 2048),
        ("hipExtLaunchKernel", 2048),
    ],
)
def test_the_call_decides_the_unit_of_the_grid(tmp_path: Path, api: str, blocks: int) -> None:
    recording = read(
        tmp_path,
        call(api, correlation=1),
        dispatch(correlation=1, grid=[2048, 1, 1], block=[256, 1, 1]),
        devices=[MI300X],
    )
    assert recording.launches[s.GRID_X].tolist() == [blocks]
    assert recording.metadata.warnings == ()


def test_work_items_that_do_not_divide_are_rounded_up(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        call("hipExtModuleLaunchKernel", correlation=1),
        dispatch(correlation=1, grid=[2049, 6, 1], block=[256, 2, 1]),
        devices=[MI300X],
    )
    assert [recording.launches.loc[0, name] for name in s.GRID] == [9, 3, 1]
    assert recording.metadata.warnings == (
        "1 kernels have a grid in work-items that is no multiple of the block: rounded up.",
    )


def test_a_grid_without_its_call_is_ambiguous_where_it_divides(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        dispatch(ts=1, correlation=1, grid=[2048, 1, 1], block=[256, 1, 1]),
        dispatch(ts=2, correlation=2, grid=[141, 1, 1], block=[512, 1, 1]),
        devices=[MI300X],
    )
    assert recording.launches[s.GRID_X].isna().tolist() == [True, False]
    assert recording.launches[s.GRID_X].tolist()[1] == 141
    (warning,) = recording.metadata.warnings
    assert warning.startswith("1 kernels have a grid whose unit is ambiguous")


def test_the_grid_of_the_call_serves_where_the_kernel_has_none(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        call("hipLaunchKernel", correlation=1, grid=[3, 1, 1], block=[128, 1, 1], shared_memory=64),
        dispatch(correlation=1, grid=None, block=None),
        devices=[MI300X],
    )
    row = recording.launches.iloc[0]
    assert (row[s.GRID_X], row[s.BLOCK_X]) == (3, 128)
    # The call asks for dynamic shared memory; how much the kernel has statically is not told.
    assert row[s.DYNAMIC_SHARED_BYTES] == 64
    assert pd.isna(row[s.SHARED_BYTES])


def test_graph_replays_without_a_grid_are_unknown_and_never_one(tmp_path: Path) -> None:
    replayed = [
        dispatch(ts=20 + n, correlation=5, grid=None, block=None) | {"name": "g"} for n in range(8)
    ]
    recording = read(
        tmp_path,
        *(call("hipLaunchKernel", correlation=n, ts=n) for n in (1, 2)),
        call("hipGraphLaunch", correlation=5, ts=3),
        *(dispatch(ts=n, correlation=n) for n in (1, 2)),
        *replayed,
        devices=[MI300X],
    )
    grid = recording.launches[s.GRID_X]
    assert grid.isna().sum() == 8
    assert grid.dropna().tolist() == [12, 12]
    assert recording.metadata.launches_seen == 10


def test_more_than_2_31_work_items_are_possible(tmp_path: Path) -> None:
    launches = read(
        tmp_path,
        call("hipExtModuleLaunchKernel", correlation=1),
        dispatch(correlation=1, grid=[3221225472, 1, 1], block=[256, 1, 1]),
        devices=[MI300X],
    ).launches
    assert launches.loc[0, s.GRID_X] == 12582912


@pytest.mark.parametrize(
    ("properties", "architecture"),
    [
        ({"computeMajor": 9, "computeMinor": 4}, "gfx942"),
        ({"computeMajor": 9, "computeMinor": 5}, "gfx950"),
        ({"computeMajor": 9, "computeMinor": 0}, "gfx90a"),
        ({"computeMajor": 9, "computeMinor": 0, "maxThreadsPerMultiprocessor": 2560}, None),
        ({"computeMajor": 11, "computeMinor": 0}, None),
    ],
)
def test_a_compute_capability_of_amd_is_never_one_of_cuda(
    tmp_path: Path, properties: dict[str, int], architecture: str | None
) -> None:
    (device,) = read(tmp_path, dispatch(), devices=[MI300X | properties]).metadata.devices
    assert device.architecture == architecture
    assert device.shared_bytes_per_sm == 65536


def test_a_device_numbered_among_all_agents_takes_the_properties_all_share(tmp_path: Path) -> None:
    two = [MI300X, MI300X | {"id": 1}]
    (device,) = read(tmp_path, dispatch(device=5), devices=two).metadata.devices
    assert (device.index, device.sm_count) == (5, 304)
    assert device.sm_count_source == "deviceProperties.numSms, device not listed by its number"


def test_a_device_not_listed_stays_unknown_where_the_listed_ones_differ(tmp_path: Path) -> None:
    mixed = [MI300X, MI300X | {"id": 1, "numSms": 104}]
    (device,) = read(tmp_path, dispatch(device=5), devices=mixed).metadata.devices
    assert device.sm_count is None
