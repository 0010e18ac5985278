"""Counters of one run in the launches of another."""

from dataclasses import replace

import pandas as pd
import pytest

from geoaudit.launches import schema as s
from geoaudit.launches.counters import join_counters
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.table import build_launches, validate

WHOLE = "void scale<float>(float *, int)"


def table(*rows: dict[str, object]) -> pd.DataFrame:
    usual: dict[str, object] = {
        s.KIND: s.KIND_KERNEL,
        s.KERNEL: "k",
        s.DEVICE: 0,
        s.DURATION_NS: 100,
        **dict.fromkeys((*s.GRID, *s.BLOCK), 1),
        s.CLUSTER_X: None,
        s.DYNAMIC_SHARED_BYTES: None,
        s.DRAM_BYTES: None,
        s.SM_ACTIVE_FRACTION: None,
    }
    filled = [usual | row for row in rows]
    for row in filled:
        row.setdefault(s.KERNEL_SHORT, row[s.KERNEL])
        row |= dict.fromkeys(s.CLUSTER[1:], row[s.CLUSTER_X])
    return build_launches({name: [row[name] for row in filled] for name in filled[0]})


def recording(*rows: dict[str, object]) -> Recording:
    metadata = Metadata(instrument="cupti", source_format="geoaudit", source_name="t")
    return Recording(launches=table(*rows), metadata=metadata)


def dram(launches: pd.DataFrame) -> list[float | None]:
    return [None if pd.isna(value) else value for value in launches[s.DRAM_BYTES]]


def test_launches_of_one_signature_get_the_counters_of_its_counted_launch() -> None:
    timed = recording(
        {s.GRID_X: 12, s.DURATION_NS: 300},
        {s.GRID_X: 12, s.DURATION_NS: 300},
        {s.GRID_X: 48, s.DURATION_NS: 200},
        {s.KERNEL: "other", s.GRID_X: 12, s.DURATION_NS: 200},
        {s.KIND: s.KIND_COPY, s.KERNEL: "Memcpy DtoH", s.DURATION_NS: 9_000},
    )
    counted = table(
        {s.GRID_X: 12, s.DRAM_BYTES: 4e6, s.SM_ACTIVE_FRACTION: 0.09},
        {s.KERNEL: "stranger", s.DRAM_BYTES: 1.0},
        {s.GRID_X: 48},
    )
    joined = join_counters([timed], counted)
    launches = joined.recordings[0].launches
    validate(launches)
    assert dram(launches) == [4e6, 4e6, None, None, None]
    assert launches[s.SM_ACTIVE_FRACTION].tolist()[:2] == [0.09, 0.09]
    assert launches[s.SM_THROUGHPUT_FRACTION].isna().all()
    assert (joined.signatures, joined.counted_signatures) == (3, 1)
    assert joined.time_fraction == pytest.approx(0.6)
    assert dram(timed.launches) == [None] * 5


def test_several_counted_launches_of_a_signature_give_their_median() -> None:
    counted = table({s.DRAM_BYTES: 1.0}, {s.DRAM_BYTES: 2.0}, {s.DRAM_BYTES: 90.0})
    assert dram(join_counters([recording({})], counted).recordings[0].launches) == [2.0]


@pytest.mark.parametrize(
    ("shape", "matches"),
    [
        ({}, True),
        ({s.GRID_Y: 2}, False),
        ({s.BLOCK_X: 64}, False),
        ({s.CLUSTER_X: 2}, False),
        ({s.DYNAMIC_SHARED_BYTES: 1024}, False),
    ],
)
def test_the_whole_shape_must_match(shape: dict[str, object], matches: bool) -> None:
    timed = recording({s.CLUSTER_X: 1, s.DYNAMIC_SHARED_BYTES: 0})
    counted = table({s.CLUSTER_X: 1, s.DYNAMIC_SHARED_BYTES: 0, **shape, s.DRAM_BYTES: 7.0})
    joined = join_counters([timed], counted)
    assert joined.counted_signatures == int(matches)


def test_what_one_side_does_not_know_is_not_compared() -> None:
    timed = recording({s.CLUSTER_X: 1, s.DYNAMIC_SHARED_BYTES: 4096})
    counted = table({s.DRAM_BYTES: 7.0})
    assert join_counters([timed], counted).counted_signatures == 1


def test_a_cluster_that_some_launches_do_not_speak_of_is_none() -> None:
    timed = recording({s.CLUSTER_X: None}, {s.CLUSTER_X: 2, s.GRID_X: 4})
    counted = table({s.CLUSTER_X: 1, s.DRAM_BYTES: 7.0})
    assert dram(join_counters([timed], counted).recordings[0].launches) == [7.0, None]


@pytest.mark.parametrize("spelled", ["void scale<float>(float*, int)", "scale"])
def test_names_are_compared_as_far_as_they_are_told(spelled: str) -> None:
    timed = recording({s.KERNEL: WHOLE, s.KERNEL_SHORT: "scale"})
    counted = table({s.KERNEL: spelled, s.KERNEL_SHORT: "scale", s.DRAM_BYTES: 7.0})
    assert join_counters([timed], counted).counted_signatures == 1


def test_a_short_name_of_two_kernels_tells_neither() -> None:
    double = WHOLE.replace("float", "double")
    timed = recording(
        {s.KERNEL: WHOLE, s.KERNEL_SHORT: "scale"}, {s.KERNEL: double, s.KERNEL_SHORT: "scale"}
    )
    by_short = table({s.KERNEL: "scale", s.KERNEL_SHORT: "scale", s.DRAM_BYTES: 7.0})
    assert join_counters([timed], by_short).counted_signatures == 0
    by_whole = table({s.KERNEL: double, s.KERNEL_SHORT: "scale", s.DRAM_BYTES: 7.0})
    assert dram(join_counters([timed], by_whole).recordings[0].launches) == [None, 7.0]


def test_launches_of_unknown_grid_get_nothing() -> None:
    unknown = recording(dict.fromkeys((*s.GRID, *s.BLOCK)))
    joined = join_counters([unknown], table({s.DRAM_BYTES: 7.0}))
    assert (joined.signatures, joined.counted_signatures) == (1, 0)


def test_processes_are_joined_each_and_counted_together() -> None:
    joined = join_counters(
        [recording({}), recording({}, {s.GRID_X: 9})], table({s.DRAM_BYTES: 7.0})
    )
    assert [dram(one.launches) for one in joined.recordings] == [[7.0], [7.0, None]]
    assert (joined.signatures, joined.counted_signatures) == (2, 1)


def test_what_was_counted_before_stays_where_nothing_matches() -> None:
    timed = recording({s.DRAM_BYTES: 3.0}, {s.GRID_X: 9, s.DRAM_BYTES: 5.0})
    joined = join_counters([timed], table({s.DRAM_BYTES: 7.0}))
    assert dram(joined.recordings[0].launches) == [7.0, 5.0]


def test_without_times_no_share_is_told() -> None:
    untimed = recording({s.DURATION_NS: None})
    assert join_counters([untimed], table({s.DRAM_BYTES: 7.0})).time_fraction is None


def test_without_kernels_there_is_nothing_to_join() -> None:
    empty = recording({s.KIND: s.KIND_COPY})
    joined = join_counters([empty], table({s.DRAM_BYTES: 7.0}))
    assert (joined.signatures, joined.time_fraction) == (0, None)
    none = replace(empty, launches=empty.launches.iloc[:0])
    assert join_counters([none], table({})).counted_signatures == 0


def test_how_much_of_the_time_was_another_while_it_was_counted() -> None:
    timed = recording(
        {s.GRID_X: 12, s.DURATION_NS: 300},
        {s.GRID_X: 48, s.DURATION_NS: 100},
        {s.GRID_X: 96, s.DURATION_NS: 0},
        {s.GRID_X: 99, s.DURATION_NS: 900},
    )
    counted = table(
        {s.GRID_X: 12, s.DRAM_BYTES: 1.0, s.DURATION_NS: 1_300},
        {s.GRID_X: 48, s.DRAM_BYTES: 1.0, s.DURATION_NS: 390},
        {s.GRID_X: 96, s.DRAM_BYTES: 1.0, s.DURATION_NS: 100},
        {s.GRID_X: 99, s.DRAM_BYTES: 1.0, s.DURATION_NS: None},
    )
    assert join_counters([timed], counted).other_time_fraction == pytest.approx(0.75)
    assert join_counters([timed], counted[:0]).other_time_fraction is None
