import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.launches import schema as s
from geoaudit.ranking.time_account import (
    TimeSplit,
    attributed_durations,
    build_timeline,
    overlapped_time,
    split_time,
)
from tests.unit.ranking.builders import Launch, table


def split(
    launches: list[Launch], fills: list[float], end: int, *, communication: bool = False
) -> TimeSplit:
    rows = table(launches)
    timeline = build_timeline(rows, np.array(fills), np.full(len(rows), communication, dtype=bool))
    return split_time(timeline, np.array([0]), np.array([end]))


def test_overlap_on_one_stream_belongs_to_the_earlier_launch() -> None:
    launches = table([Launch(start=0, duration=20), Launch(start=18, duration=12)])
    assert attributed_durations(launches).tolist() == [20, 10]
    assert launches[s.DURATION_NS].tolist() == [20, 12]


def test_a_launch_inside_another_on_its_stream_adds_no_time() -> None:
    launches = table(
        [Launch(start=0, duration=20), Launch(start=5, duration=5), Launch(start=20, duration=5)]
    )
    assert attributed_durations(launches).tolist() == [20, 0, 5]


def test_launches_of_two_streams_keep_their_whole_time() -> None:
    launches = table([Launch(start=0, duration=20), Launch(start=5, duration=20, stream=8)])
    assert attributed_durations(launches).tolist() == [20, 20]


def test_streams_of_two_processes_are_two_streams() -> None:
    launches = table([Launch(start=0, duration=20), Launch(start=5, duration=10)])
    launches[s.PROCESS] = pd.array([1, 2], dtype="Int64")
    assert attributed_durations(launches).tolist() == [20, 10]


def test_a_launch_below_the_timers_resolution_disturbs_nothing() -> None:
    launches = table(
        [
            Launch(start=10, duration=5),
            Launch(start=15, duration=0),
            Launch(start=15, duration=3),
        ]
    )
    assert attributed_durations(launches).tolist() == [5, 0, 3]


def test_untimed_launches_have_no_time_and_those_without_start_keep_theirs() -> None:
    launches = table([Launch(start=None, duration=None), Launch(start=None, duration=7)])
    attributed = attributed_durations(launches)
    assert np.isnan(attributed[0])
    assert attributed[1] == 7


def test_wall_time_is_kernels_copies_and_gaps() -> None:
    parts = split(
        [
            Launch(start=0, duration=10),
            Launch(start=5, duration=10, stream=8),
            Launch(start=12, duration=8, kind="copy", stream=9),
            Launch(start=30, duration=10),
        ],
        [0.5, 0.25, 1.0, 1.0],
        50,
    )
    assert (parts.kernel, parts.copy, parts.gap, parts.wall) == (25, 5, 20, 50)
    # 0-5 half empty, 5-10 a quarter empty, 10-15 three quarters empty, 30-40 full.
    assert parts.wasted == pytest.approx(5 * 0.5 + 5 * 0.25 + 5 * 0.75)


def test_concurrent_grids_that_fill_the_device_together_waste_nothing() -> None:
    parts = split([Launch(), Launch(stream=8)], [0.5, 0.5], 10)
    assert parts.wasted == 0


def test_a_launch_that_waits_for_its_predecessor_on_its_stream_fills_nothing_yet() -> None:
    waiting = [Launch(start=0, duration=20), Launch(start=0, duration=30)]
    # One block for 20 ns, then a full grid for 10: the second waited for 20.
    assert split(waiting, [0.25, 1.0], 30).wasted == 15
    assert split(waiting, [0.25, 1.0], 30).kernel == 30


def test_unknown_fill_claims_no_waste() -> None:
    assert split([Launch()], [float("nan")], 10).wasted == 0


def test_waste_without_communication_leaves_collectives_out() -> None:
    parts = split([Launch()], [0.1], 10, communication=True)
    assert parts.wasted == pytest.approx(9)
    assert parts.wasted_without_communication == 0


def test_overlapped_time_is_the_time_under_other_kernels() -> None:
    launches = table([Launch(start=0, duration=20), Launch(start=15, duration=10, stream=8)])
    timeline = build_timeline(launches, np.ones(2), np.zeros(2, dtype=bool))
    assert overlapped_time(timeline, launches).tolist() == [5, 5]


def test_absolute_nanoseconds_keep_their_last_digit() -> None:
    epoch = 1_790_857_026_000_000_001
    launches = table([Launch(start=epoch, duration=3), Launch(start=epoch + 4, duration=2)])
    timeline = build_timeline(launches, np.ones(2), np.zeros(2, dtype=bool))
    parts = split_time(timeline, np.array([epoch]), np.array([epoch + 6]))
    assert (parts.kernel, parts.gap) == (5, 1)
    assert attributed_durations(launches).tolist() == [3, 2]


launch_lists = st.lists(
    st.builds(
        Launch,
        start=st.integers(0, 1000),
        duration=st.integers(0, 100),
        stream=st.integers(1, 3),
        kind=st.sampled_from(["kernel", "copy"]),
    ),
    min_size=1,
    max_size=30,
)


@given(launch_lists, st.data())
def test_parts_sum_to_the_whole(launches: list[Launch], data: st.DataObject) -> None:
    fills = data.draw(st.lists(st.floats(0, 1), min_size=len(launches), max_size=len(launches)))
    parts = split(launches, fills, 1100)
    assert parts.kernel + parts.copy + parts.gap == pytest.approx(parts.wall)
    assert 0 <= parts.wasted <= parts.kernel + 1e-6
    kernels = sum(launch.duration or 0 for launch in launches if launch.kind == "kernel")
    assert parts.kernel <= kernels + 1e-6
