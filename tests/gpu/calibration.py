"""Prove on a real GPU that a device is measured as documented, and that recordings carry it.

    python tests/gpu/calibration.py

Needs CuPy and geoaudit with its recorder, installed or on PYTHONPATH. Every check prints one line,
``ok`` or ``FAIL``; exit code 1 where one fails. Nothing of the user's is touched.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from geoaudit.devices.calibration import Calibration
from geoaudit.devices.calibration_store import VARIABLE
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import read_recording
from geoaudit.recording.calibration.measure import measure
from geoaudit.recording.suite.runtime import CupyRuntime

COPY_BYTES = 4 << 30
SECONDS = 2.0
SUITE_SECONDS = 1.0
SUITE = ("--set", "context=16400", "--set", "experts=16", "--set", "vocabulary=2048")
SMALL_PROGRAM = "import cupy; a = cupy.arange(1 << 20); [a + 1 for _ in range(50)]; a.sum().get()"
IN_PROCESS = (
    f"import geoaudit; session = geoaudit.record('in.parquet'); session.__enter__(); "
    f"{SMALL_PROGRAM}; session.__exit__(None, None, None)"
)

FAILED: list[str] = []


def check(what: str, holds: bool, found: object) -> None:
    """Print one line."""
    print(f"{'ok  ' if holds else 'FAIL'} {what:<62} {found}", flush=True)
    if not holds:
        FAILED.append(what)


def check_figures(found: Calibration, copy_bytes_per_second: float) -> None:
    """The figures are those of a device of today, and the bandwidth is what events say."""
    ratio = (found.copy_bytes_per_second or 0) / copy_bytes_per_second
    check("copy bandwidth within 4 % of a copy timed by events", abs(ratio - 1) < 0.04, ratio)
    eager, in_graph = found.launch_floor_ns or 0, found.graph_launch_floor_ns or 0
    check("an empty kernel takes 0.3 to 3 µs", 300 < eager < 3_000, eager)
    check("as a node of a graph 0.3 to 3 µs", 300 < in_graph < 3_000, in_graph)
    check("a load takes 0.3 to 2 µs", 300 < (found.latency_ns or 0) < 2_000, found.latency_ns)
    check("the timer ticks within 1 to 1,100 ns", 1 <= (found.timer_tick_ns or 0) <= 1_100,
          found.timer_tick_ns)  # fmt: skip


def event_bandwidth(runtime: CupyRuntime) -> float:
    """Bytes read plus written per second of a larger copy, by CUDA events."""
    cupy = runtime.cupy
    one, other = (cupy.zeros(COPY_BYTES, dtype="uint8") for _ in range(2))
    cupy.cuda.get_current_stream().synchronize()
    times = []
    with runtime.stream:
        for _ in range(8):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record(runtime.stream)
            one[...] = other
            end.record(runtime.stream)
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(begin, end))
    del one, other
    cupy.get_default_memory_pool().free_all_blocks()
    return float(2 * COPY_BYTES / min(times) * 1e3)


def measured_twice(runtime: CupyRuntime) -> Calibration:
    """The second of two measurements, which agrees with the first."""
    found = []
    for name, seconds in (("first", SECONDS), ("second", SUITE_SECONDS)):
        begin = time.perf_counter()
        found.append(measure(lambda: runtime))
        took = time.perf_counter() - begin
        check(f"{name} measurement within {seconds:g} s", took < seconds, f"{took:.2f} s")
        print(f"     {found[-1]}")
    for figure in ("copy_bytes_per_second", "latency_ns"):
        ratio = getattr(found[1], figure) / getattr(found[0], figure)
        check(f"{figure} again within 5 %", abs(ratio - 1) < 0.05, ratio)
    return found[1]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run geoaudit in the folder, with a store of its own."""
    command = [sys.executable, "-m", "geoaudit.cli.main", *arguments]
    return program(folder, command)


def program(folder: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder."""
    taken = ("NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH")
    environment = {key: value for key, value in os.environ.items() if key not in taken}
    environment[VARIABLE] = str(folder / "calibrations.json")
    begin = time.perf_counter()
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    print(f"== {' '.join(command[1:])[:90]}: {time.perf_counter() - begin:.1f} s")
    check("exit code 0", done.returncode == 0, f"{done.returncode} {done.stderr[-400:].strip()}")
    return done


def check_suite(folder: Path, recording: Recording) -> None:
    """A suite scan measured its device, and filled what its manifest declares."""
    metadata, table = recording.metadata, recording.launches
    check("the suite measured its device", len(metadata.calibrations) == 1, metadata.calibrations)
    kernels = table[table[s.KIND] == s.KIND_KERNEL]
    probes = int(kernels[s.KERNEL].astype(str).str.contains("geoaudit_").sum())
    check("no probe is among the tokens", probes == 0, probes)
    in_token = kernels[kernels[s.TOKEN].notna()]
    for column in (s.COMPULSORY_BYTES, s.WORKING_THREADS, s.BYTES_IN_FLIGHT_PER_THREAD):
        unknown = float(in_token[column].isna().mean())
        check(f"{column} of every launch", unknown == 0, f"{unknown:.1%} null")
    check("kernels are declared", len(metadata.declared) > 10, len(metadata.declared))
    ranked = run(folder, "rank", "suite.parquet", "--format", "json", "--sort", "time")
    rows: list[dict[str, Any]] = json.loads(ranked.stdout)["rows"]
    for row in rows[:12]:
        print(
            f"     {row['kernel_short']:<22} {row['grid_blocks']:>5} blocks "
            f"{row['duration_median_ns'] / 1e3:8.2f} µs, floor {row['floor_ns'] / 1e3:7.2f} µs, "
            f"ratio {row['floor_ratio']:6.2f}, {row['working_warps_per_sm']} warps/SM, in flight "
            f"{row['bytes_in_flight_per_sm']} of {row['needed_bytes_in_flight_per_sm']:.0f}"
        )
    ratios = [row["floor_ratio"] for row in rows]
    check("no kernel is far below its floor", min(ratios) > 0.7, min(ratios))


def main() -> int:
    """Run all checks; the exit code."""
    runtime = CupyRuntime()
    check_figures(measured_twice(runtime), event_bandwidth(runtime))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        document = json.loads(run(folder, "devices", "--measure", "--format", "json").stdout)
        (stored,) = document["calibrations"]
        listed = json.loads(run(folder, "devices", "--format", "json").stdout)
        check("it is stored", listed["calibrations"] == [stored], stored)
        run(folder, "scan", "-o", "suite.parquet", "--tokens", "10", *SUITE)
        check_suite(folder, read_recording(folder / "suite.parquet"))
        run(folder, "scan", "-o", "command.parquet", "--", sys.executable, "-c", SMALL_PROGRAM)
        program(folder, [sys.executable, "-c", IN_PROCESS])
        for file in ("command.parquet", "in.parquet"):
            carried = [
                one.device_name for one in read_recording(folder / file).metadata.calibrations
            ]
            check(f"{file} carries what is stored", carried == [stored["device_name"]], carried)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
