"""Recordings of which a byte changed: a clear error, and never other figures."""

import random
import time
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from geoaudit.cli.main import main
from geoaudit.errors import InputError
from geoaudit.launches.store import is_recording, read_recording, write_recording
from tests.unit.ranking.builders import Launch, recording

REPORTS = Path(__file__).parents[3] / "reports"
CAPTURES = [
    REPORTS / "h200-decode-suite" / "confirmed.parquet",
    REPORTS / "h200-labelled-set" / "quiet-eager.parquet",
]
CHANGES = 150
LIMIT_S = 60.0


def changed(content: bytes, numbers: random.Random) -> bytes:
    place = numbers.randrange(len(content))
    other = (content[place] + numbers.randrange(1, 256)) % 256
    return content[:place] + bytes([other]) + content[place + 1 :]


def without_digest(capture: Path, path: Path) -> bytes:
    """The capture as older geoaudits wrote it."""
    table = pq.read_table(capture)
    metadata = dict(table.schema.metadata)
    del metadata[b"geoaudit_digest"]
    metadata[b"geoaudit_schema_version"] = b"1.2"
    pq.write_table(table.replace_schema_metadata(metadata), path, compression="zstd")
    return path.read_bytes()


@pytest.mark.parametrize(
    "capture",
    sorted(path for path in REPORTS.rglob("*.parquet") if path.is_file()),
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_every_kept_capture_has_a_digest(capture: Path) -> None:
    assert b"geoaudit_digest" in pq.read_schema(capture).metadata


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_a_changed_byte_is_a_clear_error(capture: Path, tmp_path: Path) -> None:
    content, numbers, end = capture.read_bytes(), random.Random(5), time.monotonic() + LIMIT_S
    path = tmp_path / "changed.parquet"
    lost_digest = content.replace(b"geoaudit_digest", b"geoaudit_digesu")
    for damaged in (lost_digest, *(changed(content, numbers) for _ in range(CHANGES))):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"changed\.parquet: not a readable recording"):
            read_recording(path)
        is_recording(path)
        assert time.monotonic() < end
    ended = CliRunner().invoke(main, ["rank", str(path)])
    assert (ended.exit_code, type(ended.exception)) == (2, SystemExit)


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_a_changed_byte_without_a_digest_is_no_traceback(capture: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.parquet"
    content, numbers = without_digest(capture, path), random.Random(7)
    end = time.monotonic() + 10.0
    errors = 0
    for _ in range(CHANGES):
        path.write_bytes(changed(content, numbers))
        try:
            read_recording(path)
        except InputError as error:
            assert "old.parquet: " in str(error)  # noqa: PT017 - not every change is one
            errors += 1
        if time.monotonic() > end:
            break
    assert errors


def test_a_name_that_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_recording(recording([Launch()] * 12), Path("r.parquet"))
    odd = Path("by\udcff'.parquet")
    write_recording(recording([Launch()] * 12), odd)
    assert is_recording(odd)
    pd.testing.assert_frame_equal(
        read_recording(odd).launches, read_recording(Path("r.parquet")).launches
    )
    for words in (["rank"], ["explain", "k", "--scan"], ["report", "-o", "by\udcff"]):
        ended = CliRunner().invoke(main, [*words, str(odd)])
        assert ended.exit_code == 0, (words, ended.output, ended.exception)
    scanned = CliRunner().invoke(main, ["scan", "-o", str(odd)])
    assert scanned.output.rstrip().endswith(r"next: geoaudit rank $'by\xff\x27.parquet'")
