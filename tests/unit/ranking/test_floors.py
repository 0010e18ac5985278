"""Floors of launches: the documents' figures, and what is not known."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from geoaudit.devices.calibration import Calibration
from geoaudit.diagnosis.evidence import Floor
from geoaudit.diagnosis.thresholds import LAUNCH_FLOOR_NS
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.table import build_launches
from geoaudit.ranking.audit import AuditRow
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from tests.unit.ranking.builders import H200, Launch, recording, tokens

CALIBRATION = Calibration(
    device_name="NVIDIA H200",
    copy_bytes_per_second=4e12,
    launch_floor_ns=1_200.0,
    graph_launch_floor_ns=900.0,
    latency_ns=700.0,
)


def with_columns(made: Recording, **columns: object) -> Recording:
    """The recording with some columns given: one value for all, or one per launch."""
    given = {name: made.launches[name] for name in made.launches}
    return replace(made, launches=build_launches({**given, **columns}))


def calibrated(made: Recording, **figures: Any) -> Recording:  # noqa: ANN401
    calibration = replace(CALIBRATION, **figures)
    return replace(made, metadata=replace(made.metadata, calibrations=(calibration,)))


def rows(made: Recording) -> dict[str, AuditRow]:
    return {row.kernel: row for row in rank(made, RankOptions()).rows}


def floor_of(made: Recording) -> Floor:
    (row,) = rows(made).values()
    assert row.evidence.floor is not None
    return row.evidence.floor


def steady(duration_ns: int, blocks: int = 12) -> Recording:
    layout = [Launch(kernel="k", duration=duration_ns, blocks=blocks)]
    return recording(tokens(layout, count=12, period_ns=10 * duration_ns))


def test_the_first_document_87_us_for_3_1_mb_at_its_own_floor_of_0_9_us() -> None:
    made = with_columns(steady(87_000), compulsory_bytes=3_100_000)
    # The document divides by 3.44 TB/s; bandwidth is an input and never a constant.
    floor = floor_of(calibrated(made, copy_bytes_per_second=3.1e6 / 0.9e-6, launch_floor_ns=800.0))
    assert floor.floor_ns == pytest.approx(900)
    assert floor.floor_ratio == pytest.approx(96.7, abs=0.05)
    assert (floor.bytes, floor.bytes_source) == (3_100_000, "compulsory")
    assert floor.is_measured


def test_the_second_document_62_11_us_against_48_9_us() -> None:
    made = with_columns(steady(62_110, blocks=1280), compulsory_bytes=13_348_864)
    floor = floor_of(calibrated(made, copy_bytes_per_second=13_348_864 / 48.9e-6))
    assert floor.floor_ratio == pytest.approx(1.27, abs=0.005)
    assert 1 / (floor.floor_ratio or 0) == pytest.approx(0.79, abs=0.005)


def test_a_launch_is_a_floor_eager_and_in_a_graph() -> None:
    small = with_columns(steady(2_400), compulsory_bytes=4_000)
    assert floor_of(calibrated(small)).floor_ratio == pytest.approx(2.0)
    in_graph = floor_of(calibrated(with_columns(small, graph_id=3)))
    assert (in_graph.launch_floor_ns, in_graph.floor_ns) == (900.0, 900.0)
    assert in_graph.floor_ratio == pytest.approx(2_400 / 900)
    eager_only = floor_of(calibrated(with_columns(small, graph_id=3), graph_launch_floor_ns=None))
    assert eager_only.launch_floor_ns == 1_200.0


def test_launches_of_one_signature_with_other_bytes_each_have_their_own_floor() -> None:
    layout = [Launch(start=0, duration=8_000), Launch(start=10_000, duration=80_000)]
    made = recording(tokens(layout, count=10, period_ns=100_000))
    sizes = [4_000 * 4_000, 40_000 * 4_000] * 10
    floor = floor_of(calibrated(with_columns(made, compulsory_bytes=sizes)))
    # 4 us and 40 us at 4 TB/s: each launch takes twice its own floor.
    assert floor.floor_ratio == pytest.approx(2.0)
    assert floor.distinct_floors == 2
    assert floor.floor_ns == pytest.approx(22_000)


def test_counted_bytes_are_a_traffic_floor_and_never_beat_declared_ones() -> None:
    counted = [8e6] + [float("nan")] * 11
    traffic = floor_of(calibrated(with_columns(steady(10_000), dram_bytes=counted)))
    assert (traffic.bytes, traffic.bytes_source) == (8e6, "traffic")
    assert traffic.floor_ratio == pytest.approx(5.0)
    both = with_columns(steady(10_000), dram_bytes=counted, compulsory_bytes=2_000_000)
    assert floor_of(calibrated(both)).bytes_source == "compulsory"


def test_bytes_that_nobody_knows_leave_the_launch_floor_alone() -> None:
    floor = floor_of(calibrated(steady(10_000)))
    assert (floor.floor_ns, floor.bytes, floor.bytes_source) == (1_200.0, None, None)
    assert floor.floor_ratio is None
    assert floor.touched_bytes is None


def test_without_a_calibration_the_device_table_says_so() -> None:
    floor = floor_of(with_columns(steady(87_000), compulsory_bytes=48_000_000))
    assert (floor.bandwidth_bytes_per_second, floor.launch_floor_ns) == (4.8e12, LAUNCH_FLOOR_NS)
    assert floor.floor_ns == pytest.approx(10_000)
    assert not floor.is_measured


def test_a_calibration_of_another_device_counts_for_nothing() -> None:
    made = calibrated(with_columns(steady(87_000), compulsory_bytes=48_000_000))
    other = replace(made.metadata.calibrations[0], device_name="NVIDIA A100")
    made = replace(made, metadata=replace(made.metadata, calibrations=(other,)))
    assert not floor_of(made).is_measured


def test_an_unknown_device_has_no_bandwidth() -> None:
    made = recording([Launch(start=n * 100) for n in range(4)], devices=())
    floor = floor_of(with_columns(made, compulsory_bytes=1_000_000))
    assert (floor.bandwidth_bytes_per_second, floor.floor_ratio) == (None, None)
    assert floor.floor_ns == LAUNCH_FLOOR_NS


def test_untimed_launches_have_a_floor_and_no_ratio() -> None:
    made = recording([Launch(start=None, duration=None) for _ in range(4)])
    floor = floor_of(calibrated(with_columns(made, compulsory_bytes=40_000_000)))
    assert (floor.floor_ns, floor.floor_ratio) == (10_000.0, None)


LAYERS = [
    Launch(kernel="a", start=0, duration=10),
    Launch(kernel="b", start=20, duration=10),
    Launch(kernel="c", start=40, duration=10),
]


def touched(sizes: list[int | None]) -> dict[str, float | None]:
    made = recording(tokens(LAYERS, count=3, period_ns=100))
    found = rows(calibrated(with_columns(made, compulsory_bytes=sizes * 3)))
    return {
        name: row.evidence.floor.touched_bytes for name, row in found.items() if row.evidence.floor
    }


def test_from_one_launch_of_a_site_to_the_next_lies_the_whole_token() -> None:
    assert touched([100, 20, 3]) == {"a": 123.0, "b": 123.0, "c": 123.0}


def test_a_launch_whose_own_bytes_exceed_the_l2_is_not_served_by_it() -> None:
    copy = Launch(kernel="a", start=0, duration=90_000, blocks=2_112)
    later = [replace(one, start=100_000 + (one.start or 0)) for one in LAYERS[1:]]
    made = recording(tokens([copy, *later], count=12, period_ns=200_000))
    sizes = [280 * 2**20, 20, 3] * 12
    found = rows(calibrated(with_columns(made, compulsory_bytes=sizes)))
    assert found["a"].verdict.name == "bandwidth_bound"


def test_nsight_compute_empties_the_l2_before_each_launch() -> None:
    made = with_columns(recording(tokens(LAYERS, count=3, period_ns=100)), dram_bytes=1_000)
    ncu = replace(made, metadata=replace(made.metadata, instrument="ncu"))
    for of, expected in ((made, 3_000.0), (ncu, None)):
        floors = [row.evidence.floor for row in rows(calibrated(of)).values()]
        assert [floor.touched_bytes for floor in floors if floor] == [expected] * 3


def test_where_much_of_a_token_is_unknown_nobody_knows_what_it_touches() -> None:
    assert touched([100, 20, None]) == {"a": None, "b": None, "c": None}


def test_without_tokens_nobody_knows_what_lies_between() -> None:
    made = recording([Launch(kernel=f"k{n}", start=20 * n) for n in range(7)])
    found = rows(calibrated(with_columns(made, compulsory_bytes=1_000)))
    assert {row.evidence.floor.touched_bytes for row in found.values() if row.evidence.floor} == {
        None
    }


def test_two_devices_are_held_against_their_own_calibrations() -> None:
    second = replace(H200, index=1, name="NVIDIA A100-SXM4-80GB", architecture="8.0", sm_count=108)
    made = recording(
        [Launch(start=n * 100, device=n % 2, duration=50) for n in range(8)], devices=(H200, second)
    )
    made = calibrated(with_columns(made, compulsory_bytes=4_000_000_000))
    found = {row.device: row.evidence.floor for row in rank(made, RankOptions()).rows}
    assert {index: floor.is_measured for index, floor in found.items() if floor} == {
        0: True,
        1: False,
    }


def test_columns_stay_what_the_schema_says() -> None:
    made = with_columns(steady(10), compulsory_bytes=5)
    assert isinstance(made.launches[s.COMPULSORY_BYTES], pd.Series)
    assert str(made.launches[s.COMPULSORY_BYTES].dtype) == "Int64"
