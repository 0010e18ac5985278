"""Launch geometry: the figures of a whole launch, and what is left unknown."""

from dataclasses import asdict, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.geometry.bytes_in_flight import bytes_in_flight, bytes_in_flight_needed_per_sm
from geoaudit.geometry.launch import launch_geometry
from geoaudit.geometry.shape import Dim3, LaunchGeometry, LaunchShape
from geoaudit.geometry.waves import wasted_sm_time_ns, working_warps_per_sm
from tests.unit.geometry.capabilities import CAPABILITIES, KIB, amd_device_of, device_of

DIMENSION = st.integers(1, 70_000)
SHAPES = st.builds(
    LaunchShape,
    grid=st.tuples(DIMENSION, DIMENSION, DIMENSION),
    block=st.tuples(st.integers(1, 64), st.integers(1, 8), st.integers(1, 4)),
    registers_per_thread=st.integers(0, 255),
    shared_bytes=st.integers(0, 230 * KIB),
)


def shape_of(
    blocks: int | Dim3, threads: int | Dim3 = 128, *, registers: int = 32, shared_bytes: int = 0
) -> LaunchShape:
    return LaunchShape(
        grid=(blocks, 1, 1) if isinstance(blocks, int) else blocks,
        block=(threads, 1, 1) if isinstance(threads, int) else threads,
        registers_per_thread=registers,
        shared_bytes=shared_bytes,
    )


def known(geometry: LaunchGeometry) -> set[str]:
    return {name for name, value in asdict(geometry).items() if value not in (None, ())}


@pytest.mark.parametrize(("blocks", "fill"), [(1, 0.008), (12, 0.091), (48, 0.364), (128, 0.970)])
def test_sm_fill_of_132_sms(blocks: int, fill: float) -> None:
    assert launch_geometry(shape_of(blocks), device_of()).sm_fill == pytest.approx(fill, abs=5e-4)


def test_wasted_share_of_a_kernel_on_12_of_132_sms() -> None:
    fill = launch_geometry(shape_of(12), device_of()).sm_fill
    assert fill is not None
    assert wasted_sm_time_ns(0.118, fill) == pytest.approx(0.107, abs=5e-4)


def test_blocks_doubled_against_a_target_of_two_per_sm() -> None:
    # 256 threads x 128 registers: two blocks per SM.
    before, after = (
        launch_geometry(shape_of(blocks, 256, registers=128), device_of()) for blocks in (128, 256)
    )
    assert before.resident_blocks_per_sm == after.resident_blocks_per_sm == 2
    assert before.sm_fill == pytest.approx(0.970, abs=5e-4)
    assert after.sm_fill == 1.0
    assert before.slot_fill == pytest.approx(0.485, abs=5e-4)
    assert after.slot_fill == pytest.approx(0.970, abs=5e-4)


@pytest.mark.parametrize(
    ("registers", "resident", "waves"), [(64, 8, 3.33), (80, 6, 4.44), (128, 4, 6.67)]
)
def test_1280_blocks_of_128_threads_on_48_sms(registers: int, resident: int, waves: float) -> None:
    device = device_of("12.1", sm_count=48)
    geometry = launch_geometry(shape_of(1280, 128, registers=registers), device)
    assert geometry.resident_blocks_per_sm == resident
    assert geometry.waves == pytest.approx(waves, abs=5e-3)


def test_one_working_warp_in_a_block_of_four() -> None:
    device = device_of("12.1", sm_count=48)
    wide = launch_geometry(shape_of(1280, 128), device).resident_blocks_per_sm
    narrow = launch_geometry(shape_of(1280, 32), device).resident_blocks_per_sm
    assert wide is not None
    assert narrow is not None
    assert (working_warps_per_sm(wide, 1), working_warps_per_sm(narrow, 1)) == (12, 24)


def test_blocks_for_every_sm_may_still_leave_the_thread_slots_empty() -> None:
    geometry = launch_geometry(shape_of(512, 128), device_of("10.0", sm_count=148))
    assert geometry.sm_fill == 1.0
    assert geometry.thread_fill == pytest.approx(0.22, abs=5e-3)


def test_bytes_in_flight_of_a_widened_norm() -> None:
    assert bytes_in_flight(128, 4) == 512
    assert bytes_in_flight(1024, 16) == 16 * KIB


def test_131_kilobytes_in_flight_are_thirty_times_what_is_needed() -> None:
    # A part of 273 GB/s and 48 SMs; 770 ns of latency is what the quoted factor implies.
    needed = bytes_in_flight_needed_per_sm(770.0, 273e9, 48)
    assert 131e3 / needed == pytest.approx(30, rel=0.01)


def test_without_a_device_only_the_counts_are_known() -> None:
    geometry = launch_geometry(shape_of((3, 4, 5), (8, 8, 2)), None)
    assert (geometry.grid_blocks, geometry.block_threads) == (60, 128)
    assert known(geometry) == {"grid_blocks", "block_threads"}


@pytest.mark.parametrize(
    "missing", ["registers_per_thread", "shared_bytes", "block"], ids=lambda name: f"no {name}"
)
def test_without_a_resource_of_the_block_no_residency_is_known(missing: str) -> None:
    whole = asdict(shape_of(12))
    geometry = launch_geometry(LaunchShape(**{**whole, missing: None}), device_of())
    assert geometry.sm_fill == pytest.approx(12 / 132)
    assert geometry.usable_sms == 132
    assert known(geometry) <= {"grid_blocks", "block_threads", "usable_sms", "sm_fill"}


def test_without_a_grid_the_residency_is_known_alone() -> None:
    shape = LaunchShape(grid=None, block=(128, 1, 1), registers_per_thread=64, shared_bytes=0)
    geometry = launch_geometry(shape, device_of())
    assert geometry.resident_blocks_per_sm == 8
    assert geometry.sm_fill is None
    assert geometry.waves is None
    assert geometry.thread_fill is None


def test_static_and_dynamic_win_over_their_sum() -> None:
    shape = LaunchShape(
        grid=(1, 1, 1),
        block=(32, 1, 1),
        registers_per_thread=16,
        static_shared_bytes=20 * KIB,
        dynamic_shared_bytes=80 * KIB,
        shared_bytes=0,
    )
    assert launch_geometry(shape, device_of()).resident_blocks_per_sm == 2
    only_static = LaunchShape(
        grid=(1, 1, 1), block=(32, 1, 1), registers_per_thread=16, static_shared_bytes=0
    )
    assert launch_geometry(only_static, device_of()).resident_blocks_per_sm is None


def clustered(max_active_clusters: int | None) -> LaunchShape:
    return LaunchShape(
        grid=(120, 1, 1),
        block=(256, 1, 1),
        cluster=(4, 1, 1),
        registers_per_thread=16,
        shared_bytes=0,
        max_active_clusters=max_active_clusters,
    )


def test_waves_of_clusters_rest_on_the_clusters_that_fit() -> None:
    geometry = launch_geometry(clustered(248), device_of())
    assert geometry.resident_blocks_per_sm == 8
    assert geometry.waves == pytest.approx(120 / 992)
    assert geometry.tail_blocks == 120
    assert geometry.thread_fill == pytest.approx(120 * 256 / (132 * 2048))


@pytest.mark.parametrize("max_active_clusters", [None, 0])
def test_waves_of_clusters_are_unknown_without_that_figure(max_active_clusters: int | None) -> None:
    geometry = launch_geometry(clustered(max_active_clusters), device_of())
    assert geometry.resident_blocks_per_sm == 8
    waves = {"waves", "full_waves", "tail_blocks", "wave_efficiency", "slot_fill", "thread_fill"}
    assert not known(geometry) & waves


def test_usable_sms_count_and_not_those_of_the_device() -> None:
    geometry = launch_geometry(shape_of(4), device_of("7.5", sm_count=40, usable_sm_count=4))
    assert geometry.sm_fill == 1.0
    assert geometry.waves == pytest.approx(4 / (4 * 8))


def test_an_impossible_launch_has_no_waves() -> None:
    geometry = launch_geometry(shape_of(12, 512, registers=162), device_of())
    assert geometry.resident_blocks_per_sm == 0
    assert geometry.limiter == "impossible"
    assert geometry.theoretical_occupancy == 0.0
    assert geometry.waves is None


def test_a_grid_without_blocks_fills_nothing() -> None:
    geometry = launch_geometry(shape_of(0), device_of())
    assert (geometry.sm_fill, geometry.waves, geometry.wave_efficiency) == (0.0, 0.0, 0.0)


def test_grids_beyond_32_bits_are_counted_whole() -> None:
    geometry = launch_geometry(shape_of((2**31 - 1, 65535, 65535)), device_of())
    assert geometry.grid_blocks == (2**31 - 1) * 65535 * 65535
    assert geometry.sm_fill == 1.0


def test_wavefronts_of_64_threads() -> None:
    unknown = LaunchShape(grid=(152, 1, 1), block=(256, 1, 1), shared_bytes=0)
    geometry = launch_geometry(unknown, amd_device_of())
    assert geometry.sm_fill == 0.5
    assert geometry.resident_blocks_per_sm is None
    held = launch_geometry(shape_of(152, 100), amd_device_of())
    # 100 threads are two wavefronts, a compute unit holds 32.
    assert held.resident_blocks_per_sm == 16
    assert held.theoretical_occupancy == 1.0


@given(shape=SHAPES, architecture=st.sampled_from(tuple(CAPABILITIES)), sms=st.integers(1, 200))
def test_shares_are_shares_and_parts_sum_to_the_whole(
    shape: LaunchShape, architecture: str, sms: int
) -> None:
    geometry = launch_geometry(shape, device_of(architecture, sm_count=sms))
    for field in fields(geometry):
        if field.name.endswith(("fill", "efficiency", "occupancy")):
            value = getattr(geometry, field.name)
            assert value is None or 0 <= value <= 1
    if geometry.waves is None:
        assert geometry.resident_blocks_per_sm == 0
        return
    assert geometry.resident_blocks_per_sm is not None
    assert geometry.full_waves is not None
    assert geometry.tail_blocks is not None
    at_once = geometry.resident_blocks_per_sm * sms
    assert geometry.full_waves * at_once + geometry.tail_blocks == geometry.grid_blocks
    assert 0 <= geometry.tail_blocks < at_once


@given(time_ns=st.integers(0, 10**12), blocks=st.integers(1, 1000))
def test_used_and_wasted_sm_time_sum_to_the_whole(time_ns: int, blocks: int) -> None:
    fill = launch_geometry(shape_of(blocks), device_of()).sm_fill
    assert fill is not None
    wasted = wasted_sm_time_ns(time_ns, fill)
    assert wasted >= 0
    assert wasted + time_ns * fill == pytest.approx(time_ns)
