from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.launches import schema as s
from geoaudit.launches.ranges import range_paths
from geoaudit.sources.registry import ReadOptions
from geoaudit.sources.sniff import read_profile
from tests.unit.sources.nsys.nsys_export import (
    GLOBAL_PID,
    GLOBAL_TID,
    Row,
    call,
    kernel,
    nvtx,
    write_launches,
)


def paths_of(tmp_path: Path, calls: list[int], ranges: Sequence[Row]) -> list[str]:
    kernels = [kernel(start=10_000 + n, end=10_001 + n, correlationId=n) for n in range(len(calls))]
    runtime = [call(start=time, correlationId=n) for n, time in enumerate(calls)]
    write_launches(
        tmp_path / "profile.sqlite",
        *kernels,
        CUPTI_ACTIVITY_KIND_RUNTIME=runtime,
        NVTX_EVENTS=ranges,
    )
    launches = read_profile(tmp_path / "profile.sqlite", ReadOptions()).launches
    return ["-" if pd.isna(path) else str(path) for path in launches[s.RANGES]]


def test_a_launch_is_in_the_ranges_around_its_call_outermost_first(tmp_path: Path) -> None:
    ranges = [nvtx("layer", 200, 400), nvtx("token", 100, 900), nvtx("attention", 250, 300)]
    assert paths_of(tmp_path, [50, 150, 260, 350, 950], ranges) == [
        "-",
        "token",
        "token/layer/attention",
        "token/layer",
        "-",
    ]


def test_the_time_of_the_call_counts_not_that_of_the_kernel(tmp_path: Path) -> None:
    assert paths_of(tmp_path, [150], [nvtx("enqueue", 100, 200)]) == ["enqueue"]


def test_repeated_names_are_numbered_in_order_of_time(tmp_path: Path) -> None:
    ranges = [nvtx("token", 300, 400), nvtx("token", 100, 200), nvtx("all", 0, 900)]
    assert paths_of(tmp_path, [150, 350], ranges) == ["all/token#0", "all/token#1"]


def test_a_name_with_a_number_of_its_own_keeps_it(tmp_path: Path) -> None:
    ranges = [nvtx("ProfilerStep#7", 100, 200), nvtx("ProfilerStep#7", 300, 400)]
    assert paths_of(tmp_path, [150, 350], ranges) == ["ProfilerStep#7", "ProfilerStep#7"]


def test_a_slash_in_a_name_is_no_separator(tmp_path: Path) -> None:
    assert paths_of(tmp_path, [150], [nvtx("a/b", 100, 200)]) == ["a\u2215b"]


def test_a_domain_stands_before_a_colon(tmp_path: Path) -> None:
    domain = nvtx("NCCL", 0, None, eventType=75, domainId=4)
    ranges = [domain, nvtx("allreduce", 100, 200, domainId=4), nvtx("token", 50, 300)]
    assert paths_of(tmp_path, [150], ranges) == ["token/NCCL:allreduce"]


def test_registered_names_and_start_end_ranges(tmp_path: Path) -> None:
    ranges = [nvtx(None, 100, 200, textId=5), nvtx("process", 50, 300, eventType=60)]
    assert paths_of(tmp_path, [150], ranges) == ["process/registered range"]


def test_ranges_that_do_not_nest_end_where_they_end(tmp_path: Path) -> None:
    ranges = [nvtx("first", 100, 200, eventType=60), nvtx("second", 150, 300, eventType=60)]
    assert paths_of(tmp_path, [120, 180, 250], ranges) == ["first", "first/second", "second"]


def test_marks_are_no_ranges_and_an_open_range_lasts(tmp_path: Path) -> None:
    ranges = [nvtx("mark", 140, None, eventType=34), nvtx("open", 100, None)]
    assert paths_of(tmp_path, [150, 10**15], ranges) == ["open", "open"]


def test_a_range_of_another_thread_does_not_count(tmp_path: Path) -> None:
    ranges = [nvtx("elsewhere", 100, 200, globalTid=GLOBAL_TID + 1), nvtx("here", 100, 200)]
    assert paths_of(tmp_path, [150], ranges) == ["here"]


def test_correlation_identifiers_count_within_their_process(tmp_path: Path) -> None:
    other = (GLOBAL_PID >> 24) + 1 << 24
    write_launches(
        tmp_path / "p.sqlite",
        kernel(correlationId=1),
        kernel(correlationId=1, globalPid=other, start=5000, end=5001),
        CUPTI_ACTIVITY_KIND_RUNTIME=[
            call(correlationId=1, start=150),
            call(correlationId=1, start=150, globalTid=other | 9),
        ],
        NVTX_EVENTS=[nvtx("one", 100, 200), nvtx("two", 100, 200, globalTid=other | 9)],
    )
    launches = read_profile(tmp_path / "p.sqlite", ReadOptions()).launches
    assert launches[s.RANGES].tolist() == ["one", "two"]


def test_launches_of_a_graph_share_the_range_of_its_launch(tmp_path: Path) -> None:
    write_launches(
        tmp_path / "p.sqlite",
        kernel(graphId=1, graphNodeId=1),
        kernel(graphId=1, graphNodeId=2, start=4000, end=5000),
        CUPTI_ACTIVITY_KIND_RUNTIME=[call(nameId=4, start=150)],
        NVTX_EVENTS=[nvtx("replay", 100, 200)],
    )
    launches = read_profile(tmp_path / "p.sqlite", ReadOptions()).launches
    assert launches[s.RANGES].tolist() == ["replay", "replay"]


def test_launches_without_a_call_are_counted(tmp_path: Path) -> None:
    write_launches(
        tmp_path / "p.sqlite",
        kernel(),
        kernel(correlationId=7, start=5000, end=6000),
        CUPTI_ACTIVITY_KIND_RUNTIME=[call(start=150)],
        NVTX_EVENTS=[nvtx("token", 100, 200)],
    )
    recording = read_profile(tmp_path / "p.sqlite", ReadOptions())
    assert recording.launches[s.RANGES].isna().tolist() == [False, True]
    assert any(
        "1 of 2 launches and copies have no API call" in w for w in recording.metadata.warnings
    )


@given(
    spans=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12),
    times=st.lists(st.integers(0, 50), min_size=1, max_size=12),
)
def test_paths_equal_the_ranges_open_at_the_time(
    spans: list[tuple[int, int]], times: list[int]
) -> None:
    ranges = pd.DataFrame(
        {
            "thread": np.ones(len(spans), dtype=np.int64),
            "start": np.array([start for start, _ in spans], dtype=np.int64),
            "end": np.array([start + length for start, length in spans], dtype=np.int64),
            "label": [f"r{n}" for n in range(len(spans))],
        }
    )
    found = range_paths(ranges, np.ones(len(times), dtype=np.int64), np.array(times))
    for time, path in zip(times, found, strict=True):
        expected = {
            f"r{n}" for n, (start, length) in enumerate(spans) if start <= time < start + length
        }
        assert set((path or "").split("/")) - {""} == expected
