"""Ranges of the host carried over to kernels."""

from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.launches import schema as s
from geoaudit.sources.kineto.activities import Codes, TimedRange
from geoaudit.sources.kineto.ranges import RangePaths
from tests.unit.sources.kineto.kineto_trace import annotation, call, kernel, read


def paths(launches: pd.DataFrame) -> list[str | None]:
    return [None if pd.isna(path) else str(path) for path in launches[s.RANGES]]


def test_the_ranges_around_the_launch_count_and_not_those_around_the_kernel(tmp_path: Path) -> None:
    launches = read(
        tmp_path,
        annotation("prefill", 0, 100),
        annotation("attention", 10, 20),
        annotation("decode", 100, 50),
        call(ts=15, correlation=1),
        call(ts=50, correlation=2),
        call(ts=120, correlation=3),
        call(ts=160, correlation=4),
        *(kernel(ts=200 + n, correlation=n) for n in (1, 2, 3, 4)),
    ).launches
    assert paths(launches) == ["prefill/attention", "prefill", "decode", None]


def test_instances_of_a_name_are_told_apart(tmp_path: Path) -> None:
    launches = read(
        tmp_path,
        annotation("decode_token", 0, 10),
        annotation("decode_token", 10, 10),
        annotation("decode_token", 20, 10),
        *(call(ts=10 * n + 5, correlation=n) for n in range(3)),
        *(kernel(ts=200 + n, correlation=n) for n in range(3)),
    ).launches
    assert paths(launches) == ["decode_token#0", "decode_token#1", "decode_token#2"]


def test_names_with_a_number_of_their_own_stay(tmp_path: Path) -> None:
    launches = read(
        tmp_path,
        annotation("ProfilerStep#12", 0, 10),
        annotation("ProfilerStep#13", 10, 10),
        annotation("once", 11, 5),
        call(ts=5, correlation=1),
        call(ts=12, correlation=2),
        *(kernel(ts=200 + n, correlation=n) for n in (1, 2)),
    ).launches
    assert paths(launches) == ["ProfilerStep#12", "ProfilerStep#13/once"]


def test_a_range_is_open_up_to_its_end(tmp_path: Path) -> None:
    launches = read(
        tmp_path,
        annotation("a", 0, 10),
        annotation("b", 10, 10),
        *(call(ts=at, correlation=at) for at in (9, 10, 20)),
        *(kernel(ts=200 + at, correlation=at) for at in (9, 10, 20)),
    ).launches
    assert paths(launches) == ["a", "b", None]


def test_a_slash_in_a_name_is_no_separator(tmp_path: Path) -> None:
    launches = read(
        tmp_path, annotation("a/b", 0, 10), call(ts=5, correlation=1), kernel(correlation=1)
    ).launches
    assert paths(launches) == ["a\u2215b"]


def test_ranges_of_other_threads_do_not_count(tmp_path: Path) -> None:
    launches = read(
        tmp_path,
        annotation("decode", 0, 10, tid=1),
        call(ts=5, correlation=1, tid=2),
        kernel(correlation=1),
    ).launches
    assert paths(launches) == [None]


def test_profiler_steps_span_the_threads_of_their_process(tmp_path: Path) -> None:
    launches = read(
        tmp_path,
        annotation("ProfilerStep#1", 0, 100, tid=1),
        annotation("backward", 20, 10, tid=2),
        call(ts=25, correlation=1, tid=2),
        call(ts=50, correlation=2, tid=3),
        call(ts=50, correlation=3, tid=3) | {"pid": 43},
        *(kernel(ts=200 + n, correlation=n) for n in (1, 2, 3)),
    ).launches
    assert paths(launches) == ["ProfilerStep#1/backward", "ProfilerStep#1", None]


def test_a_graph_launch_carries_its_range_to_all_its_kernels(tmp_path: Path) -> None:
    launches = read(
        tmp_path,
        annotation("decode_token", 0, 10),
        call("cudaGraphLaunch", ts=5, correlation=1),
        *(kernel(ts=100 + n, correlation=1) for n in range(3)),
    ).launches
    assert paths(launches) == ["decode_token"] * 3


def test_projected_ranges_serve_kernels_whose_launch_is_missing(tmp_path: Path) -> None:
    projected = annotation("decode_token", 100, 50, pid=0, tid=7) | {"cat": "gpu_user_annotation"}
    launches = read(
        tmp_path,
        annotation("host", 0, 10),
        projected,
        call(ts=20, correlation=1),
        kernel(ts=110, correlation=1),
        kernel(ts=120, correlation=2),
        kernel(ts=120, correlation=3, stream=8),
        kernel(ts=160, correlation=4),
    ).launches
    assert paths(launches) == [None, "decode_token", None, None]


def test_an_untimed_kernel_keeps_the_range_of_its_launch(tmp_path: Path) -> None:
    launches = read(
        tmp_path,
        annotation("decode", 0, 10),
        call(ts=5, correlation=1),
        kernel(ts=0, dur=0, correlation=1),
    ).launches
    assert paths(launches) == ["decode"]


times = st.integers(min_value=0, max_value=60)
intervals = st.lists(
    st.tuples(st.sampled_from("abc"), times, st.integers(min_value=1, max_value=30)), max_size=12
)


@given(intervals, st.lists(times, min_size=1, max_size=20))
def test_a_path_holds_exactly_the_open_ranges(
    given_ranges: list[tuple[str, int, int]], moments: list[int]
) -> None:
    ranges = [
        TimedRange(name=name, thread=(1, 1), start=start, end=start + length)
        for name, start, length in given_ranges
    ]
    codes: Codes[str] = Codes()
    found = RangePaths(ranges, codes).look_up(
        np.zeros(len(moments), dtype=np.int64), np.array(moments, dtype=np.int64), {0: (1, 1)}
    )
    for moment, code in zip(moments, found.tolist(), strict=True):
        path = codes.values[code].split("/") if code >= 0 else []
        expected = sorted(each.name for each in ranges if each.start <= moment < each.end)
        assert sorted(component.partition("#")[0] for component in path) == expected
