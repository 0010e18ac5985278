"""Prove on a real GPU that `geoaudit scan --counters` counts what is known beforehand.

    python tests/gpu/counters.py [--only program suite]

Needs CuPy, ncu with leave to read counters, and geoaudit with its recorder. Every check prints one
line, ``ok`` or ``FAIL``; exit code 1 where one fails. Nothing is left behind.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from geoaudit.launches import schema as s
from geoaudit.launches.store import read_recording

TARGET = Path(__file__).parent / "targets" / "counted.py"
MOVED_BYTES = 1 << 28
failures = 0


def check(what: str, holds: bool, found: object) -> None:
    global failures
    failures += not holds
    print(f"{'ok  ' if holds else 'FAIL'} {what}: {found}", flush=True)


def geoaudit(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    began = time.monotonic()
    program = [sys.executable, "-c", "from geoaudit.cli.main import run; run()", *arguments]
    ended = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    print(f"# geoaudit {' '.join(arguments)}: {time.monotonic() - began:.1f} s", flush=True)
    for line in ended.stderr.splitlines():
        print(f"#   {line}", flush=True)
    check("exit code", ended.returncode == 0, ended.returncode)
    return ended


def rows(folder: Path) -> list[Mapping[str, Any]]:
    document = json.loads(geoaudit(folder, "rank", "--format", "json").stdout)
    strange = [one for one in document["scan"]["warnings"] if "taken as not counted" in one]
    check("every counter can be", not strange, strange)
    return list(document["rows"])


def joined(stderr: str) -> str:
    return next((line for line in stderr.splitlines() if "counters: " in line), "no such line")


def program(folder: Path) -> None:
    ended = geoaudit(folder, "scan", "--counters", "--", sys.executable, str(TARGET))
    check("standard output is the command's", ended.stdout == "", repr(ended.stdout[:80]))
    by_launch = {(row["kernel_short"], row["kernel"], row["grid"][0]): row for row in rows(folder)}
    for (short, kernel, blocks), row in by_launch.items():
        busy, moved = row["sm_active_fraction"], row["dram_bytes"]
        named = f"{kernel[:40]} of {blocks} blocks"
        if short == "one_works":
            geometry = row["wasted_sm_time_per_token_ns"]
            measured, whole = row["measured_wasted_sm_time_per_token_ns"], row["time_per_token_ns"]
            check(f"{named}: SMs busy", busy is not None and busy < 0.10, busy)
            check(f"{named}: geometry's waste", geometry == 0, geometry)
            share = None if measured is None else measured / whole
            check(f"{named}: measured waste", share is not None and share > 0.9, share)
        elif short == "all_work":
            check(f"{named}: SMs busy", busy is not None and busy > 0.85, busy)
        elif short == "move":
            # What is written may stay in the L2; what is read comes from DRAM, whole.
            reads = MOVED_BYTES * (2 if "double" in kernel else 1)
            near = moved is not None and 1.3 * reads < moved < 2.2 * reads
            check(f"{named}: traffic over bytes read", near, moved and moved / reads)
    launches = read_recording(folder / "geoaudit-scan.parquet").launches
    counted = launches[launches[s.DRAM_BYTES].notna()]
    shapes = set(zip(counted[s.KERNEL_SHORT].astype(str), counted[s.GRID_X], strict=True))
    nodes = {("one_works", 265), ("move", 1057)}
    check("nodes of the graph are counted", nodes <= shapes, sorted(shapes & nodes))
    moves = [row for key, row in by_launch.items() if key[0] == "move" and key[2] == 1056]
    check("two kernels of one shape", len(moves) == 2, [row["dram_bytes"] for row in moves])


def suite(folder: Path) -> None:
    for options in ((), ("--all-arms", "--graph")):
        ended = geoaudit(folder, "scan", "--counters", *options)
        print(f"# {joined(ended.stderr)}")
        found = rows(folder)
        counted = [row for row in found if row["sm_active_fraction"] is not None]
        check("rows with counters", len(counted) == len(found), f"{len(counted)} of {len(found)}")
        time_ns = sum(row["time_per_token_ns"] for row in found)
        waste = sum(row["wasted_sm_time_per_token_ns"] for row in found)
        measured = sum(row["measured_wasted_sm_time_per_token_ns"] or 0.0 for row in found)
        print(f"# waste, geometry's {waste / time_ns:.1%}, measured {measured / time_ns:.1%}")
        check("measured waste is no less", measured > 0.9 * waste, (measured, waste))
        for row in found[:8]:
            names = ("sm_fill", "sm_active_fraction", "sm_throughput_fraction", "dram_bytes")
            print(f"#   {row['kernel_short']}", *(f"{name}={row[name]}" for name in names))


PARTS = {"program": program, "suite": suite}


def main(arguments: Sequence[str]) -> int:
    """Run the parts; 1 where a check fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    for name in parser.parse_args(arguments).only:
        with tempfile.TemporaryDirectory() as folder:
            PARTS[name](Path(folder))
    print(f"{failures} checks failed" if failures else "all checks hold")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
