"""Files that are no trace, damaged ones, and traces with wrong values in them."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geoaudit.errors import GeoauditError, InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.sources.kineto import SOURCE
from geoaudit.sources.kineto.repair import repair
from geoaudit.sources.registry import ReadOptions
from tests.unit.sources.kineto.kineto_trace import annotation, call, kernel, read, read_bytes, trace

MEMCPY = kernel("Memcpy DtoD", ts=30, dur=0, bytes=64) | {"cat": "gpu_memcpy"}


@pytest.mark.parametrize(
    "token", ["inf", "-inf", "nan", "-nan", "N/A", "Infinity", "NaN", "1.#INF"]
)
def test_foreign_number_tokens_are_missing_values(tmp_path: Path, token: str) -> None:
    event = kernel("Memcpy DtoD", ts=30, dur=1, memory_bandwidth=123456) | {"cat": "gpu_memcpy"}
    data = trace(kernel("k: inf, [nan]"), event).replace(b"123456", token.encode())
    recording = read_bytes(tmp_path, data)
    assert recording.launches[s.KERNEL].tolist() == ["k: inf, [nan]", "Memcpy DtoD"]
    assert recording.metadata.warnings == (
        "The file is not strict JSON: 1 numbers such as inf, nan or N/A were read as missing, "
        "0 unescaped backslashes were kept as written.",
    )


def test_a_foreign_token_as_a_time_is_untimed(tmp_path: Path) -> None:
    data = trace(kernel(), kernel(ts=20, dur=77)).replace(b'"dur": 77', b'"dur": inf')
    assert read_bytes(tmp_path, data).metadata.untimed == 1


@pytest.mark.parametrize("path", [r"C:\qux\x.py", r"C:\users\me", r"D:\u12\0"])
def test_unescaped_windows_paths(tmp_path: Path, path: str) -> None:
    function = {"ph": "X", "cat": "python_function", "name": "PATH", "ts": 1, "dur": 1}
    data = trace(function, kernel(), annotation("PATH", 1, 1)).replace(b"PATH", path.encode())
    recording = read_bytes(tmp_path, data)
    assert len(recording.launches) == 1
    assert len(recording.metadata.warnings) == 1


strings = st.text(alphabet=st.sampled_from('ab\\":,[]{} inf nan N/A é'), max_size=20)
documents = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | strings,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=20,
)


@given(documents)
def test_repair_leaves_valid_json_as_it_is(document: object) -> None:
    text = json.dumps(document).encode()
    repaired = repair(text)
    assert (repaired.data, repaired.escapes, repaired.numbers) == (text, 0, 0)


@given(documents, st.sampled_from(["Infinity", "-Infinity", "NaN"]))
def test_repair_makes_python_s_own_tokens_null(document: object, token: str) -> None:
    text = json.dumps([document, float(token), {"a": float(token)}]).encode()
    assert json.loads(repair(text).data) == [document, None, {"a": None}]


@pytest.mark.parametrize("data", [b"", b" \n", gzip.compress(b"", mtime=0)])
def test_an_empty_file(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputError, match="is empty"):
        read_bytes(tmp_path, data)


def test_a_directory_and_a_missing_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.json"):
        with pytest.raises(InputError, match="cannot be read"):
            SOURCE.read(path, ReadOptions())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": 1}', "no traceEvents"),
        (b'{"traceEvents": null}', "no traceEvents"),
        (b'{"traceEvents": 5}', "not a trace"),
        (b'"text"', "does not start like JSON"),
        (b"42", "does not start like JSON"),
        (b"ID,Name\n1,k\n", "does not start like JSON"),
        ('{"traceEvents": []}'.encode("utf-16"), "UTF-16"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"traceEvents": [' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_trace(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_bytes(tmp_path, data)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"ph"', b"'ph'", r"not valid JSON at byte \d+ \(line 1\)"),
        (b'"k"', b'"k\x00"', r"at byte \d+ \(line 1\): NUL byte"),
        (b'"k"', b'"k\xff"', r"event 0 holds text that is not valid"),
        (b"]}", b"]} {}", "split them"),
    ],
)
def test_damaged_text_is_located(tmp_path: Path, old: bytes, new: bytes, message: str) -> None:
    data = trace(kernel())
    damaged = new.join(data.rsplit(old, 1))
    with pytest.raises(InputError, match=message):
        read_bytes(tmp_path, damaged)


def test_a_position_counts_lines(tmp_path: Path) -> None:
    data = json.dumps({"traceEvents": [kernel()]}, indent=1).replace('"dur": 5', '"dur": five')
    line = data[: data.index("five")].count("\n") + 1
    with pytest.raises(InputError, match=rf"\(line {line}\)"):
        read_bytes(tmp_path, data.encode())


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_cut_file_is_refused(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(trace(*(kernel(f"k{n}", ts=n) for n in range(200))))
    with pytest.raises(InputError, match="--allow-partial"):
        read_bytes(tmp_path, packed[: len(packed) // 2])


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_complete_part_of_a_cut_file(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(trace(*(kernel(f"k{n}", ts=n) for n in range(2000))))
    recording = read_bytes(tmp_path, packed[: len(packed) // 2], allow_partial=True)
    count = len(recording.launches)
    assert recording.metadata.partial
    assert recording.metadata.warnings[0].startswith("PARTIAL")
    assert 500 < count < 1500
    assert recording.launches[s.KERNEL].tolist() == [f"k{n}" for n in range(count)]


def test_a_gzip_file_without_its_checksum_is_partial(tmp_path: Path) -> None:
    recording = read_bytes(tmp_path, gzip.compress(trace(kernel()))[:-4], allow_partial=True)
    assert recording.metadata.partial
    assert len(recording.launches) == 1


def test_a_whole_file_is_not_partial(tmp_path: Path) -> None:
    assert not read_bytes(tmp_path, trace(kernel()), allow_partial=True).metadata.partial


def test_a_file_cut_before_its_first_event(tmp_path: Path) -> None:
    data = trace(kernel())
    end = data.index(b'"traceEvents"') + 20
    with pytest.raises(InputError, match="before its first complete event"):
        read_bytes(tmp_path, data[:end], allow_partial=True)


def test_launches_without_any_kernel_record(tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError, match="3 launches, 0 kernel records: the profiler lost"):
        read(tmp_path, *(call(correlation=n) for n in range(3)))


@pytest.mark.parametrize(
    "events",
    [
        [],
        [{"ph": "M", "name": "process_name", "pid": n, "args": {"name": "x"}} for n in (1, 2)],
        [MEMCPY],
        [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "ts": 1, "dur": 1}],
        [kernel() | {"ph": "i"}],
    ],
)
def test_a_trace_without_kernels_is_no_clean_bill(tmp_path: Path, events: list[Any]) -> None:
    with pytest.raises(NotMeasuredError, match="no kernel records"):
        read(tmp_path, *events)


@pytest.mark.parametrize("event", [5, "text", None, [], [kernel()], {"cat": []}, {"cat": 3}])
def test_what_is_no_event_is_skipped_and_counted(tmp_path: Path, event: object) -> None:
    recording = read(tmp_path, kernel(), event)
    assert len(recording.launches) == 1
    (warning,) = recording.metadata.warnings
    assert warning.startswith("1 events could not be read and were skipped (event 1: Expected")


@pytest.mark.parametrize("ts", ["soon", [], {}, True])
def test_an_event_with_a_time_of_a_wrong_type_is_skipped(tmp_path: Path, ts: object) -> None:
    recording = read(tmp_path, kernel(), kernel() | {"ts": ts})
    assert len(recording.launches) == 1
    assert "event 1" in recording.metadata.warnings[0]


@pytest.mark.parametrize(
    "args", [[], "text", 5, {"grid": "1x1x1"}, {"grid": 5}, {"device": "cuda:0"}, {"stream": 2**70}]
)
def test_arguments_of_a_wrong_type_leave_the_launch_in(tmp_path: Path, args: object) -> None:
    recording = read(tmp_path, kernel(), kernel(ts=20) | {"args": args})
    assert recording.launches[s.DURATION_NS].tolist() == [5000, 5000]
    assert recording.launches[s.GRID_X].isna().tolist() == [False, True]
    (warning,) = recording.metadata.warnings
    assert warning.startswith("1 events have arguments of a wrong type")


def test_numbers_written_as_text_are_numbers(tmp_path: Path) -> None:
    event = kernel(correlation="7", grid=["4", 1, 1.0]) | {"ts": "10.5"}
    row = read(tmp_path, event).launches.iloc[0]
    assert (row[s.START_NS], row[s.CORRELATION_ID], row[s.GRID_X]) == (10500, 7, 4)


@pytest.mark.parametrize("devices", [5, "text", [5], [{"id": "zero"}], [{}], None])
def test_device_properties_of_a_wrong_type_are_no_properties(
    tmp_path: Path, devices: object
) -> None:
    data = json.dumps({"deviceProperties": devices, "traceEvents": [kernel()]}).encode()
    (device,) = read_bytes(tmp_path, data).metadata.devices
    assert device.sm_count is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.data())
def test_any_cut_or_changed_byte_gives_an_error_of_ours_or_a_table(
    tmp_path: Path, data: st.DataObject
) -> None:
    text = trace(annotation("a", 0, 9), call(ts=1, correlation=1), kernel(correlation=1), MEMCPY)
    at = data.draw(st.integers(0, len(text) - 1))
    piece = data.draw(
        st.sampled_from([b"", b"\0", b'"', b"{", b"]", b"-", b"9" * 30, b"\\", b"\xff"])
    )
    keep = data.draw(st.booleans())
    changed = text[:at] + piece + (text[at + 1 :] if keep else b"")
    try:
        recording = read_bytes(tmp_path, changed, allow_partial=data.draw(st.booleans()))
    except GeoauditError:
        return
    assert len(recording.launches) > 0


wild = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(st.sampled_from(sorted(kernel())), st.sampled_from(["grid", "stream", "device", None]), wild)
def test_any_value_in_any_field_gives_an_error_of_ours_or_a_table(
    tmp_path: Path, field: str, argument: str | None, value: object
) -> None:
    event = kernel(ts=20)
    if argument is None:
        event[field] = value
    else:
        event["args"][argument] = value
    recording = read(tmp_path, kernel(), event)
    assert 1 <= len(recording.launches) <= 2
