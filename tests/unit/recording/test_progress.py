import os
import zlib
from pathlib import Path

import numpy as np

from geoaudit.recording.progress import StreamTail, advance, advance_all
from geoaudit.recording.stream import BLOCK_MAGIC, FILE_HEADER, MAGIC, STATUS


def header() -> bytes:
    record = np.zeros(1, FILE_HEADER)
    record["magic"], record["version"] = MAGIC, 1
    return record.tobytes()


def block(kind: int, payload: bytes, size: int = 0) -> bytes:
    words = (BLOCK_MAGIC, kind, size, 1, len(payload), zlib.adler32(payload))
    return np.array(words, "<u4").tobytes() + payload


def status(launches: int, graphs: int = 0, records: int = 0) -> bytes:
    record = np.zeros(1, STATUS)
    record["launches_seen"], record["graph_launches_seen"] = launches, graphs
    record["kernel_records"] = records
    return block(8, record.tobytes(), STATUS.itemsize)


def filled(path: Path, *parts: bytes) -> StreamTail:
    path.write_bytes(b"".join(parts))
    return StreamTail(path=path)


def test_the_last_status_holds(tmp_path: Path) -> None:
    tail = filled(
        tmp_path / "1.geoaudit", header(), status(5), block(1, b"x" * 99), status(7, 2, 60)
    )
    found = advance(tail)
    assert (found.launches, found.kernel_records) == (9, 60)
    assert found.place == tail.path.stat().st_size


def test_only_what_is_new_is_read(tmp_path: Path) -> None:
    tail = advance(filled(tmp_path / "1.geoaudit", header(), status(5)))
    # What was read is not looked at again: here it would end the reading.
    with tail.path.open("r+b") as file:
        file.write(b"\0" * FILE_HEADER.itemsize)
        file.seek(0, os.SEEK_END)
        file.write(block(3, b"names") + status(6))
    assert advance(tail).launches == 6


def test_a_file_that_grows_is_followed_from_any_cut(tmp_path: Path) -> None:
    whole = header() + status(5) + status(6)
    path = tmp_path / "1.geoaudit"
    for cut in range(len(whole) + 1):
        tail = advance(filled(path, whole[:cut]))
        read = cut - len(header()) if cut >= len(header()) else 0
        assert tail.launches == (0, 5, 6)[read // len(status(0))]
        path.write_bytes(whole)
        assert advance(tail).launches == 6


def test_what_is_no_stream_stays_where_it_is(tmp_path: Path) -> None:
    assert advance(filled(tmp_path / "1.geoaudit", b"")).place == 0
    assert advance(filled(tmp_path / "2.geoaudit", b"x" * 200)).place == 0
    assert advance(StreamTail(path=tmp_path / "3.geoaudit")).launches == 0
    damaged = filled(tmp_path / "4.geoaudit", header(), status(5), b"y" * 100, status(6))
    assert advance(damaged).launches == 5


def test_a_file_begun_anew_is_read_anew(tmp_path: Path) -> None:
    tail = advance(filled(tmp_path / "1.geoaudit", header(), status(5), status(6)))
    filled(tail.path, header(), status(1))
    assert advance(tail).launches == 1


def test_all_streams_of_a_folder_are_followed(tmp_path: Path) -> None:
    filled(tmp_path / "1.geoaudit", header(), status(5))
    tails = advance_all(tmp_path, ())
    filled(tmp_path / "2.geoaudit", header(), status(7))
    (tmp_path / "other").write_text("x")
    tails = advance_all(tmp_path, tails)
    assert [tail.launches for tail in tails] == [5, 7]
    assert advance_all(tmp_path / "gone", tails) == ()
