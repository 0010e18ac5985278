"""``--bytes FILE``: its format, its errors, and what the audit makes of it."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from geoaudit.cli.bytes_file import read_bytes_file
from geoaudit.cli.main import main
from geoaudit.errors import InputError
from geoaudit.launches import schema as s
from geoaudit.launches.store import write_recording
from geoaudit.ranking.declared_bytes import DeclaredBytes, with_declared_bytes
from tests.unit.ranking.builders import Launch, recording, tokens


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "bytes.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_kernels_bytes_and_grids(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "\ufeffkernel, bytes, grid\n# two engines\nrms_norm,3 * 4 * 7168,\n\n"
        '"scale<4, 8>",4096,12x4\nattn,cdiv(9; 2)\n'.replace(";", ","),
    )
    with pytest.raises(InputError, match=r"bytes.csv:6: 3 cells|bytes.csv:6: bytes"):
        read_bytes_file(file)
    file.write_text(file.read_text().replace("attn,cdiv(9, 2)", 'attn,"cdiv(9, 2)"'))
    assert read_bytes_file(file) == (
        DeclaredBytes(pattern="rms_norm", bytes=86_016, location=f"{file}:3"),
        DeclaredBytes(pattern="scale<4, 8>", bytes=4096, grid=(12, 4, 1), location=f"{file}:5"),
        DeclaredBytes(pattern="attn", bytes=5, location=f"{file}:6"),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("name,size\nk,1\n", r":1: the heading is 'name,size'"),
        ("kernel,bytes\n,1\n", r":2: has no kernel"),
        ("kernel,bytes\nk(,1\n", r":2: kernel 'k\(' is not a regular expression"),
        ("kernel,bytes\nk,\n", r":2: bytes '' is empty"),
        ("kernel,bytes\nk,width\n", r":2: bytes 'width' .*width"),
        ("kernel,bytes\nk,3 - 4\n", r":2: bytes '3 - 4' is -1; write 0 or more"),
        ("kernel,bytes\n" + "(" * 5000 + ",1\n", r":2: kernel .* it is nested too deeply"),
        ("kernel,bytes\n" + "k" * 10_001 + ",1\n", r":2: kernel .* has 10,001 characters"),
        ("kernel,bytes\n" + "k,1\n" * 10_001, r"10,001 lines, more than 10,000"),
        ("kernel,bytes,grid\nk,1,12*4\n", r":2: grid '12\*4' is no grid"),
        ("kernel,bytes,grid\nk,1,0x0\n", r":2: grid '0x0' is no grid"),
        ("kernel,bytes\n", r":1: has a heading and no line"),
        ("kernel,bytes\nk,1.5\n", r":2: bytes '1.5' is 1.5; write whole bytes"),
        ("kernel,bytes\nk," + "1+" * 600 + "1\n", r"too deeply. Write the number.$"),
        ("kernel,bytes\nk," + "-" * 70 + "1\n", r"too deeply. Write the number.$"),
        ("kernel,bytes\nscale<4, 8>,4096\n", r":2: 3 cells under 2 headings"),
    ],
)
def test_a_fault_is_told_with_file_and_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_bytes_file(written(tmp_path, text))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_bytes_file(tmp_path / "gone.csv")


def audited(tmp_path: Path, file: Path) -> dict[str, Any]:
    """What rank makes of two kernels with a file of bytes."""
    layout = [Launch(kernel="Norm", duration=8_000), Launch(kernel="b", start=9_000, blocks=40)]
    scan = tmp_path / "scan.parquet"
    write_recording(recording(tokens(layout, count=3, period_ns=20_000)), scan)
    arguments = ["rank", str(scan), "--format", "json", "--bytes", str(file)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_the_audit_holds_kernels_against_what_the_user_says(tmp_path: Path) -> None:
    file = written(tmp_path, "kernel,bytes,grid\nnorm,96000000,\nb,1,7\nn,5,\n")
    document = audited(tmp_path, file)
    found = {row["kernel"]: row for row in document["rows"]}
    assert found["Norm"]["floor_bytes"] == 96_000_000
    assert found["Norm"]["floor_source"] == "compulsory"
    # 96 MB at the 4.8 TB/s of the data sheet.
    assert found["Norm"]["floor_ns"] == pytest.approx(20_000)
    assert found["Norm"]["floor_ratio"] == pytest.approx(0.4)
    assert found["Norm"]["floor_is_measured"] is False
    assert found["b"]["floor_ns"] is None
    (warning,) = [one for one in document["scan"]["warnings"] if "no launch" in one]
    assert warning == f"{file}:3: no launch is of a kernel that matches b with grid 7 x 1 x 1"
    assert f"{file}:4: says nothing, since earlier lines fit every launch of a kernel that" in str(
        document["scan"]["warnings"]
    )


def test_what_is_no_hand_written_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--bytes /dev/zero: longer than 64 MiB"):
        read_bytes_file(Path("/dev/zero"))
    result = CliRunner().invoke(main, ["rank", "--bytes", ""])
    assert (result.exit_code, "--bytes': is empty: name a file" in result.output) == (2, True)


def test_bytes_may_be_a_power_of_ten(tmp_path: Path) -> None:
    file = written(tmp_path, "kernel,bytes\nk,8e6\nl,2 * 1.5e3\n")
    assert [line.bytes for line in read_bytes_file(file)] == [8_000_000, 3_000]


def test_many_lines_that_fit_nothing_are_counted(tmp_path: Path) -> None:
    file = written(tmp_path, "kernel,bytes\n" + "".join(f"k{n},1\n" for n in range(100)))
    told = [one for one in audited(tmp_path, file)["scan"]["warnings"] if "no launch" in one]
    assert len(told) == 6
    assert told[-1] == "95 more lines of declared bytes fit no launch"


def test_a_pattern_is_matched_once_with_each_name() -> None:
    asked = []

    def matching(pattern: str, names: Sequence[str]) -> list[bool]:
        asked.append((pattern, sorted(names)))
        return [name == "k" for name in names]

    lines = [DeclaredBytes(pattern="k", bytes=n, grid=(n, 1, 1)) for n in (132, 40)]
    launches = [Launch(), Launch(start=20, blocks=40), Launch(start=40, kernel="other")]
    found = with_declared_bytes(recording(launches), lines, matching)
    assert asked == [("k", ["k", "other"])]
    assert found.launches[s.COMPULSORY_BYTES].tolist()[:2] == [132, 40]
    assert found.launches[s.COMPULSORY_BYTES].isna().tolist() == [False, False, True]


def test_a_field_too_long_for_a_csv_is_told(tmp_path: Path) -> None:
    # Reading a profile raises the limit of the whole process.
    before = csv.field_size_limit(131_072)
    try:
        with pytest.raises(InputError, match=r":2: no line of a CSV \(field larger"):
            read_bytes_file(written(tmp_path, "kernel,bytes\n" + "k" * 140_000 + ",1\n"))
    finally:
        csv.field_size_limit(before)
