"""Reading the recorder's stream: whole, cut anywhere, damaged anywhere."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.errors import GeoauditError, InputError, NotMeasuredError
from geoaudit.recording import stream as layout
from geoaudit.recording.stream import Stream, read_stream
from tests.recorder.programs import INJECTOR, compile_sources
from tests.recorder.writer import (
    KINDS,
    block,
    file_header,
    kernels,
    names_block,
    records,
    records_block,
    small_stream,
    status,
    stream_of,
)

STRUCTS = {
    "file_header": layout.FILE_HEADER,
    "block_header": layout.BLOCK_HEADER,
    "kernel_record": layout.KERNEL,
    "copy_record": layout.COPY,
    "device_record": layout.DEVICE,
    "context_record": layout.CONTEXT,
    "marker_record": layout.MARKER,
    "launch_record": layout.LAUNCH,
    "status_record": layout.STATUS,
}
# Where the reader's name of a field is not the writer's.
C_NAMES = {("block_header", "bytes"): "payload_bytes"}
PARTS = ("kernels", "copies", "devices", "contexts", "markers", "launches")


def _read(tmp_path: Path, data: bytes) -> Stream:
    file = tmp_path / "7.geoaudit"
    file.write_bytes(data)
    return read_stream(file)


def _parts(stream: Stream) -> dict[str, bytes]:
    return {name: getattr(stream, name).tobytes() for name in PARTS}


def test_a_whole_stream_comes_back(tmp_path: Path) -> None:
    stream = _read(tmp_path, small_stream())
    assert (stream.process, stream.program, stream.rank) == (4242, "engine", 2)
    assert (stream.cupti_version, stream.driver_version) == (130001, 13000)
    assert {name: len(getattr(stream, name)) for name in PARTS} == {
        "kernels": 4, "copies": 1, "devices": 1, "contexts": 1, "markers": 2, "launches": 3,
    }  # fmt: skip
    assert stream.names == {1: "gemv", 2: "token", 3: "größer"}
    assert stream.status is not None
    assert (stream.status["launches_seen"], stream.status["finished"]) == (4, 1)
    assert stream.kernels["correlation_id"].tolist() == [1, 2, 3, 4]
    assert stream.cut is None


numbers = st.integers(0, 2**32 - 1)


@given(
    st.lists(st.tuples(numbers, numbers, st.integers(0, 2**64 - 1)), max_size=30),
    st.dictionaries(numbers, st.text(st.characters(exclude_categories=["Cs"]), max_size=30)),
    st.integers(1, 7),
)
def test_records_and_names_come_back_in_order(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, int, int]],
    names: dict[int, str],
    size: int,
) -> None:
    made = records(
        layout.LAUNCH,
        [{"correlation_id": c, "thread": t, "timestamp_ns": ns} for c, t, ns in rows],
    )
    blocks = [records_block("launches", made[i : i + size]) for i in range(0, len(made), size)]
    stream = stream_of(tmp_path_factory.mktemp("s"), *blocks, names_block(names))
    assert stream.launches.tobytes() == made.tobytes()
    assert stream.names == names
    assert stream.cut is None


def _block_ends(data: bytes) -> list[int]:
    ends = [layout.FILE_HEADER.itemsize]
    while ends[-1] < len(data):
        head = np.frombuffer(data, layout.BLOCK_HEADER, 1, ends[-1])[0]
        ends.append(ends[-1] + layout.BLOCK_HEADER.itemsize + int(head["bytes"]))
    return ends


def test_a_stream_cut_at_any_byte_is_read_up_to_its_last_whole_block(tmp_path: Path) -> None:
    data = small_stream()
    ends = _block_ends(data)
    for length in range(len(data)):
        if length < layout.FILE_HEADER.itemsize:
            with pytest.raises(GeoauditError, match=str(tmp_path)):
                _read(tmp_path, data[:length])
            continue
        stream = _read(tmp_path, data[:length])
        whole = max(end for end in ends if end <= length)
        assert _parts(stream) == _parts(_read(tmp_path, data[:whole])), length
        assert (stream.cut is None) == (length == whole), length
        assert stream.cut is None or "the file ends inside a block" in stream.cut


def test_damage_to_any_byte_is_noticed(tmp_path: Path) -> None:
    data = small_stream()
    whole = _read(tmp_path, data)
    for place in range(len(data)):
        for flip in (0x01, 0x80):
            damaged = bytearray(data)
            damaged[place] ^= flip
            try:
                stream = _read(tmp_path, bytes(damaged))
            except GeoauditError:
                assert place < layout.FILE_HEADER.itemsize
                continue
            assert stream.cut is not None, place
            for name in PARTS:
                assert getattr(whole, name).tobytes().startswith(getattr(stream, name).tobytes())
            assert stream.names.items() <= whole.names.items()


@given(st.binary(max_size=400))
def test_garbage_is_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    with pytest.raises(GeoauditError):
        _read(tmp_path_factory.mktemp("s"), data)


@given(st.binary(min_size=1, max_size=400))
def test_garbage_after_the_header_is_a_cut(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    stream = _read(tmp_path_factory.mktemp("s"), file_header() + data)
    assert stream.cut is not None
    assert len(stream.kernels) == 0


@given(st.integers(0, 12), st.binary(max_size=200), st.integers(0, 40), st.integers(0, 130))
def test_a_block_of_any_layout_is_read_or_cut(
    tmp_path_factory: pytest.TempPathFactory, kind: int, payload: bytes, count: int, size: int
) -> None:
    made = block(kind, payload, count, size) + records_block("status", status(launches_seen=1))
    stream = _read(tmp_path_factory.mktemp("s"), file_header() + made)
    assert (stream.status is None) == (stream.cut is not None) or kind == KINDS["status"]


def test_an_empty_file_says_that_nothing_could_be_written(tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError, match="could not write"):
        _read(tmp_path, b"")


def test_a_newer_stream_asks_for_an_upgrade(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="version 3, this geoaudit reads 2. Upgrade"):
        _read(tmp_path, file_header(version=3))


def test_a_write_that_failed_is_the_cut(tmp_path: Path) -> None:
    stream = _read(
        tmp_path, file_header(write_error=28) + small_stream()[layout.FILE_HEADER.itemsize :]
    )
    assert len(stream.kernels) == 4
    assert stream.cut is not None
    assert "No space left on device" in stream.cut


def test_fields_appended_to_records_are_passed_over(tmp_path: Path) -> None:
    known = kernels({"correlation_id": 5}, {"correlation_id": 6})
    longer = np.zeros(2, np.dtype([("known", layout.KERNEL), ("priority", "<i4"), ("pad", "<i4")]))
    longer["known"], longer["priority"] = known, -5
    usual = records_block("kernels", kernels({"correlation_id": 7}))
    stream = stream_of(tmp_path, records_block("kernels", longer), usual)
    assert stream.cut is None
    assert stream.kernels["correlation_id"].tolist() == [5, 6, 7]
    assert stream.kernels[:2].tobytes() == known.tobytes()


def test_kinds_of_a_later_version_are_passed_over(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, block(99, b"later", 1, 5), records_block("kernels", kernels({})))
    assert (len(stream.kernels), stream.cut) == (1, None)


def test_names_that_are_no_text_are_kept_readable(tmp_path: Path) -> None:
    payload = np.array([1, 3], "<u4").tobytes() + b"a\xff\xfe"
    stream = stream_of(tmp_path, block(KINDS["names"], payload, 1, 0))
    assert stream.names == {1: "a\ufffd\ufffd"}


def test_the_layouts_are_those_of_the_c_structs(tmp_path: Path) -> None:
    lines = []
    for struct, dtype in STRUCTS.items():
        lines.append(f'printf("{struct} %zu\\n", sizeof(struct {struct}));')
        for field in dtype.names or ():
            name = C_NAMES.get((struct, field), field)
            arguments = f"offsetof(struct {struct}, {name}), sizeof(((struct {struct} *)0)->{name})"
            lines.append(f'printf("{struct}.{field} %zu %zu\\n", {arguments});')
    source = tmp_path / "layout.c"
    source.write_text(
        "#include <stddef.h>\n#include <stdio.h>\n"
        f'#include "{INJECTOR / "stream.h"}"\n'
        f"int main(void) {{ {' '.join(lines)} return 0; }}\n"
    )
    program = tmp_path / "layout"
    compile_sources(program, [source])
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    expected = []
    for struct, dtype in STRUCTS.items():
        expected.append(f"{struct} {dtype.itemsize}")
        for field, (kind, offset, *_) in (dtype.fields or {}).items():
            expected.append(f"{struct}.{field} {offset} {kind.itemsize}")
    assert printed.splitlines() == expected


def test_every_kind_of_block_is_known_to_the_reader() -> None:
    header = (INJECTOR / "stream.h").read_text(encoding="utf-8")
    kinds = {int(number) for number in re.findall(r"BLOCK_\w+ = (\d+)", header)}
    assert kinds == {*layout.RECORDS, layout.NAMES_KIND} == set(KINDS.values())
