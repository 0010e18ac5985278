import os
import stat
from pathlib import Path

import pytest

from geoaudit.cli.output import OutputOptions, write_outputs, write_text
from geoaudit.errors import InputError


def test_a_file_is_written_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("old")
    file.chmod(0o600)
    write_text(file, "new")
    assert file.read_text() == "new\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "target.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("target.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "target.txt").read_text() == "new\n"


def test_a_pipe_is_written_into_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "text")
    assert os.read(reader, 100) == b"text\n"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_stays_a_device() -> None:
    write_text(Path("/dev/null"), "text")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_recording_is_not_overwritten_by_a_table(tmp_path: Path) -> None:
    (tmp_path / "r.parquet").write_bytes(b"PAR1 and more")
    with pytest.raises(InputError, match="is a recording"):
        write_text(tmp_path / "r.parquet", "table")
    assert (tmp_path / "r.parquet").read_bytes() == b"PAR1 and more"


def test_two_outputs_never_go_to_one_file(tmp_path: Path) -> None:
    file = tmp_path / "same"
    options = OutputOptions(format="json", file=file, extra=(("csv", file),))
    with pytest.raises(InputError, match="two outputs go to"):
        write_outputs({"json": lambda: "{}", "csv": lambda: "a"}, options)
    assert not file.exists()


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_text(tmp_path / "no" / "file", "text")
