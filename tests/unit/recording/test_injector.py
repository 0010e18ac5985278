"""The recorder in a process, against a fake CUPTI."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from geoaudit.recording.checks.sentences import NO_CUPTI_THAT_LOADS
from geoaudit.recording.convert import MARKER_END, MARKER_START
from geoaudit.recording.stream import MAGIC, Stream, read_stream
from tests.recorder.programs import (
    INJECTOR,
    REPORT_CODE,
    Programs,
    compile_sources,
    compiler,
    counts,
)

# CUPTI_API_VERSION of CUDA 12.2, 12.5, 12.6, 12.9 update 1, and its new form of 13.x.
VERSIONS = (20, 23, 24, 28, 130000, 130001, 130100, 130200, 130400)


@pytest.mark.parametrize("call", ["launch", "runtime"])
@pytest.mark.parametrize("threads", [1, 8])
def test_every_launch_is_recorded_once(
    programs: Programs, tmp_path: Path, call: str, threads: int
) -> None:
    stream = programs.run(tmp_path / "r", f"threads {threads} {call} 5000").stream()
    assert len(stream.kernels) == len(stream.launches) == threads * 5000
    assert set(stream.kernels["correlation_id"]) == set(stream.launches["correlation_id"])
    assert len(np.unique(stream.launches["thread"])) == threads
    found = counts(stream)
    assert (found["launches_seen"], found["kernel_records"]) == (threads * 5000, threads * 5000)
    assert (found["dropped_records"], found["untimed_records"], found["error"]) == (0, 0, 0)
    assert found["finished"] == 1
    assert stream.cut is None


@pytest.mark.parametrize("version", VERSIONS)
def test_records_of_every_cupti_version(programs: Programs, tmp_path: Path, version: int) -> None:
    words = "name _Z3gemv grid 48 cluster 4 launch 3000 copy 2 set 3 push decode:token launch 1 pop"
    stream = programs.run(tmp_path / "r", words, FAKE_CUPTI_VERSION=str(version)).stream()
    kernels = stream.kernels
    assert len(kernels) == 3001
    assert (kernels["grid"] == (48, 1, 1)).all()
    assert (kernels["block"] == (128, 1, 1)).all()
    assert (kernels["cluster"] == (4, 1, 1)).all()
    assert (kernels["max_active_clusters"] == 16).all()
    assert (kernels["registers_per_thread"] == 32).all()
    assert (kernels["static_shared_bytes"] == 1024).all()
    assert (kernels["dynamic_shared_bytes"] == 2048).all()
    assert (kernels["end_ns"] - kernels["start_ns"] == 2000).all()
    assert {stream.names[number] for number in kernels["name_id"]} == {"_Z3gemv"}
    assert stream.copies["is_set"].tolist() == [0, 0, 1, 1, 1]
    assert (stream.copies["bytes"] == 4096).all()
    assert [stream.names.get(number) for number in stream.markers["name_id"]] == ["token", None]
    assert stream.names[stream.markers["domain_id"][0]] == "decode"
    (device,) = stream.devices
    assert (device["name"], device["sm_count"], device["capability_major"]) == (
        b"Fake H200",
        132,
        9,
    )
    assert stream.cupti_version == version


def _told(stream: Stream) -> list[tuple[int, str | None, str | None]]:
    """Flags, name and domain of the markers."""
    return [
        (
            int(marker["flags"]),
            stream.names.get(marker["name_id"]),
            stream.names.get(marker["domain_id"]),
        )
        for marker in stream.markers
    ]


def test_every_way_to_open_a_range(programs: Programs, tmp_path: Path) -> None:
    words = (
        "up push plain push own:in_domain registered stored wide w start all end pop pop pop pop"
    )
    told = _told(programs.run(tmp_path / "r", words).stream())
    starts = [(name, domain) for flags, name, domain in told if flags == MARKER_START]
    assert starts == [
        ("plain", None), ("in_domain", "own"), ("stored", None), ("w é€😀", None), ("all", None),
    ]  # fmt: skip
    assert [flags for flags, _, _ in told].count(MARKER_END) == len(starts)


def test_the_domain_says_which_range_ends(programs: Programs, tmp_path: Path) -> None:
    words = "up push outer:a push inner:b push outer:c pop pop pop"
    markers = programs.run(tmp_path / "r", words).stream().markers
    starts = markers["marker_id"][markers["flags"] == MARKER_START].tolist()
    ends = markers["marker_id"][markers["flags"] == MARKER_END].tolist()
    assert ends == starts[::-1]


def test_a_range_opened_before_cuda_came_up_holds_what_is_launched_in_it(
    programs: Programs, tmp_path: Path
) -> None:
    stream = programs.run(tmp_path / "r", "push gone pop push early launch 2 pop launch 1").stream()
    assert _told(stream) == [(MARKER_START, "early", None), (MARKER_END, None, None)]
    begin, end = stream.markers["timestamp_ns"]
    inside = (begin <= stream.launches["timestamp_ns"]) & (stream.launches["timestamp_ns"] < end)
    assert inside.tolist() == [True, True, False]


def test_a_second_recording_tells_the_ranges_that_are_still_open(
    programs: Programs, tmp_path: Path
) -> None:
    ran = programs.run(tmp_path / "r", "push run launch 1 again launch 1 registered x pop pop")
    assert _told(ran.streams()[1]) == [
        (MARKER_START, "run", None), (MARKER_START, "x", None),
        (MARKER_END, None, None), (MARKER_END, None, None),
    ]  # fmt: skip


def test_a_fork_goes_on_in_its_parents_ranges(programs: Programs, tmp_path: Path) -> None:
    streams = programs.run(tmp_path / "r", "push run start all fork 1 launch 3").streams()
    assert len({stream.process for stream in streams}) == 2
    for stream in streams:
        assert _told(stream) == [(MARKER_START, "all", None), (MARKER_START, "run", None)]
        assert set(stream.markers["thread"]) == set(stream.launches["thread"])


def test_ranges_of_a_thread_end_with_it(programs: Programs, tmp_path: Path) -> None:
    stream = programs.run(tmp_path / "r", "up leaving-thread launch 1").stream()
    assert _told(stream) == [(MARKER_START, "left open", None), (MARKER_END, None, None)]


def test_a_program_that_closes_all_descriptors_keeps_its_own_files(
    programs: Programs, tmp_path: Path
) -> None:
    own = tmp_path / "own.data"
    programs.run(tmp_path / "r", f"launch 5 close-all {own} launch 500 sleep 600 exit 0")
    assert own.read_bytes() == b"own data"


def test_a_signal_of_the_process_is_not_taken_by_the_recorder(
    programs: Programs, tmp_path: Path
) -> None:
    ran = programs.run(tmp_path / "r", "launch 1 wait-for-term")
    assert (ran.code, ran.output) == (0, "got 15\n")


def test_a_handler_that_exits_inside_the_recorder_ends_the_process(
    programs: Programs, tmp_path: Path
) -> None:
    for turn in range(12):
        ran = programs.run(tmp_path / f"r{turn}", "launch 3 exit-in-handler")
        assert ran.code == 9


def test_a_hundred_thousand_open_ranges_take_no_time(programs: Programs, tmp_path: Path) -> None:
    stream = programs.run(tmp_path / "r", "up deep 100000 launch 1").stream()
    assert len(stream.markers) == 100_000


def test_many_names_in_one_place_are_each_told_once(programs: Programs, tmp_path: Path) -> None:
    words = " ".join(f"push layer{number % 3} pop" for number in range(30))
    stream = programs.run(tmp_path / "r", f"up {words}").stream()
    assert sorted(stream.names.values()) == ["layer0", "layer1", "layer2"]


def test_python_ranges_arrive(programs: Programs, tmp_path: Path) -> None:
    """NVTX's own package, of which CUPTI drops ranges of the default domain."""
    pytest.importorskip("nvtx")
    program = (
        "import ctypes, os, nvtx\n"
        "library = ctypes.CDLL(os.environ['CUDA_INJECTION64_PATH'])\n"
        "library.InitializeInjection()\n"
        "with nvtx.annotate('token'), nvtx.annotate('layer', domain='model'):\n"
        "    nvtx.push_range('pushed'); nvtx.pop_range()\n"
        "library.StopInjection()\n"
    )
    (tmp_path / "r").mkdir()
    environment = programs.environment(tmp_path / "r")
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    (file,) = (tmp_path / "r").iterdir()
    starts = [told[1:] for told in _told(read_stream(file)) if told[0] == MARKER_START]
    assert starts == [("token", None), ("layer", "model"), ("pushed", None)]


def test_graph_nodes_carry_their_graph_and_the_call_that_launched_them(
    programs: Programs, tmp_path: Path
) -> None:
    stream = programs.run(tmp_path / "r", "launch 2 graph 100 7").stream()
    nodes = stream.kernels[stream.kernels["graph_id"] == 3]
    assert len(nodes) == 700
    assert len(np.unique(nodes["graph_node_id"])) == 7
    assert len(np.unique(nodes["correlation_id"])) == 100
    found = counts(stream)
    assert (found["launches_seen"], found["graph_launches_seen"]) == (2, 100)


def test_failed_launches_are_counted_apart(programs: Programs, tmp_path: Path) -> None:
    stream = programs.run(tmp_path / "r", "fail 4 launch 3").stream()
    found = counts(stream)
    assert (found["launches_failed"], found["launches_seen"], len(stream.kernels)) == (4, 3, 3)


def test_launches_into_a_graph_launch_nothing(programs: Programs, tmp_path: Path) -> None:
    # The first launch of the thread is one that is captured.
    stream = programs.run(tmp_path / "r", "capture 6 graph 2 6 launch 4").stream()
    found = counts(stream)
    assert (found["launches_captured"], found["launches_seen"], found["graph_launches_seen"]) == (
        6,
        4,
        2,
    )
    assert len(stream.kernels) == 4 + 2 * 6


def test_a_recording_started_anew_starts_at_nothing(programs: Programs, tmp_path: Path) -> None:
    ran = programs.run(tmp_path / "r", "name first launch 9 again launch 4")
    first, stream = ran.streams()
    assert (len(first.kernels), counts(first)["finished"]) == (9, 1)
    found = counts(stream)
    assert (len(stream.kernels), found["launches_seen"], found["kernel_records"]) == (4, 4, 4)
    assert set(stream.names.values()) == {"first"}
    assert found["finished"] == 1


def test_launches_that_another_thread_makes_into_a_capture_are_captured(
    programs: Programs, tmp_path: Path
) -> None:
    words = "launch 10 threads 2 capture 6 threads 1 launch 4"
    found = counts(programs.run(tmp_path / "r", words).stream())
    assert (found["launches_captured"], found["launches_seen"]) == (12, 14)


def test_what_came_before_an_exec_is_kept(programs: Programs, tmp_path: Path) -> None:
    ran = programs.run(tmp_path / "r", "grid 3 launch 40 sleep 700 exec grid 5 launch 7")
    before, after = ran.streams()
    assert (len(before.kernels), counts(before)["finished"]) == (40, 0)
    assert (len(after.kernels), counts(after)["finished"]) == (7, 1)
    assert before.process == after.process


def test_a_cupti_before_12_is_not_read(programs: Programs, tmp_path: Path) -> None:
    stream = programs.run(tmp_path / "r", "launch 9", FAKE_CUPTI_VERSION="18").stream()
    assert (len(stream.kernels), counts(stream)["error"]) == (0, 14)


def test_a_killed_process_that_was_always_busy_loses_about_a_second(
    programs: Programs, tmp_path: Path
) -> None:
    """CUPTI keeps a buffer with a running kernel back from a flush."""
    words = "launch 4 sleep 10 " * 250 + "kill"
    ran = programs.run(tmp_path / "r", words, FAKE_CUPTI_KERNEL_NS="200000000")
    stream = ran.stream()
    launched_a_second = counts(stream)["launches_seen"] / 2.5
    assert len(stream.kernels) >= 1000 - 1.2 * launched_a_second


def test_a_name_in_the_place_of_an_unloaded_one_is_another_name(
    programs: Programs, tmp_path: Path
) -> None:
    stream = programs.run(tmp_path / "r", "name first launch 2 unload second launch 3").stream()
    names = [stream.names[number] for number in stream.kernels["name_id"]]
    assert names == ["first"] * 2 + ["second"] * 3


ENDS = {
    "return 0": 0,
    "return 5": 5,
    "exit 7": 7,
    "_exit 7": 7,
    "abort": -signal.SIGABRT,
    "segv": -signal.SIGSEGV,
    "kill": -signal.SIGKILL,
}


@pytest.mark.parametrize("end", ENDS)
def test_what_was_recorded_is_readable_however_the_process_ends(
    programs: Programs, tmp_path: Path, end: str
) -> None:
    ran = programs.run(tmp_path / "r", f"threads 4 launch 500 graph 2 3 sleep 1300 {end}")
    assert ran.code == ENDS[end]
    stream = ran.stream()
    assert len(stream.kernels) == 4 * (500 + 2 * 3)
    assert stream.cut is None
    in_order = end.startswith(("return", "exit"))
    assert counts(stream)["finished"] == in_order


@pytest.mark.parametrize("end", ["_exit 0", "kill"])
def test_a_killed_process_loses_no_more_than_a_flush_ago(
    programs: Programs, tmp_path: Path, end: str
) -> None:
    stream = programs.run(tmp_path / "r", f"launch 100 sleep 1300 launch 50 {end}").stream()
    assert 100 <= len(stream.kernels) <= 150


def test_a_process_that_ends_in_order_loses_nothing_of_its_last_half_second(
    programs: Programs, tmp_path: Path
) -> None:
    stream = programs.run(tmp_path / "r", "launch 100 sleep 600 launch 50 exit 1").stream()
    assert len(stream.kernels) == 150


def test_threads_that_launch_while_the_process_ends(programs: Programs, tmp_path: Path) -> None:
    ran = programs.run(tmp_path / "r", "background sleep 300 exit 3")
    assert ran.code == 3
    stream = ran.stream()
    assert counts(stream)["finished"] == 1
    assert len(stream.kernels) > 0


def test_children_have_files_of_their_own(programs: Programs, tmp_path: Path) -> None:
    ran = programs.run(tmp_path / "r", "fork 2 launch 30 exit 0")
    assert (ran.code, ran.complaints) == (0, "")
    streams = [read_stream(file) for file in ran.files]
    assert [len(stream.kernels) for stream in streams] == [30, 30, 30]
    assert [stream.process for stream in streams] == [int(file.stem) for file in ran.files]


def test_a_fork_of_a_recorded_process_neither_hangs_nor_writes(
    programs: Programs, tmp_path: Path
) -> None:
    words = "background late-fork late-fork late-fork late-fork launch 10 exit 0"
    ran = programs.run(tmp_path / "r", words)
    assert (ran.code, ran.complaints) == (0, "")
    stream = ran.stream()
    assert stream.cut is None
    assert counts(stream)["finished"] == 1


def test_rank_and_program_are_in_the_header(programs: Programs, tmp_path: Path) -> None:
    ran = programs.run(tmp_path / "a", "launch 1")
    assert (ran.stream().rank, ran.stream().program) == (None, "target")
    assert programs.run(tmp_path / "b", "launch 1", RANK="3", LOCAL_RANK="1").stream().rank == 3
    assert programs.run(tmp_path / "c", "launch 1", LOCAL_RANK="1").stream().rank == 1
    assert programs.run(tmp_path / "d", "launch 1", SLURM_PROCID="x7").stream().rank is None


def test_the_number_of_ranks_comes_from_the_launcher_that_told_the_rank(
    programs: Programs, tmp_path: Path
) -> None:
    def told(name: str, **variables: str) -> tuple[int | None, int | None]:
        stream = programs.run(tmp_path / name, "launch 1", **variables).stream()
        return stream.rank, stream.ranks

    assert told("torchrun", RANK="1", WORLD_SIZE="2", LOCAL_WORLD_SIZE="1") == (1, 2)
    assert told("mpi", OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="8") == (0, 8)
    assert told("mpich", PMI_RANK="3", PMI_SIZE="4") == (3, 4)
    assert told("slurm", SLURM_PROCID="2", SLURM_STEP_NUM_TASKS="4") == (2, 4)
    # An allocation of eight tasks in which a lone process runs.
    assert told("alone", SLURM_PROCID="0", SLURM_NTASKS="8") == (0, None)
    assert told("odd", RANK="2", WORLD_SIZE="2") == (2, None)
    assert told("unnumbered", WORLD_SIZE="2") == (None, None)


def test_another_subscriber_is_told(programs: Programs, tmp_path: Path) -> None:
    ran = programs.run(tmp_path / "r", "launch 10 exit 4", FAKE_CUPTI_SUBSCRIBED="1")
    assert ran.code == 4
    assert counts(ran.stream())["error"] == 39
    assert len(ran.stream().kernels) == 0


def test_who_yields_subscribes_to_nothing(programs: Programs, tmp_path: Path) -> None:
    changes = {"FAKE_CUPTI_SUBSCRIBED": "1", "GEOAUDIT_YIELD": "1"}
    stream = programs.run(tmp_path / "r", "launch 10", **changes).stream()
    assert len(stream.kernels) == 10
    assert (counts(stream)["error"], counts(stream)["launches_seen"]) == (0, 0)
    assert len(stream.launches) == 0


def test_after_its_duration_nothing_is_taken_and_nothing_is_missing(
    programs: Programs, tmp_path: Path
) -> None:
    words = "launch 100 sleep 1300 launch 50"
    stream = programs.run(tmp_path / "r", words, GEOAUDIT_DURATION_MS="700").stream()
    found = counts(stream)
    assert (len(stream.kernels), found["launches_seen"], found["finished"]) == (100, 100, 1)


def test_stopping_while_threads_launch_misses_no_record_that_was_counted(
    programs: Programs, tmp_path: Path
) -> None:
    words = "background sleep 900 exit 0"
    stream = programs.run(tmp_path / "r", words, GEOAUDIT_DURATION_MS="500").stream()
    assert 0 < counts(stream)["launches_seen"] <= len(stream.kernels)


def test_dropped_and_untimed_records_are_counted(programs: Programs, tmp_path: Path) -> None:
    changes = {"FAKE_CUPTI_DROP_EVERY": "10", "FAKE_CUPTI_UNTIMED_EVERY": "25"}
    stream = programs.run(tmp_path / "r", "launch 1000", **changes).stream()
    found = counts(stream)
    # Of the 40 without time every second is also a tenth, and dropped.
    assert (len(stream.kernels), found["dropped_records"], found["untimed_records"]) == (
        900,
        100,
        20,
    )


def test_kernels_that_still_run_at_the_end_are_kept_without_time(
    programs: Programs, tmp_path: Path
) -> None:
    stream = programs.run(tmp_path / "r", "launch 5", FAKE_CUPTI_KERNEL_NS="60000000000").stream()
    assert (len(stream.kernels), counts(stream)["untimed_records"]) == (5, 5)


@pytest.mark.parametrize("candidates", ["", "/nowhere/libcupti.so.13", "::"])
def test_without_cupti_the_program_runs_and_the_file_says_so(
    programs: Programs, tmp_path: Path, candidates: str
) -> None:
    ran = programs.run(tmp_path / "r", "up print hello exit 6", GEOAUDIT_CUPTI=candidates)
    assert (ran.code, ran.output, ran.complaints) == (6, "hello\n", "")
    assert counts(ran.stream())["error"] == NO_CUPTI_THAT_LOADS


def test_a_library_without_cuptis_functions_is_no_cupti(programs: Programs, tmp_path: Path) -> None:
    source = tmp_path / "other.c"
    source.write_text("int cuptiGetVersion(unsigned *v) { *v = 1; return 0; }\n")
    other = tmp_path / "libcupti.so.12"
    compile_sources(other, [source], "-shared")
    ran = programs.run(tmp_path / "r", "up exit 6", GEOAUDIT_CUPTI=str(other))
    assert (ran.code, ran.complaints) == (6, "")
    assert counts(ran.stream())["error"] == NO_CUPTI_THAT_LOADS
    both = programs.run(tmp_path / "b", "launch 5", GEOAUDIT_CUPTI=f"{other}:{programs.cupti}")
    assert len(both.stream().kernels) == 5


def test_the_first_candidate_that_opens_is_taken(programs: Programs, tmp_path: Path) -> None:
    candidates = f"/nowhere/libcupti.so:{programs.cupti}"
    ran = programs.run(tmp_path / "r", "launch 3", GEOAUDIT_CUPTI=candidates)
    assert len(ran.stream().kernels) == 3


def test_an_unwritable_folder_leaves_the_program_alone(programs: Programs, tmp_path: Path) -> None:
    ran = programs.run(
        tmp_path / "r", "launch 3 exit 6", GEOAUDIT_RECORDING=str(tmp_path / "missing")
    )
    assert (ran.code, ran.complaints, ran.files) == (6, "", ())


def _run_with_largest_file(
    programs: Programs, recording: Path, words: str, limit: int, disposition: signal.Handlers
) -> int:
    """As a full disk, for files of the process: a write beyond the limit fails."""

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, disposition)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    recording.mkdir()
    return subprocess.run(
        [programs.target, *words.split()],
        env=programs.environment(recording),
        preexec_fn=limited,
        check=False,
    ).returncode


@pytest.mark.parametrize("disposition", [signal.SIG_IGN, signal.SIG_DFL])
def test_a_full_disk_cuts_the_file_at_a_block_and_is_said(
    programs: Programs, tmp_path: Path, disposition: signal.Handlers
) -> None:
    recording = tmp_path / "r"
    words = "launch 20000 exit 6"
    assert _run_with_largest_file(programs, recording, words, 500_000, disposition) == 6
    (file,) = recording.iterdir()
    stream = read_stream(file)
    assert 0 < len(stream.kernels) + len(stream.launches) < 40_000
    assert stream.cut is not None
    assert "File too large" in stream.cut


@pytest.mark.skipif(os.geteuid() != 0, reason="a small file system is mounted by root only")
def test_a_file_system_without_space(programs: Programs, tmp_path: Path) -> None:
    recording = tmp_path / "small"
    recording.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(recording)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        ran = programs.run(recording, "launch 50000 exit 6")
        stream = ran.stream()
    finally:
        subprocess.run(["umount", str(recording)], check=True)
    assert ran.code == 6
    assert 0 < len(stream.kernels) < 50_000
    assert stream.cut is not None
    assert "No space left" in stream.cut


def test_memory_does_not_grow_with_the_number_of_launches(
    programs: Programs, tmp_path: Path
) -> None:
    ran = programs.run(tmp_path / "r", "launch 1000 memory launch 2000000 memory exit 0")
    size = ran.files[0].stat().st_size
    with ran.files[0].open("rb") as file:
        assert file.read(len(MAGIC)) == MAGIC
    shutil.rmtree(tmp_path / "r")
    assert size > 2_000_000 * 104
    assert int(ran.output) < 64e6


# Not late-fork: the sanitizers' own locks do not outlive a fork among threads.
SANITIZED_WORDS = (
    "threads 8 launch 2000 runtime 500 graph 20 5 push decode:token copy 3 set 2 pop exit 0",
    "push early launch 2 registered token wide w start s launch 1 pop end pop launch 2 pop exit 0",
    "launch 10 sleep 700 unload other launch 5 unload third launch 5 fail 3 exit 0",
    "background sleep 700 exit 0",
    "background sleep 600 _exit 0",
    "fork 2 threads 2 launch 100 exit 0",
    "launch 5 push a pop again launch 3 capture 2 again launch 1 exit 0",
)


@pytest.mark.parametrize("words", SANITIZED_WORDS)
def test_no_sanitizer_has_anything_to_report(
    sanitized: Programs, tmp_path: Path, words: str
) -> None:
    _expect_no_report(sanitized, tmp_path / "r", words)


@pytest.mark.parametrize(
    "changes",
    [
        {"GEOAUDIT_DURATION_MS": "500"},
        {"GEOAUDIT_YIELD": "1"},
        {"FAKE_CUPTI_SUBSCRIBED": "1"},
        {"FAKE_CUPTI_VERSION": "20"},
        {"FAKE_CUPTI_VERSION": "130400"},
        {"GEOAUDIT_CUPTI": ""},
    ],
    ids=str,
)
def test_no_sanitizer_has_anything_to_report_of_other_ways(
    sanitized: Programs, tmp_path: Path, changes: dict[str, str]
) -> None:
    words = "background threads 2 launch 300 sleep 900 exit 0"
    if "GEOAUDIT_CUPTI" in changes:
        words = "launch 3 exit 0"
    _expect_no_report(sanitized, tmp_path / "r", words, **changes)


def _expect_no_report(programs: Programs, folder: Path, words: str, **changes: str) -> None:
    ran = programs.run(folder, words, **changes)
    shutil.rmtree(folder)
    assert "ERROR" not in ran.complaints
    assert "WARNING: ThreadSanitizer" not in ran.complaints
    assert "runtime error" not in ran.complaints
    assert ran.code == 0, f"{REPORT_CODE} is a report: {ran.complaints[:4000]}"


def test_the_library_exports_nothing_but_its_entry_points(
    programs: Programs, tmp_path: Path
) -> None:
    if shutil.which("nm") is None:
        pytest.skip("no nm on this machine")
    del programs
    from hatch_build import compile_injector

    library = tmp_path / "library.so"
    assert compiler()
    assert compile_injector(INJECTOR, library) is None
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(listed[2::3]) == {
        "InitializeInjection", "InitializeInjectionNvtx2", "RecordingTime", "StopInjection",
    }  # fmt: skip
