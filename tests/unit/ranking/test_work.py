"""Working warps and bytes in flight of an SM that has blocks."""

import pytest

from geoaudit.devices.resolve import DeviceOverride
from geoaudit.diagnosis.evidence import WorkPerSm
from geoaudit.launches.recording import Recording
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from tests.unit.ranking.builders import Launch, recording
from tests.unit.ranking.test_floors import calibrated, with_columns


def launches(blocks: int, threads: int, **columns: int) -> Recording:
    made = recording([Launch(start=n * 100, blocks=blocks, threads=threads) for n in range(4)])
    return with_columns(made, **columns)


def work_of(made: Recording, device: str | None = None) -> WorkPerSm | None:
    (row,) = rank(made, RankOptions(device=DeviceOverride(name=device))).rows
    return row.evidence.work


def test_a_128_thread_block_of_which_one_warp_works_is_12_working_warps() -> None:
    # The document's part: 1,536 threads of an SM, as on an RTX 4090.
    work = work_of(launches(12_800, 128, working_threads=32), device="RTX 4090")
    assert work is not None
    assert work.working_warps == 12


def test_32_thread_blocks_are_bounded_by_the_block_slots() -> None:
    work = work_of(launches(12_800, 32, working_threads=32), device="RTX 4090")
    assert work is not None
    assert work.working_warps == 24


def test_a_grid_below_the_residency_has_as_many_blocks_as_it_brings() -> None:
    assert work_of(launches(12, 128, working_threads=128)) == WorkPerSm(working_warps=4)
    # 133 blocks on 132 SMs: one SM has two.
    assert work_of(launches(133, 128, working_threads=128)) == WorkPerSm(working_warps=8)


def test_part_of_a_warp_is_a_warp() -> None:
    assert work_of(launches(12, 128, working_threads=33)) == WorkPerSm(working_warps=2)


def test_the_documents_norm_512_bytes_against_16_kb() -> None:
    scalar = calibrated(launches(1, 128, working_threads=128, bytes_in_flight_per_thread=4))
    wide = calibrated(launches(1, 1024, working_threads=1024, bytes_in_flight_per_thread=16))
    found = [work_of(scalar), work_of(wide)]
    assert [work.bytes_in_flight for work in found if work] == [512, 16_384]
    # 700 ns x 4 TB/s / 132 SMs.
    assert found[0] is not None
    assert found[0].needed_bytes_in_flight == pytest.approx(21_212, abs=1)


def test_what_is_not_declared_or_not_measured_is_not_told() -> None:
    assert work_of(launches(12, 128)) is None
    unmeasured = work_of(launches(12, 128, working_threads=128, bytes_in_flight_per_thread=4))
    assert unmeasured is not None
    assert unmeasured.needed_bytes_in_flight is None
    assert unmeasured.bytes_in_flight == 512
