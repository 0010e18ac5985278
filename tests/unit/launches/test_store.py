from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from geoaudit.devices.calibration import Calibration
from geoaudit.errors import InputError, SchemaError
from geoaudit.launches import schema as s
from geoaudit.launches.interventions import Intervention
from geoaudit.launches.recording import Recording, TokenOptions
from geoaudit.launches.store import (
    is_recording,
    join_recordings,
    read_recording,
    write_dataset,
    write_recording,
)
from geoaudit.launches.table import validate
from tests.unit.ranking.builders import Launch, recording
from tests.unit.ranking.ranks.run import part


def unsealed(metadata: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """The metadata of a recording as another tool has to write it."""
    return {key: value for key, value in metadata.items() if key != b"geoaudit_digest"}


def test_a_recording_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = recording([Launch(start=None, duration=None), Launch(ranges="a/b")])
    write_recording(written, tmp_path / "r.parquet")
    read = read_recording(tmp_path / "r.parquet")
    pd.testing.assert_frame_equal(read.launches, written.launches)
    assert read.metadata.devices == written.metadata.devices
    assert read.metadata.token_options == TokenOptions()
    assert read.metadata.tool_version


def test_a_folder_of_parts_keeps_the_devices_of_its_processes_apart(tmp_path: Path) -> None:
    one = recording([Launch(), Launch(kernel="b")])
    write_dataset([one, one], tmp_path / "set")
    read = read_recording(tmp_path / "set")
    assert len(read.launches) == 4
    assert sorted(set(read.launches[s.DEVICE])) == [0, 1]
    assert [device.index for device in read.metadata.devices] == [0, 1]
    assert {device.name for device in read.metadata.devices} == {"NVIDIA H200"}


def test_a_recording_replaces_a_data_set_and_the_other_way_round(tmp_path: Path) -> None:
    path = tmp_path / "scan.parquet"
    one = recording([Launch()])
    for _ in range(2):
        write_dataset([one, one], path)
        assert len(read_recording(path).launches) == 2
        write_recording(one, path)
        assert len(read_recording(path).launches) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["scan.parquet"]


def test_a_folder_that_is_no_recording_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "one.jpg").touch()
    with pytest.raises(InputError, match="not a recording, and is not overwritten"):
        write_recording(recording([Launch()]), tmp_path / "photos")
    assert (tmp_path / "photos" / "one.jpg").exists()


def test_a_file_that_is_no_recording_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "profile.json").write_text("{}")
    with pytest.raises(InputError, match="not a recording, and is not overwritten"):
        write_recording(recording([Launch()]), tmp_path / "profile.json")
    assert (tmp_path / "profile.json").read_text() == "{}"


def test_a_link_to_a_recording_stays_a_link(tmp_path: Path) -> None:
    write_recording(recording([Launch()]), tmp_path / "real.parquet")
    (tmp_path / "link.parquet").symlink_to("real.parquet")
    write_recording(recording([Launch(), Launch()]), tmp_path / "link.parquet")
    assert (tmp_path / "link.parquet").is_symlink()
    assert len(read_recording(tmp_path / "real.parquet").launches) == 2


def test_a_source_name_that_is_no_text_can_be_stored(tmp_path: Path) -> None:
    odd = replace(
        recording([Launch()]),
        metadata=replace(recording([Launch()]).metadata, source_name="by\udcff.json"),
    )
    write_recording(odd, tmp_path / "r.parquet")
    assert read_recording(tmp_path / "r.parquet").metadata.source_name == "by?.json"


def test_a_newer_major_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    write_recording(recording([Launch()]), path)
    table = pq.read_table(path)
    metadata = {**unsealed(table.schema.metadata), b"geoaudit_schema_version": b"2.0"}
    pq.write_table(table.replace_schema_metadata(metadata), path)
    with pytest.raises(InputError, match="schema version 2.0 is newer than 1.3"):
        read_recording(path)


def test_columns_that_an_older_version_lacks_are_null(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    write_recording(recording([Launch()]), path)
    table = pq.read_table(path).drop_columns([s.BARRIERS_PER_BLOCK])
    metadata = unsealed(table.schema.metadata)
    old = {**metadata, b"geoaudit_schema_version": b"1.0"}
    pq.write_table(table.replace_schema_metadata(old), path)
    read = read_recording(path)
    assert read.launches[s.BARRIERS_PER_BLOCK].isna().all()
    validate(read.launches)
    newer = {**metadata, b"geoaudit_schema_version": b"1.2"}
    pq.write_table(table.replace_schema_metadata(newer), path)
    with pytest.raises(SchemaError, match="missing .'barriers_per_block'."):
        read_recording(path)


def test_what_is_no_recording_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not parquet")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "foreign.parquet")
    (tmp_path / "folder").mkdir()
    for name, words in {
        "missing": "no such recording",
        "text": "not a readable recording",
        "foreign.parquet": "not a recording of geoaudit",
        "folder": "is not a recording",
    }.items():
        assert not is_recording(tmp_path / name)
        with pytest.raises(InputError, match=words):
            read_recording(tmp_path / name)


def test_a_cut_recording_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    write_recording(recording([Launch()]), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="not a readable recording"):
        read_recording(path)


def test_a_path_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_recording(recording([Launch()]), tmp_path / "no" / "such" / "folder")


def test_times_of_two_instruments_are_never_joined() -> None:
    one = recording([Launch()])
    other = replace(one, metadata=replace(one.metadata, instrument="ncu"))
    with pytest.raises(InputError, match="kineto, ncu"):
        join_recordings([one, other])


def test_interventions_of_every_part_keep_their_device() -> None:
    done = Intervention(
        kernel_short="k",
        grid=(132, 1, 1),
        block=(128, 1, 1),
        dynamic_shared_bytes=0,
        position=0,
        alone_ns=(10,),
        in_situ_ns=(10,),
        device=3,
    )
    one = recording([Launch()])
    other = recording([Launch(), Launch(device=3)])
    other = replace(other, metadata=replace(other.metadata, interventions=(done,)))
    joined = join_recordings([one, other])
    assert joined.launches[s.DEVICE].tolist() == [0, 1, 2]
    assert joined.metadata.interventions == (replace(done, device=2),)


@pytest.mark.parametrize("figure", [0.0, -5.0, 1e-300, 1e300])
def test_a_measured_figure_that_cannot_be_is_none(figure: float, tmp_path: Path) -> None:
    wrong = Calibration(
        device_name="NVIDIA H200", copy_bytes_per_second=figure, launch_floor_ns=1_200.0
    )
    made = recording([Launch()])
    made = replace(made, metadata=replace(made.metadata, calibrations=(wrong,)))
    write_recording(made, tmp_path / "r.parquet")
    read = read_recording(tmp_path / "r.parquet").metadata
    assert read.calibrations == (replace(wrong, copy_bytes_per_second=None),)
    assert read.warnings == (
        f"copy_bytes_per_second {figure:g} of NVIDIA H200 cannot be: taken as not measured",
    )


def warned(recording: Recording, *warnings: str, partial: bool = False) -> Recording:
    metadata = replace(recording.metadata, warnings=warnings, partial=partial)
    return replace(recording, metadata=metadata)


def test_a_data_set_that_lacks_a_rank_is_partial_and_names_it(tmp_path: Path) -> None:
    write_dataset([part(0, [Launch()], 4), part(2, [Launch()], 4)], tmp_path / "set")
    read = read_recording(tmp_path / "set").metadata
    assert read.ranks == 4
    assert read.partial
    assert read.missing_ranks == (1, 3)
    assert read.warnings == (
        "ranks 1 and 3 of 4 have no recording: all figures are of ranks 0 and 2, and how long "
        "they wait for what is missing cannot be told",
    )


def test_a_data_set_of_one_part_is_one_too(tmp_path: Path) -> None:
    write_dataset([part(1, [Launch()], 2)], tmp_path / "set")
    read = read_recording(tmp_path / "set").metadata
    assert (read.partial, read.missing_ranks) == (True, (0,))


def test_a_data_set_of_all_ranks_is_whole(tmp_path: Path) -> None:
    write_dataset([part(0, [Launch()], 2), part(1, [Launch()], 2)], tmp_path / "set")
    read = read_recording(tmp_path / "set").metadata
    assert (read.ranks, read.partial, read.missing_ranks, read.warnings) == (2, False, (), ())


def test_the_largest_number_of_ranks_that_a_part_tells_counts() -> None:
    """A part that knows of fewer, or of none, takes nothing away."""
    parts = [part(0, [Launch()], None), part(1, [Launch()], 3)]
    joined = join_recordings(parts).metadata
    assert (joined.ranks, joined.missing_ranks) == (3, (2,))
    assert join_recordings([part(0, [Launch()]), part(1, [Launch()])]).metadata.ranks is None


def test_a_part_that_does_not_tell_its_rank_may_be_the_one_that_lacks() -> None:
    joined = join_recordings([part(0, [Launch()], 2), part(None, [Launch()], 2)]).metadata
    assert (joined.partial, joined.missing_ranks) == (False, ())


def test_one_rank_in_a_file_of_its_own_warns_and_is_not_partial(tmp_path: Path) -> None:
    write_recording(part(0, [Launch()], 2), tmp_path / "one.parquet")
    read = read_recording(tmp_path / "one.parquet").metadata
    assert (read.partial, read.missing_ranks) == (False, ())
    assert read.warnings == (
        "this is rank 0 of 2 alone: what the others launch, and how long ranks wait for each "
        "other, is not in it",
    )


def test_warnings_say_which_rank_they_are_of() -> None:
    joined = join_recordings(
        [
            warned(part(0, [Launch()]), "left out on request"),
            warned(part(1, [Launch()]), "left out on request", "the buffer ended", partial=True),
        ]
    ).metadata
    assert joined.partial
    assert joined.warnings == (
        "left out on request",
        "rank 1: cut; only its complete part was read",
        "rank 1: the buffer ended",
    )
    unranked = join_recordings([warned(part(None, [Launch()]), "a"), part(None, [Launch()])])
    assert unranked.metadata.warnings == ("a",)


@pytest.mark.parametrize("ranks", [0, -1, 10**9, 2**63 - 1])
def test_a_number_of_ranks_that_no_run_has_is_refused(tmp_path: Path, ranks: int) -> None:
    whole = part(0, [Launch()], 2)
    path = tmp_path / "scan.parquet"
    write_recording(replace(whole, metadata=replace(whole.metadata, ranks=ranks)), path)
    with pytest.raises(InputError, match="ranks, which no run has"):
        read_recording(path)


def test_a_rank_that_two_parts_hold_is_told() -> None:
    joined = join_recordings(
        [part(0, [Launch()], 2), part(1, [Launch()], 2), part(1, [Launch()], 2)]
    )
    assert joined.metadata.warnings == (
        "rank 1: 2 parts hold it, and all are counted; leave out what is not of this run",
    )
    assert join_recordings([part(0, [Launch()], 2), part(1, [Launch()], 2)]).metadata.warnings == ()
