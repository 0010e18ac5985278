"""Launches, times and devices of CUDA traces."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from geoaudit.errors import SchemaError
from geoaudit.launches import schema as s
from geoaudit.launches.table import validate
from geoaudit.sources.kineto import SOURCE
from geoaudit.sources.registry import ReadOptions
from tests.unit.sources.kineto.kineto_trace import (
    H200,
    annotation,
    call,
    kernel,
    read,
    read_bytes,
    trace,
)


def test_a_kernel_keeps_all_the_trace_tells(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        kernel(
            "_Z3addPfS_",
            ts=5103060087253.272,
            dur=2.592,
            correlation=20,
            registers_per_thread=32,
            shared_memory=49664,
            grid=[256, 2, 1],
            block=[64, 4, 1],
            graph_id=3,
            graph_node_id=21474836481,
        ),
        call(correlation=20),
    )
    (row,) = recording.launches.to_dict("records")
    expected = {
        s.KIND: "kernel",
        s.KERNEL: "add(float*, float*)",
        s.KERNEL_SHORT: "add",
        s.START_NS: 5103060087253272,
        s.DURATION_NS: 2592,
        s.DEVICE: 0,
        s.CONTEXT: 1,
        s.STREAM: 7,
        s.PROCESS: 42,
        s.CORRELATION_ID: 20,
        s.REGISTERS_PER_THREAD: 32,
        s.SHARED_BYTES: 49664,
        s.GRAPH_ID: 3,
        s.GRAPH_NODE_ID: 21474836481,
        **{s.GRID_X: 256, s.GRID_Y: 2, s.GRID_Z: 1},
        **{s.BLOCK_X: 64, s.BLOCK_Y: 4, s.BLOCK_Z: 1},
    }
    assert {name: row[name] for name in expected} == expected
    unknown = (*s.CLUSTER, s.STATIC_SHARED_BYTES, s.DYNAMIC_SHARED_BYTES, s.RANK, s.TOKEN)
    assert all(pd.isna(row[name]) for name in unknown)
    validate(recording.launches)


def test_metadata_names_instrument_device_and_versions(tmp_path: Path) -> None:
    metadata = read(
        tmp_path,
        kernel(),
        cupti_version=130001,
        cuda_driver_version=13000,
        cuda_runtime_version="12.9",
        distributedInfo={"backend": "nccl", "rank": 3, "world_size": 8},
    ).metadata
    assert (metadata.instrument, metadata.source_format) == ("kineto", "kineto")
    assert metadata.source_name == "trace.json"
    assert metadata.environment == {
        "cupti_version": "130001",
        "cuda_driver_version": "13000",
        "cuda_runtime_version": "12.9",
    }
    assert metadata.dropped is None
    (device,) = metadata.devices
    assert (device.name, device.architecture, device.sm_count) == ("NVIDIA H200", "9.0", 132)
    assert device.sm_count_source == "deviceProperties.numSms"
    assert device.max_threads_per_sm == 2048
    assert device.registers_per_sm == 65536
    assert device.shared_bytes_per_sm == 233472
    assert device.shared_bytes_per_block_optin == 232448
    assert device.threads_per_warp == 32


def test_rank_of_a_distributed_run(tmp_path: Path) -> None:
    launches = read(tmp_path, kernel(), distributedInfo={"rank": 3}).launches
    assert launches[s.RANK].tolist() == [3]


@pytest.mark.parametrize("wrap", [bytes, gzip.compress, lambda data: gzip.compress(data) + b"\0\0"])
def test_gzip_is_found_by_content(tmp_path: Path, wrap: Callable[[bytes], bytes]) -> None:
    assert len(read_bytes(tmp_path, wrap(trace(kernel()))).launches) == 1


def test_gzip_members_follow_each_other(tmp_path: Path) -> None:
    data = trace(kernel(), kernel())
    recording = read_bytes(tmp_path, gzip.compress(data[:100]) + gzip.compress(data[100:]))
    assert len(recording.launches) == 2
    assert recording.metadata.warnings == ()


def test_bytes_after_the_gzip_data_are_told(tmp_path: Path) -> None:
    recording = read_bytes(tmp_path, gzip.compress(trace(kernel())) + b"garbage")
    assert recording.metadata.warnings == ("7 bytes after the end of the gzip data were ignored.",)


def test_a_bare_list_of_events(tmp_path: Path) -> None:
    recording = read_bytes(tmp_path, b"\xef\xbb\xbf " + json.dumps([kernel()]).encode())
    assert len(recording.launches) == 1
    assert recording.metadata.devices[0].sm_count is None


@pytest.mark.parametrize(
    ("category", "kind"),
    [
        *[("Kernel", "kernel"), ("kernel", "kernel"), ("Memcpy", "copy"), ("gpu_memcpy", "copy")],
        *[("Memset", "set"), ("gpu_memset", "set")],
    ],
)
def test_categories_of_all_years(tmp_path: Path, category: str, kind: str) -> None:
    copy = kernel("Memcpy DtoD", ts=20, bytes=4096) | {"cat": category}
    launches = read(tmp_path, kernel(), copy).launches
    assert launches[s.KIND].tolist() == ["kernel", kind]
    if kind != "kernel":
        assert launches[s.KERNEL].tolist()[1] == "Memcpy DtoD"
        assert launches[s.COPY_BYTES].tolist()[1] == 4096
        assert pd.isna(launches.loc[1, s.GRID_X])


def test_a_trace_of_2021(tmp_path: Path) -> None:
    old = {
        **{"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7"},
        **{"ts": 1610366662254562, "dur": 397},
        "args": {
            **{"queued": 0, "device": 0, "context": 1, "correlation": 31255, "external id": 0},
            **{"registers per thread": 80, "shared memory": 6400, "warps per SM": 51.2},
            **{"grid": [2, 4, 64], "block": [8, 32, 1]},
        },
    }
    launch = call(correlation=31255, ts=1610366662254000) | {"cat": "Runtime", "tid": "1890023232"}
    recording = read_bytes(tmp_path, json.dumps({"traceEvents": [old, launch]}).encode())
    row = recording.launches.iloc[0]
    assert row[s.START_NS] == 1610366662254562000
    assert row[s.STREAM] == 7
    assert row[s.PROCESS] == 42
    (device,) = recording.metadata.devices
    assert device.sm_count == 80
    assert device.sm_count_source == 'warps / "warps per SM" of most kernels'


def test_blocks_per_sm_give_the_sm_count_where_no_properties_do(tmp_path: Path) -> None:
    kernels = [
        kernel(ts=1, grid=[256, 1, 1], blocks_per_SM=1.939394),
        kernel(ts=2, grid=[132, 1, 1], blocks_per_SM=1.0),
        kernel(ts=3, grid=[100, 1, 1], blocks_per_SM=50.0),
        kernel(ts=4, grid=[100, 1, 1], blocks_per_SM=0),
    ]
    (device,) = read(tmp_path, *kernels, devices=[]).metadata.devices
    assert device.sm_count == 132
    assert device.sm_count_source == 'grid / "blocks per SM" of most kernels'


def test_an_sm_count_of_the_properties_wins_over_the_name(tmp_path: Path) -> None:
    # Under MPS with a share of the threads a process sees fewer SMs than the part has.
    limited = H200 | {"name": "Tesla T4", "numSms": 4}
    (device,) = read(tmp_path, kernel(), devices=[limited]).metadata.devices
    assert (device.name, device.sm_count) == ("Tesla T4", 4)


def test_compute_properties_is_the_older_name(tmp_path: Path) -> None:
    data = json.dumps({"computeProperties": [H200], "traceEvents": [kernel()]}).encode()
    assert read_bytes(tmp_path, data).metadata.devices[0].sm_count == 132


def test_only_devices_with_kernels_are_listed(tmp_path: Path) -> None:
    devices = [H200, H200 | {"id": 1}, H200 | {"id": 2}]
    recording = read(tmp_path, kernel(device=2), devices=devices)
    assert [device.index for device in recording.metadata.devices] == [2]


def test_the_process_column_of_an_event_gives_the_device_where_args_do_not(tmp_path: Path) -> None:
    launches = read(tmp_path, kernel(device=None) | {"pid": 5}).launches
    assert launches[s.DEVICE].tolist() == [5]


def test_lost_time_stamps_are_untimed_and_not_in_1970(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        kernel(ts=1661938466265584, dur=5),
        kernel(ts=0, dur=0),
        kernel(ts=1661938466265600, dur=7),
    )
    starts, durations = recording.launches[s.START_NS], recording.launches[s.DURATION_NS]
    assert recording.metadata.untimed == 1
    assert starts.isna().sum() == durations.isna().sum() == 1
    assert starts.min() == 1661938466265584000
    assert recording.launches[s.GRID_X].tolist() == [12, 12, 12]


def test_a_duration_of_zero_is_kept_where_the_time_is_real(tmp_path: Path) -> None:
    recording = read(tmp_path, kernel(ts=10, dur=5), kernel(ts=15, dur=0), kernel(ts=15, dur=3))
    assert recording.launches[s.DURATION_NS].tolist() == [5000, 0, 3000]
    assert recording.metadata.untimed == 0


def test_a_negative_duration_is_untimed_with_a_warning(tmp_path: Path) -> None:
    recording = read(tmp_path, kernel(), kernel(ts=20, dur=-3))
    assert recording.metadata.untimed == 1
    assert recording.launches[s.DURATION_NS].isna().tolist() == [False, True]
    assert recording.metadata.warnings == ("1 records end before they start: counted as untimed.",)


@pytest.mark.parametrize("time", ["1e999", "1e9999999", "-1e300", "null", "9e18"])
def test_times_out_of_range_are_untimed(tmp_path: Path, time: str) -> None:
    data = trace(kernel(), kernel(ts=77)).replace(b'"ts": 77', b'"ts": ' + time.encode())
    recording = read_bytes(tmp_path, data)
    assert recording.metadata.untimed == 1
    assert recording.launches[s.START_NS].isna().sum() == 1


@pytest.mark.parametrize("unit", ["ns", "ms"])
def test_display_time_unit_changes_nothing(tmp_path: Path, unit: str) -> None:
    launches = read(tmp_path, kernel(ts=10, dur=5), displayTimeUnit=unit).launches
    assert (launches.loc[0, s.START_NS], launches.loc[0, s.DURATION_NS]) == (10000, 5000)


def test_overlapping_kernels_of_one_stream_are_both_kept(tmp_path: Path) -> None:
    launches = read(tmp_path, kernel("a", ts=0, dur=20), kernel("b", ts=18, dur=12)).launches
    assert launches[s.START_NS].tolist() == [0, 18000]
    assert launches[s.DURATION_NS].tolist() == [20000, 12000]


@pytest.mark.parametrize(
    "grid",
    [[0, 1, 1], [-2147483648, 1, 1], [4294967296, 1, 1], [1, 65536, 1], [1, 1], [], [1] * 6],
)
def test_an_impossible_grid_is_unknown_and_counted(tmp_path: Path, grid: list[int]) -> None:
    recording = read(tmp_path, kernel(), kernel(ts=20, grid=grid))
    assert recording.launches[s.GRID_X].isna().tolist() == [False, True]
    assert recording.launches[s.BLOCK_X].isna().tolist() == [False, True]
    (warning,) = recording.metadata.warnings
    assert warning.startswith("1 launches have a grid or block that no launch can have")


@pytest.mark.parametrize("block", [[0, 1, 1], [1024, 2, 1], [-1, 1, 1]])
def test_an_impossible_block_is_unknown_and_counted(tmp_path: Path, block: list[int]) -> None:
    recording = read(tmp_path, kernel(block=block))
    assert recording.launches[s.GRID_X].isna().all()
    assert len(recording.metadata.warnings) == 1


def test_a_grid_product_beyond_32_bits_is_kept(tmp_path: Path) -> None:
    launches = read(tmp_path, kernel(grid=[2147483647, 65535, 1])).launches
    assert [launches.loc[0, name] for name in s.GRID] == [2147483647, 65535, 1]


def test_graph_replays_share_a_call_and_keep_their_grids(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        call("cudaGraphLaunch", correlation=9),
        *(kernel(ts=10 * n, correlation=9, grid=[n, 1, 1]) for n in (1, 2, 3)),
    )
    assert recording.launches[s.GRID_X].tolist() == [1, 2, 3]
    assert recording.launches[s.PROCESS].tolist() == [42, 42, 42]
    assert recording.metadata.launches_seen == 3


def test_graph_identifiers_of_zero_mean_no_graph(tmp_path: Path) -> None:
    launches = read(tmp_path, kernel(graph_id=0, graph_node_id=0)).launches
    assert launches[s.GRAPH_ID].isna().all()
    assert launches[s.GRAPH_NODE_ID].isna().all()


def test_launches_without_a_record_are_seen(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        *(call(correlation=n) for n in (1, 2, 3)),
        call("cudaLaunchHostFunc", correlation=4),
        call("cudaStreamSynchronize", correlation=5),
        kernel(correlation=2),
    )
    assert recording.metadata.launches_seen == 3


def test_ids_of_several_processes_join_nothing(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        call(correlation=1),
        call(correlation=1) | {"pid": 43},
        call(correlation=2),
        kernel(correlation=1),
        kernel(ts=20, correlation=2),
    )
    assert recording.launches[s.PROCESS].isna().tolist() == [True, False]


def test_of_calls_that_share_an_id_the_launch_wins(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        annotation("early", 0, 10),
        annotation("late", 10, 10),
        call("cudaGetDevice", ts=5, correlation=1),
        call("cudaLaunchKernel", ts=12, correlation=1),
        call("cuLaunchKernel", ts=13, correlation=1),
        kernel(correlation=1),
    )
    assert recording.launches[s.RANGES].tolist() == ["late"]
    assert recording.metadata.launches_seen == 1


def test_a_trace_of_kernels_alone_needs_no_calls(tmp_path: Path) -> None:
    recording = read(tmp_path, kernel(correlation=1), kernel(ts=20, correlation=2))
    assert recording.metadata.launches_seen is None
    assert recording.launches[s.RANGES].isna().all()
    assert recording.launches[s.RANK].isna().all()


def test_occupancy_of_the_profiler_is_never_read(tmp_path: Path) -> None:
    plain = read(tmp_path, kernel()).launches
    args = {"est. achieved occupancy %": -100, "occupancy": {"activeBlocksPerMultiprocessor": 32}}
    event = kernel()
    event["args"] |= args
    pd.testing.assert_frame_equal(read(tmp_path, event).launches, plain)


def test_long_and_hostile_names_are_kept(tmp_path: Path) -> None:
    names = ["k" * 5000, "\x1b[31mred</td><script>", '<b>"quoted"</b>']
    events = [kernel(name, ts=10 * at) for at, name in enumerate(names)]
    assert read(tmp_path, *events).launches[s.KERNEL].tolist() == names


def test_a_kernel_without_a_name_is_named_so(tmp_path: Path) -> None:
    event = kernel()
    del event["name"]
    assert read(tmp_path, event).launches[s.KERNEL].tolist() == ["(unnamed kernel)"]


def test_host_and_user_names_are_not_carried_over(tmp_path: Path) -> None:
    planted = "SECRETTOKEN"
    event = kernel(correlation=1, planted=planted)
    event["args"]["stream owner"] = planted
    recording = read(
        tmp_path,
        {"ph": "M", "name": "process_name", "pid": 42, "args": {"name": planted}},
        {"ph": "X", "cat": "cpu_op", "name": planted, "pid": planted, "ts": 1, "dur": 1},
        {"ph": "X", "cat": "python_function", "name": f"/home/{planted}/x.py", "ts": 1, "dur": 1},
        call(correlation=1, path=planted) | {"pid": planted},
        event,
        cuda_driver_version=planted,
        hostname=planted,
        user=planted,
        traceName=f"/home/{planted}/trace.json",
        distributedInfo={"rank": 0, "host": planted},
        environment={"HF_TOKEN": planted},
    )
    assert planted not in repr(recording.metadata)
    frame = recording.launches
    texts = [
        frame.to_csv(),
        *(
            repr(frame[name].cat.categories.tolist())
            for name in frame
            if str(frame[name].dtype) == "category"
        ),
    ]
    assert not any(planted in text for text in texts)


def test_progress_rises_to_one(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(trace(kernel()))
    shares: list[float] = []
    SOURCE.read(path, ReadOptions(progress=shares.append))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"schemaVersion": 1, "deviceProperties": [', True),
        (b' \n{"traceEvents":[', True),
        (b'\xef\xbb\xbf[{"ph": "X"', True),
        (b'[{"frame": {}, "metrics": {}}]', False),
        (b'{"rocprofiler-sdk-tool": [', False),
        (b"SQLite format 3\0", False),
        (b"", False),
    ],
)
def test_recognition_is_by_content(head: bytes, expected: bool) -> None:
    assert SOURCE.recognises(Path("x.csv"), head) is expected


def test_negative_sizes_are_missing(tmp_path: Path) -> None:
    event = kernel(registers_per_thread=-1, shared_memory=-5)
    try:
        launches = read(tmp_path, event).launches
    except SchemaError as error:
        pytest.fail(f"a bad value reached the table: {error}")
    assert launches[s.REGISTERS_PER_THREAD].isna().all()
    assert launches[s.SHARED_BYTES].isna().all()
