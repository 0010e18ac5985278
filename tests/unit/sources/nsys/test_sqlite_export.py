import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import read_recording, write_recording
from geoaudit.sources.registry import ReadOptions
from geoaudit.sources.sniff import read_profile
from tests.shared_traces import FOLDER, needs_traces
from tests.unit.sources.nsys.nsys_export import (
    CALL,
    GLOBAL_PID,
    GPU,
    PROCESS,
    call,
    kernel,
    write_export,
    write_launches,
)


def read(path: Path) -> Recording:
    return read_profile(path, ReadOptions())


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return tmp_path / "profile.sqlite"


def test_a_launch_keeps_every_figure(export: Path) -> None:
    write_launches(export, kernel(), TARGET_INFO_GPU=[GPU])
    recording = read(export)
    row = recording.launches.iloc[0]
    assert row[s.KERNEL] == "void decode::gemv<float>(float const*, float*)"
    assert row[s.KERNEL_SHORT] == "gemv"
    assert row[s.OWNER] == "own"
    assert [row[name] for name in (*s.GRID, *s.BLOCK)] == [12, 2, 1, 128, 1, 1]
    assert (row[s.START_NS], row[s.DURATION_NS]) == (1000, 2000)
    assert (row[s.STATIC_SHARED_BYTES], row[s.DYNAMIC_SHARED_BYTES]) == (1024, 2048)
    assert (row[s.SHARED_BYTES], row[s.SHARED_CONFIG_BYTES]) == (3072, 32768)
    assert (row[s.PROCESS], row[s.STREAM], row[s.CORRELATION_ID]) == (PROCESS, 7, 100)
    assert row[s.REGISTERS_PER_THREAD] == 40
    device = recording.metadata.devices[0]
    assert (device.name, device.architecture, device.sm_count) == ("NVIDIA H200", "9.0", 132)
    assert device.sm_count_source == "TARGET_INFO_GPU.smCount"
    assert device.max_threads_per_sm == 2048
    assert recording.metadata.instrument == "nsys"
    assert recording.metadata.environment == {
        "nsys_version": "2026.1.1",
        "nsys_export_schema_version": "3.24.14",
    }
    assert recording.metadata.warnings == ()


def test_times_beyond_double_precision_stay_exact(export: Path) -> None:
    start = 1_764_000_000_123_456_789
    write_launches(export, kernel(start=start, end=start + 1), kernel(start=None, end=None))
    launches = read(export).launches
    assert launches[s.START_NS].tolist()[0] == start
    assert launches[s.DURATION_NS].tolist()[0] == 1


def test_absent_columns_are_null(export: Path) -> None:
    few = ("start", "end", "deviceId", "streamId", "demangledName", *kernel_size())
    write_launches(export, {name: kernel()[name] for name in few})
    row = read(export).launches.iloc[0]
    for name in (*s.CLUSTER, s.REGISTERS_PER_THREAD, s.SHARED_BYTES, s.GRAPH_ID, s.PROCESS):
        assert pd.isna(row[name])
    assert row[s.GRID_X] == 12


def kernel_size() -> tuple[str, ...]:
    return tuple(f"{part}{axis}" for part in ("grid", "block") for axis in "XYZ")


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [((0, 0, 0), [1, 1, 1]), ((4, 1, 1), [4, 1, 1]), ((None, None, None), [None] * 3)],
)
def test_no_cluster_is_written_as_zeros(
    export: Path, recorded: tuple[int | None, ...], expected: list[int | None]
) -> None:
    clusters = dict(zip(("clusterX", "clusterY", "clusterZ"), recorded, strict=True))
    write_launches(export, kernel(**clusters))
    row = read(export).launches.iloc[0]
    assert [None if pd.isna(row[name]) else row[name] for name in s.CLUSTER] == expected


def test_graph_nodes_and_cluster_capacity(export: Path) -> None:
    write_launches(
        export,
        kernel(graphId=3, graphNodeId=77, clusterX=2, clusterY=1, clusterZ=1, maxActiveClusters=60),
        kernel(start=5000, end=6000, graphId=0, graphNodeId=0),
    )
    first, second = (row for _, row in read(export).launches.iterrows())
    assert (first[s.GRAPH_ID], first[s.GRAPH_NODE_ID], first[s.MAX_ACTIVE_CLUSTERS]) == (3, 77, 60)
    assert pd.isna(second[s.GRAPH_ID])
    assert pd.isna(second[s.GRAPH_NODE_ID])
    assert pd.isna(second[s.MAX_ACTIVE_CLUSTERS])


def test_copies_and_sets_are_rows_without_geometry(export: Path) -> None:
    copy = {"start": 10, "end": 20, "deviceId": 0, "streamId": 7, "bytes": 4096, "copyKind": 1}
    write_launches(
        export,
        kernel(),
        CUPTI_ACTIVITY_KIND_MEMCPY=[copy, {**copy, "copyKind": 99}],
        CUPTI_ACTIVITY_KIND_MEMSET=[{"start": 30, "end": 40, "deviceId": 0, "bytes": 64}],
    )
    launches = read(export).launches
    assert launches[s.KIND].tolist() == ["copy", "copy", "set", "kernel"]
    assert launches[s.KERNEL].tolist()[:3] == [
        "[CUDA memcpy Host-to-Device]",
        "[CUDA memcpy Unknown]",
        "[CUDA memset]",
    ]
    assert launches[s.COPY_BYTES].tolist()[:3] == [4096, 4096, 64]
    assert launches[s.OWNER].isna().tolist() == [True, True, True, False]
    assert launches[s.GRID_X].isna().tolist() == [True, True, True, False]


def test_lost_time_stamps_are_untimed_and_do_not_stretch_the_trace(export: Path) -> None:
    write_launches(
        export, kernel(), kernel(start=0, end=0), kernel(start=9000, end=8000), kernel(end=None)
    )
    recording = read(export)
    assert recording.metadata.untimed == 3
    assert recording.launches[s.START_NS].min() == 1000
    assert recording.launches[s.DURATION_NS].dropna().tolist() == [2000]
    assert any("1 records end before they start" in w for w in recording.metadata.warnings)


def test_a_duration_of_zero_is_a_duration(export: Path) -> None:
    write_launches(export, kernel(start=1000, end=1000))
    recording = read(export)
    assert recording.launches[s.DURATION_NS].tolist() == [0]
    assert recording.metadata.untimed == 0


@pytest.mark.parametrize("bad", [0, -1, 2**31, 2**62, -(2**63) + 1])
def test_an_impossible_grid_is_unknown_and_counted(export: Path, bad: int) -> None:
    write_launches(export, kernel(), kernel(start=5000, end=6000, gridY=bad))
    recording = read(export)
    assert recording.launches[s.GRID_X].isna().tolist() == [False, True]
    assert recording.launches[s.BLOCK_X].isna().tolist() == [False, True]
    assert any(w.startswith("1 launches have a grid") for w in recording.metadata.warnings)


def test_a_grid_product_beyond_32_bits_is_kept(export: Path) -> None:
    write_launches(export, kernel(gridX=2**31 - 1, gridY=65535, gridZ=65535))
    row = read(export).launches.iloc[0]
    assert int(row[s.GRID_X]) * int(row[s.GRID_Y]) * int(row[s.GRID_Z]) > 2**62


def test_kernels_without_any_geometry_could_not_be_measured(export: Path) -> None:
    few = ("start", "end", "deviceId", "demangledName")
    write_launches(export, {name: kernel()[name] for name in few})
    with pytest.raises(NotMeasuredError, match="none of the 1 kernel records holds a grid"):
        read(export)


def test_a_missing_kernel_table_names_what_was_found(export: Path) -> None:
    write_export(export, {"CUPTI_ACTIVITY_KIND_RUNTIME": [CALL, call(correlationId=101)]})
    with pytest.raises(NotMeasuredError) as caught:
        read(export)
    assert "2 launch calls are recorded but 0 kernel records" in str(caught.value)
    assert "CUPTI_ACTIVITY_KIND_RUNTIME" in str(caught.value)
    assert caught.value.exit_code == 3


def test_an_empty_kernel_table_is_not_an_empty_audit(export: Path) -> None:
    write_launches(export)
    with pytest.raises(NotMeasuredError, match="no rows in CUPTI_ACTIVITY_KIND_KERNEL"):
        read(export)


def test_graphs_recorded_as_a_whole_are_refused_or_counted(tmp_path: Path) -> None:
    graphs = [{"start": 0, "end": 2_000_000, "graphId": 1}, {"start": 5, "end": 1_000_005}]
    rows = [{"start": g["start"], "end": g["end"]} for g in graphs]
    only = write_export(tmp_path / "only.sqlite", {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE": rows})
    with pytest.raises(NotMeasuredError, match="--cuda-graph-trace=node"):
        read(only)
    both = write_launches(tmp_path / "both.sqlite", kernel(), CUPTI_ACTIVITY_KIND_GRAPH_TRACE=rows)
    warnings = read(both).metadata.warnings
    assert any("2 CUDA graph launches of 3.000 ms" in w for w in warnings)


def test_a_suffixed_table_is_read_and_the_newest_filled_one_wins(export: Path) -> None:
    write_export(
        export,
        {
            "CUPTI_ACTIVITY_KIND_KERNEL_V2": [kernel(gridX=5)],
            "CUPTI_ACTIVITY_KIND_KERNEL": [kernel(gridX=4)],
            "CUPTI_ACTIVITY_KIND_KERNEL_V3": [],
        },
    )
    assert read(export).launches[s.GRID_X].tolist() == [5]


def test_an_ordinal_means_a_gpu_by_process(export: Path) -> None:
    other = (1 << 48) | (999 << 24)
    write_launches(
        export,
        kernel(),
        kernel(start=5000, end=6000, globalPid=other),
        TARGET_INFO_GPU=[GPU, {**GPU, "id": 1, "name": "NVIDIA A100"}],
        TARGET_INFO_CUDA_DEVICE=[
            {"gpuId": 1, "cudaId": 0, "pid": 999, "numMultiprocessors": 132},
            {"gpuId": 0, "cudaId": 0, "pid": PROCESS, "numMultiprocessors": 132},
        ],
    )
    recording = read(export)
    assert recording.launches[s.DEVICE].tolist() == [0, 1]
    assert [device.name for device in recording.metadata.devices] == ["NVIDIA H200", "NVIDIA A100"]
    assert recording.metadata.warnings == ()


def test_the_sms_a_process_saw_win_and_both_are_shown(export: Path) -> None:
    seen = {"gpuId": 0, "cudaId": 0, "pid": PROCESS, "numMultiprocessors": 18}
    write_launches(export, kernel(), TARGET_INFO_GPU=[GPU], TARGET_INFO_CUDA_DEVICE=[seen])
    metadata = read(export).metadata
    assert metadata.devices[0].sm_count == 18
    assert metadata.devices[0].sm_count_source == "TARGET_INFO_CUDA_DEVICE.numMultiprocessors"
    assert any("132 SMs" in w and "18" in w for w in metadata.warnings)


def test_a_green_context_is_named(export: Path) -> None:
    context = {"contextId": 2, "isGreenContext": 1, "numMultiprocessors": 24}
    write_launches(export, kernel(greenContextId=2), TARGET_INFO_CUDA_CONTEXT_INFO=[context])
    assert any("green context" in w and "24 SMs" in w for w in read(export).metadata.warnings)


def test_a_device_the_export_does_not_describe_is_bare(export: Path) -> None:
    write_launches(export, kernel(deviceId=3))
    recording = read(export)
    assert recording.launches[s.DEVICE].tolist() == [3]
    assert recording.metadata.devices[0].name is None
    assert recording.metadata.devices[0].sm_count is None


def test_lost_events_are_said(export: Path) -> None:
    text = "CUDA device 0: Not all events might have been collected."
    write_launches(export, kernel(), DIAGNOSTIC_EVENT=[{"text": text}])
    assert any("not all events" in w for w in read(export).metadata.warnings)


@pytest.mark.parametrize(
    "name",
    [
        "x" * 5000,
        "\x1b[31mred\x1b[0m",
        "<script>alert(1)</script>",
        "a\0b",
        "",
        "名前<float>",
        "%s{}",
    ],
)
def test_hostile_names_are_names(export: Path, tmp_path: Path, name: str) -> None:
    write_export(export, {"CUPTI_ACTIVITY_KIND_KERNEL": [kernel()]}, names={1: name, 2: name})
    recording = read(export)
    assert len(recording.launches) == 1
    stored = tmp_path / "scan.parquet"
    write_recording(recording, stored)
    kept = read_recording(stored).launches[s.KERNEL].tolist()
    assert kept == recording.launches[s.KERNEL].tolist()


def test_a_name_that_is_no_text_does_not_hide_its_kernel(export: Path) -> None:
    write_launches(export, kernel(demangledName=9999, shortName=None))
    assert read(export).launches[s.KERNEL].tolist() == ["(unnamed kernel)"]


def test_cells_of_another_type_are_null(export: Path) -> None:
    write_launches(export, kernel(registersPerThread="many", streamId=b"\x01"))
    row = read(export).launches.iloc[0]
    assert pd.isna(row[s.REGISTERS_PER_THREAD])
    assert pd.isna(row[s.STREAM])
    assert row[s.GRID_X] == 12


def test_names_that_are_not_utf8_are_read(export: Path) -> None:
    write_launches(export, kernel())
    with closing(sqlite3.connect(export)) as connection:
        connection.execute("UPDATE StringIds SET value = CAST(X'66FF6F' AS TEXT) WHERE id = 1")
        connection.commit()
    assert read(export).launches[s.KERNEL].tolist() == ["f\ufffdo"]


def test_nothing_the_audit_does_not_need_is_kept(export: Path, tmp_path: Path) -> None:
    token, host = "hf_SECRETTOKEN", "workstation-of-ann"
    write_export(
        export,
        {
            "CUPTI_ACTIVITY_KIND_KERNEL": [kernel()],
            "TARGET_INFO_SYSTEM_ENV": [{"name": "HF_TOKEN", "value": token}],
            "META_DATA_CAPTURE": [{"name": "ENVIRONMENT", "value": f"TOKEN={token}"}],
            "META_DATA_EXPORT": [
                {"name": "EXPORT_PRODUCT_VERSION", "value": "2026.1"},
                {"name": "EXPORT_HOST", "value": host},
            ],
            "DIAGNOSTIC_EVENT": [{"text": f"Not all events might have been collected {token}"}],
        },
        names={1: "k", 2: "k", 50: f"HF_TOKEN={token}", 51: host},
    )
    recording = read(export)
    stored = tmp_path / "scan.parquet"
    write_recording(recording, stored)
    shown = recording.launches.to_csv() + repr(recording.metadata)
    for secret in (token, host):
        assert secret not in shown
        assert secret.encode() not in stored.read_bytes()


def test_an_export_still_being_written_is_refused(export: Path) -> None:
    write_launches(export, kernel())
    export.with_name(export.name + "-wal").write_bytes(b"pending")
    with pytest.raises(InputError, match="profile.sqlite-wal"):
        read(export)


def test_a_cut_export_is_refused(export: Path) -> None:
    write_launches(export, *(kernel(start=n, end=n + 1) for n in range(2000)))
    content = export.read_bytes()
    export.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="cut, damaged"):
        read(export)


def test_reading_changes_nothing(export: Path) -> None:
    write_launches(export, kernel())
    before = export.read_bytes()
    read(export)
    assert export.read_bytes() == before
    assert [path.name for path in export.parent.iterdir()] == [export.name]


def test_progress_ends_at_one(export: Path) -> None:
    write_launches(export, *(kernel(start=n, end=n + 1) for n in range(10)))
    shares: list[float] = []
    read_profile(export, ReadOptions(progress=shares.append))
    assert shares[-1] == 1.0
    assert shares == sorted(shares)


def test_global_identifiers_hold_the_process() -> None:
    assert (GLOBAL_PID >> 24) & 0xFFFFFF == PROCESS


@needs_traces
def test_an_export_with_a_gpu_table() -> None:
    recording = read(FOLDER / "nsys-2026-rtx3080.sqlite")
    launches, device = recording.launches, recording.metadata.devices[0]
    assert launches[s.KIND].tolist() == ["kernel", "kernel", "copy"]
    assert (device.name, device.architecture, device.sm_count) == (
        "NVIDIA GeForce RTX 3080",
        "8.6",
        68,
    )
    assert launches[s.DURATION_NS].tolist() == [1440, 2689, 1632]
    assert launches.loc[1, [*s.GRID, *s.BLOCK]].tolist() == [1, 1, 1, 16, 1, 1]
    assert recording.metadata.untimed == 0


@needs_traces
def test_an_export_without_a_gpu_table() -> None:
    recording = read(FOLDER / "nsys-2026-h100x2-no-gpu-table.sqlite")
    launches = recording.launches
    assert launches[s.KIND].value_counts().to_dict() == {"kernel": 3442, "copy": 904, "set": 22}
    assert [device.sm_count for device in recording.metadata.devices] == [None, None]
    kernels = launches[launches[s.KIND] == s.KIND_KERNEL]
    assert not kernels[[*s.GRID, *s.BLOCK, *s.CLUSTER]].isna().any(axis=None)
    assert (kernels[s.CLUSTER_X] == 1).all()
    assert any("2,276 of 4,368" in w for w in recording.metadata.warnings)


@needs_traces
def test_an_export_of_few_columns() -> None:
    recording = read(FOLDER / "nsys-synthetic-few-columns.sqlite")
    assert len(recording.launches) == 400
    assert recording.metadata.devices[0].name == "NVIDIA H100 80GB HBM3"
    assert recording.metadata.devices[0].sm_count is None
    assert recording.launches[s.GRID_X].tolist() == [128] * 400
    assert recording.launches[s.CLUSTER_X].isna().all()
