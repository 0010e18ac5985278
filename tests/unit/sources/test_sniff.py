import gzip
import os
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geoaudit.errors import GeoauditError, InputError
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import write_recording
from geoaudit.launches.table import validate
from geoaudit.sources.registry import ReadOptions
from geoaudit.sources.sniff import read_profile, sources
from tests.shared_traces import FOLDER, needs_traces
from tests.unit.sources.ncu.ncu_page import NEW_METRICS, RAW_METRICS, details, raw
from tests.unit.sources.nsys.nsys_export import GPU, call, kernel, nvtx, write_launches
from tests.unit.sources.nsys.test_stats_csv import HEADER as NSYS_HEADER
from tests.unit.sources.nsys.test_stats_csv import KERNEL as NSYS_KERNEL
from tests.unit.sources.test_rocprof_csv import HEADER as ROCPROF_HEADER
from tests.unit.sources.test_rocprof_csv import ROW as ROCPROF_ROW

PROTON = '[{"children": [], "frame": {"name": "ROOT"}, "metrics": {"count": 0}}, {"CUDA": {}}]'
XSPACE = b"\x0a\x11\x08\x01\x12\x0d/device:GPU:0"
PACKETS = b"\x0a\x04\x08\x01\x10\x00" * 50
KERNEL_SUM = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Name\n99.0,5,1,5,5,k\n"
KERNEL_SUM_2020 = "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,Name\n"

REFUSED: dict[str, tuple[bytes, str]] = {
    "report.ncu-rep": (b"NVR\x00\x10\x00\x00\x00", "ncu --import FILE --page raw --csv"),
    "unsigned.ncu-rep": (b"\x01\x02\x03\x04", "ncu --import FILE --page raw --csv"),
    "report.nsys-rep": (b"\x01\x02\x03\x04", "nsys export --type sqlite"),
    "report.qdrep": (b"\x01\x02\x03\x04", "nsys export --type sqlite"),
    "jax.xplane.pb": (XSPACE, "not read yet"),
    "trace.pftrace": (PACKETS, "Perfetto"),
    "proton.hatchet": (PROTON.encode(), "no launch geometry"),
    "results.json": (b'{"rocprofiler-sdk-tool": [{"agents": []}]}', "kernel_trace.csv"),
    "report.sarif": (b'{"$schema": "sarif-2.1.0.json", "runs": [], "x": "sarif"}', "SARIF"),
    "rank.json": (b'{"schema_version": "1.0", "totals": {}, "rows": []}', "geoaudit rank"),
    "other.json": (b'{"hello": 1}', "no traceEvents"),
    "list.json": (b"[1, 2, 3]", "no traceEvents"),
    "sums.csv": (KERNEL_SUM.encode(), "cuda_gpu_trace"),
    "sums2020.csv": (KERNEL_SUM_2020.encode(), "cuda_gpu_trace"),
    "stats.csv": (b'"Name","Calls","TotalDurationNs"\n', "kernel_trace.csv"),
    "v2.csv": (b"Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size\n", "kernel_trace.csv"),
    "nvprof.csv": (b"==12== NVPROF is profiling process 12\n", "nvprof"),
    "page.html": (b"<!DOCTYPE html><html></html>", "HTML"),
    "program": (b"\x7fELF\x02\x01\x01", "program or library"),
    "table.parquet": (b"PAR1\x00\x00", "Parquet"),
    "trace.json.zst": (b"\x28\xb5\x2f\xfd\x00", "Unpack"),
    "trace.json.xz": (b"\xfd7zXZ\x00", "Unpack"),
    "pointer": (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
    "picture.png": (b"\x89PNG\r\n", "picture"),
    "notes.txt": (b"hello world\n", "not a profile"),
    "random.bin": (bytes(range(128, 256)), "not a profile"),
    "zeros.bin": (bytes(100), "not a profile"),
}


def read(path: Path, *, allow_partial: bool = False) -> Recording:
    return read_profile(path, ReadOptions(allow_partial=allow_partial))


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_of_another_kind_says_what_it_is_and_what_to_do(tmp_path: Path, name: str) -> None:
    content, advice = REFUSED[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=advice.replace("(", "\\(")) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert caught.value.exit_code == 2


def test_content_wins_over_the_name(tmp_path: Path) -> None:
    path = tmp_path / "profile.nsys-rep"
    write_launches(path, kernel())
    assert read(path).metadata.source_format == "nsys-sqlite"
    path.write_text(details(NEW_METRICS))
    assert read(path).metadata.source_format == "ncu-details"


def test_missing_empty_folder_and_odd_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "missing.json")
    with pytest.raises(InputError, match="a folder"):
        read(tmp_path)
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    with pytest.raises(InputError, match="the file is empty"):
        read(empty)
    empty.write_bytes(gzip.compress(b""))
    with pytest.raises(InputError, match="the file is empty"):
        read(empty)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        read(tmp_path / "pipe")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    # Readable by no one, root included: the start of a process's memory is not mapped.
    path = Path("/proc/self/mem")
    if not path.exists():
        pytest.skip("no /proc on this system")
    with pytest.raises(InputError, match="cannot be read"):
        read(path)


def test_archives(tmp_path: Path) -> None:
    inner = tmp_path / "inner.csv"
    inner.write_text(details(NEW_METRICS))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(inner)
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        tar.add(inner)
    for name in ("a.zip", "a.tar"):
        with pytest.raises(InputError, match="archive"):
            read(tmp_path / name)


def test_other_databases(tmp_path: Path) -> None:
    tables = {
        "CREATE TABLE songs (id)": "not an export of Nsight Systems \\(tables: songs\\)",
        "CREATE TABLE rocpd_kernel_dispatch (id)": "rocpd",
        "CREATE TABLE StringTable (id)": "nvprof",
    }
    for number, (statement, message) in enumerate(tables.items()):
        path = tmp_path / f"{number}.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()
        with pytest.raises(InputError, match=message):
            read(path)


def test_a_packed_database_is_unpacked_by_the_user(tmp_path: Path) -> None:
    write_launches(tmp_path / "a.sqlite", kernel())
    packed = tmp_path / "a.sqlite.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.sqlite").read_bytes()))
    with pytest.raises(InputError, match="gunzip"):
        read(packed)


def test_a_recording_of_geoaudit_goes_to_rank(tmp_path: Path) -> None:
    source = tmp_path / "page.csv"
    source.write_text(details(NEW_METRICS))
    write_recording(read(source), tmp_path / "scan.parquet")
    with pytest.raises(InputError, match="geoaudit rank"):
        read(tmp_path / "scan.parquet")


def test_a_cut_gzip_stream_needs_allow_partial(tmp_path: Path) -> None:
    text = raw(RAW_METRICS, launches=500)
    content = gzip.compress(text.encode())
    path = tmp_path / "page.csv.gz"
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="--allow-partial"):
        read(path)
    partial = read(path, allow_partial=True)
    assert 0 < len(partial.launches) < 500
    assert partial.metadata.partial


def test_a_damaged_gzip_stream(tmp_path: Path) -> None:
    path = tmp_path / "page.csv.gz"
    content = bytearray(gzip.compress(raw(RAW_METRICS, launches=50).encode()))
    content[12:16] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        read(path)


def test_every_source_is_named_once() -> None:
    names = [source.name for source in sources()]
    assert sorted(names) == sorted(set(names))
    assert {"kineto", "nsys-sqlite", "ncu"} <= set(names)


@needs_traces
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("proton-synthetic-cuda.hatchet.json", "no launch geometry"),
        ("xplane-2025-mi300-jax.xplane.pb", "XSpace"),
    ],
)
def test_real_files_that_are_not_read(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(FOLDER / name)


def _database(path: Path) -> bytes:
    write_launches(
        path,
        *(kernel(start=n * 10, end=n * 10 + 5, correlationId=n) for n in range(20)),
        CUPTI_ACTIVITY_KIND_RUNTIME=[call(start=n * 3, correlationId=n) for n in range(20)],
        NVTX_EVENTS=[nvtx("token", n * 10, n * 10 + 8) for n in range(6)],
        TARGET_INFO_GPU=[GPU],
    )
    return path.read_bytes()


SMALL_FILES: dict[str, Callable[[Path], bytes]] = {
    "nsys-sqlite": _database,
    "ncu-details": lambda path: details(NEW_METRICS).encode(),
    "ncu-raw": lambda path: raw(RAW_METRICS, launches=3).encode(),
    "nsys-csv": lambda path: (NSYS_HEADER + NSYS_KERNEL * 3).encode(),
    "rocprofv3-csv": lambda path: (ROCPROF_HEADER + ROCPROF_ROW * 3).encode(),
    "gzip": lambda path: gzip.compress(raw(RAW_METRICS, launches=3).encode()),
    "proton": lambda path: PROTON.encode(),
    "xspace": lambda path: XSPACE,
}


@pytest.mark.parametrize("kind", SMALL_FILES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_cut_and_damaged_files_end_in_a_recording_or_an_error_of_ours(
    tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    content = bytearray(SMALL_FILES[kind](folder / "small"))
    kept = data.draw(st.just(len(content)) | st.integers(0, len(content)))
    del content[kept:]
    if content:
        flips = st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255))
        for place, value in data.draw(st.lists(flips, max_size=20)):
            content[place] = value
    path = folder / "damaged"
    path.write_bytes(content)
    outcome = recording_or_error(path, allow_partial=data.draw(st.booleans()))
    if isinstance(outcome, Recording):
        assert len(outcome.launches) > 0
        validate(outcome.launches)
    else:
        assert path.name in str(outcome)
        assert outcome.exit_code in (2, 3)


def recording_or_error(path: Path, *, allow_partial: bool) -> Recording | GeoauditError:
    try:
        return read(path, allow_partial=allow_partial)
    except GeoauditError as error:
        return error


@pytest.mark.parametrize("kind", ["ncu-details", "ncu-raw", "nsys-csv", "rocprofv3-csv"])
def test_a_header_broken_at_any_place_ends_in_a_recording_or_an_error_of_ours(
    tmp_path: Path, kind: str
) -> None:
    whole = SMALL_FILES[kind](tmp_path / "small")
    path = tmp_path / "broken"
    for place in range(whole.index(b"\n")):
        path.write_bytes(whole[:place] + b"\r" + whole[place + 1 :])
        recording_or_error(path, allow_partial=False)
