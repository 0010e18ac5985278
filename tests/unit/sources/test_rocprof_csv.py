from pathlib import Path

import pytest

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.sources.registry import ReadOptions
from geoaudit.sources.sniff import read_profile
from tests.shared_traces import FOLDER, needs_traces

SIZE = (
    '"Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z",'
    '"Grid_Size_X","Grid_Size_Y","Grid_Size_Z"\n'
)
# Header and row of each generation; every row is one launch of 8 blocks of 256 work-items.
GENERATIONS = {
    "2024": (
        '"Kind","Agent_Id","Queue_Id","Kernel_Id","Kernel_Name","Correlation_Id",'
        '"Start_Timestamp","End_Timestamp","Private_Segment_Size","Group_Segment_Size",' + SIZE,
        '"KERNEL_DISPATCH",2,3,16,"k(int, int)",7,100,150,0,512,256,1,1,2048,1,1\n',
    ),
    "2024 with dispatch": (
        '"Kind","Agent_Id","Queue_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name",'
        '"Correlation_Id","Start_Timestamp","End_Timestamp","Private_Segment_Size",'
        '"Group_Segment_Size",' + SIZE,
        '"KERNEL_DISPATCH",2,3,69,1,16,"k(int, int)",7,100,150,0,512,256,1,1,2048,1,1\n',
    ),
    "2025": (
        '"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id",'
        '"Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size",'
        '"Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count",' + SIZE,
        '"KERNEL_DISPATCH","Agent 2",9,3,69,1,16,"k(int, int)",7,100,150,512,0,32,0,16,'
        "256,1,1,2048,1,1\n",
    ),
    "rocpd convert": (
        '"Guid","Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id",'
        '"Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","Lds_Block_Size",'
        '"Scratch_Size","Vgpr_Count","Accum_Vgpr_Count","Sgpr_Count",' + SIZE,
        '"0000-1a","KERNEL_DISPATCH","Agent 2",9,3,69,1,16,"k(int, int)",7,100,150,512,0,32,0,16,'
        "256,1,1,2048,1,1\n",
    ),
}
HEADER, ROW = GENERATIONS["2024"]


def read(tmp_path: Path, text: str, *, allow_partial: bool = False) -> Recording:
    path = tmp_path / "kernel_trace.csv"
    path.write_text(text)
    return read_profile(path, ReadOptions(allow_partial=allow_partial))


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_generation_counts_blocks(tmp_path: Path, generation: str) -> None:
    header, row = GENERATIONS[generation]
    recording = read(tmp_path, header + row)
    launch = recording.launches.iloc[0]
    assert launch[[*s.GRID, *s.BLOCK]].tolist() == [8, 1, 1, 256, 1, 1]
    assert (launch[s.START_NS], launch[s.DURATION_NS]) == (100, 50)
    assert (launch[s.DEVICE], launch[s.STREAM], launch[s.SHARED_BYTES]) == (2, 3, 512)
    assert launch[s.KERNEL] == "k(int, int)"
    assert recording.metadata.instrument == "rocprof"
    assert [device.index for device in recording.metadata.devices] == [2]
    assert any("--device" in w for w in recording.metadata.warnings)


def test_a_grid_that_the_workgroup_does_not_divide_is_rounded_up(tmp_path: Path) -> None:
    recording = read(tmp_path, HEADER + ROW + ROW.replace("2048,1,1", "2049,3,1"))
    assert recording.launches[s.GRID_X].tolist() == [8, 9]
    assert recording.launches[s.GRID_Y].tolist() == [1, 3]
    assert any(
        w.startswith("1 launches have a grid in work-items") for w in recording.metadata.warnings
    )


def test_bad_values(tmp_path: Path) -> None:
    rows = ROW + ROW.replace("100,150", "200,150") + ROW.replace("2048,1,1", "0,1,1")
    recording = read(tmp_path, HEADER + rows + ROW.replace("256,1,1,2048", "0,1,1,2048"))
    assert recording.metadata.untimed == 1
    assert int(recording.launches[s.GRID_X].isna().sum()) == 2


def test_a_header_alone_could_not_be_measured(tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError, match="without a single kernel"):
        read(tmp_path, HEADER)


def test_a_cut_row(tmp_path: Path) -> None:
    text = (HEADER + ROW * 3)[:-12]
    with pytest.raises(InputError, match="--allow-partial"):
        read(tmp_path, text)
    assert len(read(tmp_path, text, allow_partial=True).launches) == 2


@needs_traces
def test_a_real_kernel_trace() -> None:
    recording = read_profile(FOLDER / "rocprofv3-2024-kernel_trace.csv", ReadOptions())
    assert len(recording.launches) == 7
    assert recording.launches[s.GRID_X].tolist() == [16] * 7
    assert recording.launches[s.GRID_Y].tolist() == [1024] * 7
    assert recording.launches[s.BLOCK_X].tolist() == [64] * 7
    assert recording.launches[s.DURATION_NS].min() == 48_744
    assert recording.metadata.devices[0].sm_count is None
