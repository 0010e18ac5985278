from pathlib import Path

import pandas as pd
import pytest

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.sources.registry import ReadOptions
from geoaudit.sources.sniff import read_profile
from tests.shared_traces import FOLDER, needs_traces

HEADER = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
    "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
)
KERNEL = (
    "1000,500,12,4,2,1,128,1,1,40,0.001,0.164,,,,,NVIDIA H200 (1),1,,7,"
    '"void f<int, ""x"">(float, int)"\n'
)
COPY = "100,50,11,,,,,,,,,,4.194,1.0,Pinned,Device,NVIDIA H200 (1),1,,7,[CUDA memcpy HtoD]\n"


def read(tmp_path: Path, text: str, *, allow_partial: bool = False) -> Recording:
    path = tmp_path / "trace.csv"
    path.write_text(text)
    return read_profile(path, ReadOptions(allow_partial=allow_partial))


def test_a_launch_list(tmp_path: Path) -> None:
    notice = "NOTICE: Existing SQLite export found\nProcessing [a.sqlite] with [r.py]...\n"
    recording = read(tmp_path, notice + HEADER + COPY + KERNEL)
    copy, kernel = (row for _, row in recording.launches.iterrows())
    assert (copy[s.KIND], copy[s.COPY_BYTES], copy[s.DURATION_NS]) == ("copy", 4_194_000, 50)
    assert pd.isna(copy[s.GRID_X])
    assert kernel[s.KERNEL] == 'void f<int, "x">(float, int)'
    assert kernel[[*s.GRID, *s.BLOCK]].tolist() == [4, 2, 1, 128, 1, 1]
    assert (kernel[s.START_NS], kernel[s.DURATION_NS]) == (1000, 500)
    assert (kernel[s.STATIC_SHARED_BYTES], kernel[s.DYNAMIC_SHARED_BYTES]) == (1024, 163_840)
    assert (kernel[s.DEVICE], kernel[s.STREAM], kernel[s.REGISTERS_PER_THREAD]) == (1, 7, 40)
    assert recording.metadata.devices[0].name == "NVIDIA H200"
    assert recording.metadata.devices[0].sm_count is None
    assert "sizes rounded" in recording.metadata.warnings[0]


@pytest.mark.parametrize(("unit", "nanoseconds"), [("us", 1_500), ("ms", 1_500_000), ("ns", 2)])
def test_other_time_units(tmp_path: Path, unit: str, nanoseconds: int) -> None:
    header = HEADER.replace("(ns)", f"({unit})")
    launches = read(tmp_path, header + KERNEL.replace(",500,", ",1.5,", 1)).launches
    assert launches[s.DURATION_NS].tolist() == [nanoseconds]


def test_a_unit_that_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'Start \\(fortnights\\)'"):
        read(tmp_path, HEADER.replace("Start (ns)", "Start (fortnights)") + KERNEL)


def test_the_older_header(tmp_path: Path) -> None:
    header = HEADER.replace("(MB/s)", "(MBps)").replace("GreenCtx,", "")
    assert len(read(tmp_path, header + KERNEL.replace("1,,7", "1,7")).launches) == 1


def test_copies_alone_could_not_be_measured(tmp_path: Path) -> None:
    for rows in (COPY, ""):
        with pytest.raises(NotMeasuredError, match="without a single kernel"):
            read(tmp_path, HEADER + rows)


def test_bad_values(tmp_path: Path) -> None:
    rows = (
        KERNEL,
        KERNEL.replace("1000,500", "2000,-5"),
        KERNEL.replace("1000,500", "3000,nan"),
        KERNEL.replace("1000,500,12,4", "4000,7,12,0"),
        KERNEL.replace("1000,500", "9999999999999999999999,5"),
        "5000,1,12,4\n",
    )
    recording = read(tmp_path, HEADER + "".join(rows))
    assert len(recording.launches) == 6
    assert recording.metadata.untimed == 3
    assert int(recording.launches[s.GRID_X].isna().sum()) == 2


def test_a_cut_row(tmp_path: Path) -> None:
    text = (HEADER + KERNEL * 3)[:-30]
    with pytest.raises(InputError, match="--allow-partial"):
        read(tmp_path, text)
    partial = read(tmp_path, text, allow_partial=True)
    assert (len(partial.launches), partial.metadata.partial) == (2, True)


@needs_traces
def test_a_real_launch_list() -> None:
    recording = read_profile(FOLDER / "nsys-2025-thor-cuda_gpu_trace.csv", ReadOptions())
    launches = recording.launches
    assert launches[s.KIND].value_counts().to_dict() == {"kernel": 4, "copy": 3}
    kernels = launches[launches[s.KIND] == s.KIND_KERNEL]
    assert kernels[s.GRID_X].tolist() == [4096] * 4
    assert kernels[s.DURATION_NS].tolist() == [40672, 22528, 22624, 22624]
    assert kernels[s.KERNEL_SHORT].tolist() == ["saxpyKernel"] * 4
    assert recording.metadata.devices[0].name == "NVIDIA Thor"


def test_progress_rises_to_one_over_all_tables(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text((HEADER + KERNEL) * 3)
    shares: list[float] = []
    read_profile(path, ReadOptions(progress=shares.append))
    assert len(shares) == 3
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
