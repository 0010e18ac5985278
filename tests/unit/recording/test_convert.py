"""From streams to launches tables: times, geometry, ranges, graphs, and what is said of them."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.recording import stream as layout
from geoaudit.recording.convert import recording_of
from geoaudit.recording.stream import read_stream
from tests.recorder.writer import (
    END,
    POINT,
    START,
    device,
    kernels,
    names_block,
    records,
    records_block,
    status,
    stream_of,
)

FIXTURES = Path(__file__).parents[2] / "fixtures"
BEGIN = 1_795_967_168_000_000_000
NAMES = {1: "gemv", 2: "token", 3: "layer", 4: "decode", 5: "a/b"}


def _recording(folder: Path, *blocks: bytes, **header: object) -> Recording:
    return recording_of(stream_of(folder, names_block(NAMES), *blocks, **header), "engine")


def _launched(times: Mapping[int, tuple[int, int]]) -> tuple[bytes, bytes]:
    """Launches and their kernels: correlation -> thread and time of the call."""
    launches = [
        {"timestamp_ns": BEGIN + time, "correlation_id": number, "thread": thread}
        for number, (thread, time) in times.items()
    ]
    made = [{"correlation_id": n, "start_ns": BEGIN + n, "end_ns": BEGIN + n + 9} for n in times]
    return (
        records_block("launches", records(layout.LAUNCH, launches)),
        records_block("kernels", kernels(*made)),
    )


def _markers(*rows: tuple[int, int, int, int, int]) -> bytes:
    """Markers: flags, marker, thread, time, name."""
    return records_block(
        "markers",
        records(
            layout.MARKER,
            [
                {"flags": flags, "marker_id": marker, "thread": thread, "name_id": name,
                 "timestamp_ns": BEGIN + time}
                for flags, marker, thread, time, name in rows
            ],
        ),
    )  # fmt: skip


def _ranges(recording: Recording) -> list[str | None]:
    return [path if isinstance(path, str) else None for path in recording.launches[s.RANGES]]


def test_a_kernel_keeps_all_that_was_recorded(tmp_path: Path) -> None:
    row = {
        "cluster": (4, 1, 1), "static_shared_bytes": 1024, "dynamic_shared_bytes": 2048,
        "shared_config_bytes": 32768, "max_active_clusters": 16, "graph_id": 3,
        "graph_node_id": 12884901889, "correlation_id": 77,
    }  # fmt: skip
    recording = _recording(
        tmp_path, records_block("kernels", kernels(row)), records_block("devices", device())
    )
    (launch,) = recording.launches.to_dict("records")
    assert (launch[s.KIND], launch[s.KERNEL]) == (s.KIND_KERNEL, "gemv")
    assert (launch[s.START_NS], launch[s.DURATION_NS]) == (BEGIN, 2000)
    assert [launch[name] for name in (*s.GRID, *s.BLOCK, *s.CLUSTER)] == [
        *(12, 1, 1),
        *(128, 1, 1),
        *(4, 1, 1),
    ]
    assert launch[s.REGISTERS_PER_THREAD] == 32
    assert [launch[n] for n in (s.STATIC_SHARED_BYTES, s.DYNAMIC_SHARED_BYTES)] == [1024, 2048]
    assert (launch[s.SHARED_CONFIG_BYTES], launch[s.MAX_ACTIVE_CLUSTERS]) == (32768, 16)
    assert (launch[s.GRAPH_ID], launch[s.GRAPH_NODE_ID]) == (3, 12884901889)
    assert (launch[s.CORRELATION_ID], launch[s.PROCESS]) == (77, 4242)
    (described,) = recording.metadata.devices
    assert (described.name, described.architecture, described.sm_count) == (
        "NVIDIA H200",
        "9.0",
        132,
    )


def test_what_was_not_recorded_is_null(tmp_path: Path) -> None:
    recording = _recording(tmp_path, records_block("kernels", kernels({"name_id": 0})))
    launch = recording.launches.iloc[0]
    nulls = (s.GRAPH_ID, s.GRAPH_NODE_ID, s.RANK, s.RANGES, s.COPY_BYTES, s.MAX_ACTIVE_CLUSTERS)
    assert recording.launches[list(nulls)].isna().all(axis=None)
    assert [launch[name] for name in s.CLUSTER] == [1, 1, 1]
    assert launch[s.KERNEL] == "(unnamed kernel)"


def test_copies_and_sets_are_rows_without_geometry(tmp_path: Path) -> None:
    rows = [
        {"start_ns": BEGIN, "end_ns": BEGIN + 5, "bytes": 4096, "copy_kind": 1},
        {"start_ns": BEGIN + 9, "end_ns": BEGIN + 11, "bytes": 512, "is_set": 1},
        {"start_ns": BEGIN + 20, "end_ns": BEGIN + 21, "bytes": 1, "copy_kind": 99},
    ]
    recording = _recording(tmp_path, records_block("copies", records(layout.COPY, rows)))
    launches = recording.launches
    assert launches[s.KIND].tolist() == [s.KIND_COPY, s.KIND_SET, s.KIND_COPY]
    assert launches[s.KERNEL].tolist() == ["Memcpy HtoD", "Memset", "Memcpy"]
    assert launches[s.COPY_BYTES].tolist() == [4096, 512, 1]
    assert launches[[*s.GRID, s.REGISTERS_PER_THREAD]].isna().all(axis=None)


def test_rows_are_in_order_of_start(tmp_path: Path) -> None:
    late = kernels({"start_ns": BEGIN + 50, "end_ns": BEGIN + 60}, {"start_ns": BEGIN})
    copy = records(layout.COPY, [{"start_ns": BEGIN + 20, "end_ns": BEGIN + 21}])
    recording = _recording(tmp_path, records_block("kernels", late), records_block("copies", copy))
    assert (recording.launches[s.START_NS] - BEGIN).tolist() == [0, 20, 50]


def test_nested_ranges_join_from_the_outermost(tmp_path: Path) -> None:
    recording = _recording(
        tmp_path,
        _markers(
            (START, 1, 9, 10, 2), (START, 2, 9, 20, 3), (END, 2, 9, 30, 0), (END, 1, 9, 40, 0)
        ),
        *_launched({1: (9, 5), 2: (9, 15), 3: (9, 25), 4: (9, 35), 5: (9, 45)}),
    )
    assert _ranges(recording) == [None, "token", "token/layer", "token", None]


def test_ranges_are_those_of_the_thread_that_launched(tmp_path: Path) -> None:
    recording = _recording(
        tmp_path,
        _markers((START, 1, 9, 0, 2), (START, 2, 8, 0, 3), (END, 1, 9, 99, 0), (END, 2, 8, 99, 0)),
        *_launched({1: (9, 10), 2: (8, 10), 3: (7, 10)}),
    )
    assert _ranges(recording) == ["token", "layer", None]


def test_a_range_that_never_ends_is_open_to_the_last_launch(tmp_path: Path) -> None:
    recording = _recording(
        tmp_path,
        _markers((START, 1, 9, 10, 2)),
        *_launched({1: (9, 5), 2: (9, 15), 3: (9, 10**12)}),
    )
    assert _ranges(recording) == [None, "token", "token"]


def test_an_open_range_blurs_no_end_of_another(tmp_path: Path) -> None:
    # 1e18 ns do not fit a double to the nanosecond: 64 is less than its last digit there.
    recording = _recording(
        tmp_path,
        _markers((START, 1, 9, 0, 2), (START, 2, 9, 10, 3), (END, 2, 9, 74, 0)),
        *_launched({1: (9, 73), 2: (9, 74), 3: (9, 130)}),
    )
    assert _ranges(recording) == ["token/layer", "token", "token"]


def test_an_end_without_its_start_and_a_point_open_nothing(tmp_path: Path) -> None:
    recording = _recording(
        tmp_path,
        _markers((END, 5, 9, 0, 0), (POINT, 6, 9, 1, 2)),
        *_launched({1: (9, 5)}),
    )
    assert _ranges(recording) == [None]


def test_domains_stand_before_a_colon_and_slashes_in_names_divide_nothing(tmp_path: Path) -> None:
    marker = {"flags": START, "marker_id": 1, "thread": 9, "name_id": 5, "domain_id": 4}
    block = records_block("markers", records(layout.MARKER, [marker]))
    recording = _recording(tmp_path, block, *_launched({1: (9, 5)}))
    assert _ranges(recording) == ["decode:a\u2215b"]


def test_all_nodes_of_a_graph_are_in_the_range_that_launched_it(tmp_path: Path) -> None:
    nodes = [{"correlation_id": 1, "graph_id": 3, "graph_node_id": node} for node in (1, 2, 3)]
    launches, _ = _launched({1: (9, 5)})
    recording = _recording(
        tmp_path,
        _markers((START, 1, 9, 0, 2), (END, 1, 9, 9, 0)),
        launches,
        records_block("kernels", kernels(*nodes)),
    )
    assert _ranges(recording) == ["token"] * 3
    assert recording.launches[s.GRAPH_NODE_ID].tolist() == [1, 2, 3]


def test_a_launch_that_was_not_seen_is_in_no_range(tmp_path: Path) -> None:
    recording = _recording(
        tmp_path,
        _markers((START, 1, 9, 0, 2)),
        *_launched({1: (9, 5)}),
        records_block("kernels", kernels({"correlation_id": 2})),
    )
    assert sorted(_ranges(recording), key=str) == [None, "token"]


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30)), max_size=8),
    st.lists(st.integers(0, 100), min_size=1, max_size=12),
    st.booleans(),
)
def test_a_launch_is_in_a_range_while_that_is_open(
    tmp_path_factory: pytest.TempPathFactory,
    spans: list[tuple[int, int]],
    times: list[int],
    last_is_open: bool,
) -> None:
    rows = []
    for number, (start, length) in enumerate(spans):
        rows.append((START, number + 1, 9, start, 2))
        if not (last_is_open and number == len(spans) - 1):
            rows.append((END, number + 1, 9, start + length, 0))
    recording = _recording(
        tmp_path_factory.mktemp("s"),
        _markers(*rows),
        *_launched({number + 1: (9, time) for number, time in enumerate(times)}),
    )
    for path, time in zip(_ranges(recording), times, strict=True):
        ends = [start + length for start, length in spans]
        if last_is_open and ends:
            ends[-1] = 10**9
        is_open = sum(start <= time < end for (start, _), end in zip(spans, ends, strict=True))
        assert (0 if path is None else path.count("token")) == is_open


def test_times_that_cannot_be_are_untimed(tmp_path: Path) -> None:
    rows = kernels(
        {"start_ns": 0, "end_ns": 0},
        {"start_ns": BEGIN + 9, "end_ns": BEGIN},
        {"start_ns": BEGIN, "end_ns": BEGIN},
        {"start_ns": 2**63 + 5, "end_ns": 2**64 - 1},
    )
    recording = _recording(tmp_path, records_block("kernels", rows))
    durations = recording.launches[s.DURATION_NS]
    assert sorted(durations.dropna().tolist()) == [0]
    assert durations.isna().sum() == 3
    assert any("1 records end before they start" in text for text in recording.metadata.warnings)


def test_geometry_that_cannot_be_is_unknown(tmp_path: Path) -> None:
    rows = kernels({"grid": (0, 1, 1)}, {"block": (2048, 1, 1)}, {})
    recording = _recording(tmp_path, records_block("kernels", rows))
    assert recording.launches[s.GRID_X].isna().sum() == 2
    assert any("2 launches have a grid" in text for text in recording.metadata.warnings)


def test_coverage_counts_launch_calls_and_graph_nodes(tmp_path: Path) -> None:
    rows = [{"correlation_id": 1}, {"correlation_id": 2}] + [
        {"correlation_id": 3, "graph_id": 1, "graph_node_id": node} for node in (1, 2, 3)
    ]
    counts = status(launches_seen=4, graph_launches_seen=1, dropped_records=2)
    recording = _recording(
        tmp_path, records_block("kernels", kernels(*rows)), records_block("status", counts)
    )
    assert (recording.metadata.launches_seen, len(recording.launches)) == (4 + 3, 5)
    assert recording.metadata.dropped == 2
    assert not recording.metadata.partial


def test_untimed_kernels_are_counted(tmp_path: Path) -> None:
    rows = kernels({"start_ns": 0, "end_ns": 0}, {})
    recording = _recording(
        tmp_path, records_block("kernels", rows), records_block("status", status(launches_seen=2))
    )
    assert recording.metadata.untimed == 1


@pytest.mark.parametrize(
    ("blocks", "says"),
    [
        ([records_block("status", status(finished=0))], "did not end by exit"),
        ([records_block("status", status()), b"GBLK"], "the file ends inside a block header"),
    ],
)
def test_a_recording_without_its_end_is_partial_and_says_so(
    tmp_path: Path, blocks: list[bytes], says: str
) -> None:
    recording = _recording(tmp_path, records_block("kernels", kernels({})), *blocks)
    assert recording.metadata.partial
    assert any(says in text for text in recording.metadata.warnings)


def test_rank_process_and_versions(tmp_path: Path) -> None:
    recording = _recording(
        tmp_path, records_block("kernels", kernels({})), rank=3, driver_version=13010
    )
    assert recording.launches[s.RANK].tolist() == [3]
    assert recording.metadata.environment["cuda_driver"] == "13.1"
    assert recording.metadata.environment["cupti"] == "130001"
    assert (recording.metadata.instrument, recording.metadata.source_name) == ("cupti", "engine")


def test_a_device_told_twice_is_one_device(tmp_path: Path) -> None:
    twice = np.concatenate([device(), device(), device(device=1, name=b"")])
    recording = _recording(
        tmp_path, records_block("kernels", kernels({})), records_block("devices", twice)
    )
    assert [(d.index, d.name) for d in recording.metadata.devices] == [
        (0, "NVIDIA H200"),
        (1, None),
    ]


def test_a_stream_without_kernels_makes_an_empty_table(tmp_path: Path) -> None:
    recording = _recording(tmp_path, records_block("status", status()))
    assert len(recording.launches) == 0


def test_a_recording_made_on_an_h200() -> None:
    """tests/gpu/targets/layers.py: 20 ranges with two matrix products and a norm, after set-up."""
    stream = read_stream(FIXTURES / "recorder_h200_torch.geoaudit")
    assert (stream.program, stream.cupti_version, stream.cut) == ("python3", 130001, None)
    recording = recording_of(stream, "python3")
    launches, metadata = recording.launches, recording.metadata
    assert len(launches) == 65
    ranged = launches[launches[s.RANGES].notna()]
    shape = [s.GRID_X, s.GRID_Y, s.GRID_Z, s.BLOCK_X, s.BLOCK_Y]
    assert ranged.groupby(shape).size().to_dict() == {
        (8, 8, 1, 384, 1): 40,
        (64, 1, 1, 32, 4): 20,
    }
    assert ranged.groupby(s.RANGES, observed=True).size().to_dict() == {
        f"layer {layer}": 3 for layer in range(20)
    }
    assert launches[s.OWNER].value_counts()[["cublas", "torch"]].tolist() == [40, 25]
    assert launches[s.DURATION_NS].between(500, 100_000).all()
    assert (metadata.launches_seen, metadata.dropped, metadata.untimed) == (65, 0, 0)
    assert not metadata.partial
    (described,) = metadata.devices
    assert (described.name, described.sm_count, described.architecture) == (
        "NVIDIA H200",
        132,
        "9.0",
    )
