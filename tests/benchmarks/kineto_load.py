"""Time and memory of a large Kineto trace, against HolisticTraceAnalysis loading the same file.

Run on demand, from the root of the checkout:

    python -m venv /tmp/hta && /tmp/hta/bin/pip install HolisticTraceAnalysis
    python tests/benchmarks/kineto_load.py --hta-python /tmp/hta/bin/python

The trace is built in a temporary folder by repeating a small one with shifted times and
correlation ids until it has the size asked for. Both tools run in processes of their own, in
turns, so that a disturbance of the machine falls on both; the figures are medians. geoaudit scans
and ranks (wall time of both together, the larger peak memory); HolisticTraceAnalysis only loads.
"""

import argparse
import gzip
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

CHECKOUT = Path(__file__).parents[2]
SOURCES = (
    CHECKOUT.parent / "shared" / "traces" / "kineto-2026-h200-llama-decode.json.gz",
    *sorted((CHECKOUT / "reports").glob("**/*.json.gz")),
)
READ_ONLY = (
    "import sys; from pathlib import Path; from geoaudit.sources.kineto import SOURCE; "
    "from geoaudit.sources.registry import ReadOptions; "
    "print(len(SOURCE.read(Path(sys.argv[1]), ReadOptions()).launches), 'launches')"
)
HTA_LOAD = (
    "import sys; from hta.trace_analysis import TraceAnalysis; "
    "analysis = TraceAnalysis(trace_files={0: sys.argv[1]}); "
    "print(len(analysis.t.get_trace(0)), 'events')"
)
SHIFTED = ("correlation", "External id", "external id")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What one run took: wall time in seconds, peak resident memory in bytes."""

    seconds: float
    peak_bytes: int


def build(source: Path, target: Path, size_bytes: int) -> None:
    """Write a trace of at least this size: copies of source, one after the other in time."""
    raw = source.read_bytes()
    data = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
    document: dict[str, Any] = msgspec.json.decode(data)
    events: list[dict[str, Any]] = document.pop("traceEvents")
    encoder = msgspec.json.Encoder()
    with target.open("wb") as file:
        file.write(encoder.encode(document)[:-1] + b',"traceEvents":[')
        for number, copy in enumerate(copies(events)):
            file.write((b"," if number else b"") + encoder.encode(copy)[1:-1])
            if file.tell() >= size_bytes:
                break
        file.write(b"]}")


def copies(events: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The events again and again, each time later and with identifiers of their own."""
    complete = [event for event in events if event.get("ph") == "X"]
    first = min(event["ts"] for event in complete)
    span = max(event["ts"] + event["dur"] for event in complete) - first + 1000
    ids = [event["args"].get(key, 0) for event in complete if "args" in event for key in SHIFTED]
    step = max(ids) + 1
    number = 0
    while True:
        described = events if number == 0 else [e for e in events if e.get("ph") != "M"]
        yield [shifted(event, number * span, number * step) for event in described]
        number += 1


def shifted(event: dict[str, Any], microseconds: float, identifiers: int) -> dict[str, Any]:
    """One event later in time, with other identifiers."""
    moved = event | {"ts": round(event["ts"] + microseconds, 3)}
    if "id" in moved:
        moved["id"] += identifiers
    if isinstance(moved.get("args"), dict):
        arguments = moved["args"]
        moved["args"] = arguments | {
            key: arguments[key] + identifiers for key in SHIFTED if key in arguments
        }
    return moved


def measure(commands: list[list[str]], folder: Path) -> Measured:
    """Run commands one after the other; their wall time together and the largest peak memory."""
    seconds, peak = 0.0, 0
    for command in commands:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        output = process.stdout.read() if process.stdout else b""
        _, status, usage = os.wait4(process.pid, 0)
        seconds += time.perf_counter() - start
        # Linux counts ru_maxrss in KiB, macOS in bytes.
        peak = max(peak, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"{command[:4]} failed:\n{output.decode(errors='replace')[-2000:]}")
    return Measured(seconds=seconds, peak_bytes=peak)


def report(name: str, runs: list[Measured]) -> Measured:
    """Print a tool's runs; their medians."""
    seconds = [run.seconds for run in runs]
    middle = Measured(
        seconds=statistics.median(seconds),
        peak_bytes=int(statistics.median(run.peak_bytes for run in runs)),
    )
    listed = ", ".join(f"{each:.2f}" for each in seconds)
    print(f"{name}: {middle.seconds:.2f} s ({listed}), peak {middle.peak_bytes / 1e6:.0f} MB")
    return middle


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trace", type=Path, help="a small trace to repeat")
    parser.add_argument("--size-mb", type=float, default=240, help="size of the trace, MB")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--hta-python", help="an interpreter that has HolisticTraceAnalysis")
    parser.add_argument("--read-only", action="store_true", help="read, in place of scan and rank")
    return parser.parse_args()


def main() -> None:
    """Build the trace, run both tools in turns, print figures and ratios."""
    options = arguments()
    source = options.trace or next((each for each in SOURCES if each.exists()), None)
    if source is None:
        sys.exit("no trace to repeat: give one with --trace")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trace = folder / "trace.json"
        # In a process of its own: a child starts with its parent's peak memory in its record.
        builder = multiprocessing.get_context("spawn").Process(
            target=build, args=(source, trace, int(options.size_mb * 1e6))
        )
        builder.start()
        builder.join()
        if builder.exitcode != 0:
            sys.exit(f"{source}: the large trace could not be built from it")
        print(f"{source.name} repeated: {trace.stat().st_size / 1e6:.0f} MB")
        compare(trace, folder, options)


def compare(trace: Path, folder: Path, options: argparse.Namespace) -> None:
    """Run both tools in turns and print what they took."""
    geoaudit = [sys.executable, "-m", "geoaudit.cli.main"]
    own = [[*geoaudit, "scan", str(trace)], [*geoaudit, "rank"]]
    if options.read_only:
        own = [[sys.executable, "-c", READ_ONLY, str(trace)]]
    tools = {"geoaudit": own}
    if options.hta_python:
        tools["HolisticTraceAnalysis"] = [[options.hta_python, "-c", HTA_LOAD, str(trace)]]
    runs: dict[str, list[Measured]] = {tool: [] for tool in tools}
    for _ in range(options.repetitions):
        for tool, commands in tools.items():
            runs[tool].append(measure(commands, folder))
    middle = {tool: report(tool, each) for tool, each in runs.items()}
    if len(middle) == 2:
        ours, theirs = middle["geoaudit"], middle["HolisticTraceAnalysis"]
        print(f"time: {ours.seconds / theirs.seconds:.3f} of HolisticTraceAnalysis' load")
        print(f"memory: {ours.peak_bytes / theirs.peak_bytes:.3f} of it")


if __name__ == "__main__":
    main()
