"""What is said of a command's streams, and which of them make recordings."""

import re
from pathlib import Path

import numpy as np
import pytest

from geoaudit.errors import NotMeasuredError
from geoaudit.recording.processes import Processes, read_processes
from tests.recorder.writer import file_header, kernels, names_block, records_block, status

ONE_KERNEL = names_block({1: "gemv"}) + records_block("kernels", kernels({}))


def _processes(folder: Path, *files: bytes) -> Processes:
    paths = []
    for number, data in enumerate(files):
        path = folder / f"{number}.geoaudit"
        path.write_bytes(data)
        paths.append(path)
    return read_processes(paths, "engine")


def _stream(*blocks: bytes, process: int = 7) -> bytes:
    return file_header(process=process) + b"".join(blocks)


def _status(**counts: int) -> bytes:
    return records_block("status", status(**counts))


def test_a_whole_recording_has_no_trouble(tmp_path: Path) -> None:
    processes = _processes(tmp_path, _stream(ONE_KERNEL, _status(launches_seen=1)))
    assert processes.troubles == ()
    (recording,) = processes.recordings
    assert recording.metadata.source_name == "engine"


def test_no_process_initialised_cuda(tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError, match="engine: no process of it loaded the recorder"):
        _processes(tmp_path)


NOTHING_RECORDED = {
    "empty": (b"", "the recorder could not write"),
    "no CUPTI": (_stream(_status(error=100_000)), "no CUPTI was found that loads"),
    "cut header": (file_header()[:40], "cut inside its first 80 bytes"),
    "ended at once": (_stream(), "ended before the recorder's first half second"),
    "no kernel": (_stream(_status()), "it launched no kernel"),
    "another subscriber": (_stream(_status(error=39)), "another profiler in the process has CUPTI"),
    "another error": (_stream(_status(error=35)), "administrators only. Run as one"),
    "an error nobody knows": (_stream(_status(error=77)), "(CUPTI error 77)"),
    "a CUPTI too old": (_stream(_status(error=14)), "older than CUDA 12.0"),
    "records taken": (
        _stream(_status(launches_seen=1000, graph_launches_seen=234)),
        "1,234 launches were seen and no record arrived",
    ),
    "full disk": (file_header(write_error=28), "No space left on device"),
}


@pytest.mark.parametrize("case", NOTHING_RECORDED)
def test_nothing_recorded_is_not_measured_and_says_why(tmp_path: Path, case: str) -> None:
    data, says = NOTHING_RECORDED[case]
    with pytest.raises(NotMeasuredError, match=re.escape(says)) as raised:
        _processes(tmp_path, data)
    assert str(raised.value).startswith("engine: no kernel was recorded: ")


TROUBLES = {
    "missing": (
        [ONE_KERNEL, _status(launches_seen=1500)],
        "1,499 of 1,500 launches seen have no record",
    ),
    "dropped": (
        [ONE_KERNEL, _status(launches_seen=1, dropped_records=1234)],
        "CUPTI dropped 1,234 records",
    ),
    "cut": ([ONE_KERNEL, _status(launches_seen=1), b"GBLK"], "the file ends inside a block header"),
    "missing where killed": (
        [ONE_KERNEL, _status(launches_seen=5, finished=0)],
        "4 of 5 launches seen have no record",
    ),
    "graphs without nodes": (
        [ONE_KERNEL, _status(launches_seen=1, graph_launches_seen=3)],
        "3 launches of graphs were seen, and no record of a node arrived",
    ),
    "untimed": (
        [records_block("kernels", kernels({"start_ns": 0, "end_ns": 0})), _status(launches_seen=1)],
        "no kernel record has a time",
    ),
    "killed at once": ([ONE_KERNEL], "ended before the recorder's first half second"),
}


@pytest.mark.parametrize("case", TROUBLES)
def test_trouble_is_said_beside_what_was_recorded(tmp_path: Path, case: str) -> None:
    blocks, says = TROUBLES[case]
    processes = _processes(tmp_path, _stream(*blocks))
    assert len(processes.recordings) == 1
    (trouble,) = processes.troubles
    assert trouble.startswith("process 7: ")
    assert says in trouble


def test_a_graphs_nodes_do_not_stand_in_for_missing_launches(tmp_path: Path) -> None:
    nodes = kernels(*[{"graph_id": 1, "graph_node_id": node} for node in range(1, 9)])
    blocks = [records_block("kernels", nodes), _status(launches_seen=2, graph_launches_seen=1)]
    (trouble,) = _processes(tmp_path, _stream(*blocks)).troubles
    assert "2 of 2 launches seen have no record" in trouble


def test_a_killed_process_whose_launches_all_have_records_is_partial(tmp_path: Path) -> None:
    blocks = [ONE_KERNEL, _status(launches_seen=1, finished=0)]
    processes = _processes(tmp_path, _stream(*blocks))
    assert processes.troubles == ()
    assert processes.recordings[0].metadata.partial


def test_a_process_killed_before_the_first_status_is_partial(tmp_path: Path) -> None:
    (recording,) = _processes(tmp_path, _stream(ONE_KERNEL)).recordings
    assert recording.metadata.partial


def test_a_process_that_runs_on_is_told(tmp_path: Path) -> None:
    (tmp_path / "7.geoaudit").write_bytes(_stream(ONE_KERNEL, _status(launches_seen=1, finished=0)))
    processes = read_processes([tmp_path / "7.geoaudit"], "engine", running={7})
    assert processes.troubles[0].startswith("process 7: it was still running")


def test_one_process_in_trouble_leaves_the_others(tmp_path: Path) -> None:
    good = [_stream(ONE_KERNEL, _status(launches_seen=1), process=number) for number in (7, 8)]
    processes = _processes(tmp_path, good[0], b"", good[1], _stream(_status(error=39), process=9))
    names = [recording.metadata.source_name for recording in processes.recordings]
    assert names == ["engine (process 7)", "engine (process 8)"]
    assert len(processes.troubles) == 2
    assert "could not write" in processes.troubles[0]
    assert processes.troubles[1].startswith("process 9: another profiler")


def test_a_process_that_launched_nothing_is_no_recording_and_no_trouble(tmp_path: Path) -> None:
    helper = _stream(_status(), process=8)
    processes = _processes(tmp_path, _stream(ONE_KERNEL, _status(launches_seen=1)), helper)
    assert len(processes.recordings) == 1
    assert processes.troubles == ()


def test_a_damaged_stream_is_trouble(tmp_path: Path) -> None:
    data = bytearray(_stream(ONE_KERNEL, ONE_KERNEL, _status(launches_seen=2)))
    data[np.argmax([data[i : i + 4] == b"gemv" for i in range(len(data))]) + 200] ^= 1
    (trouble,) = _processes(tmp_path, bytes(data)).troubles
    assert "is damaged" in trouble
