"""Speed and memory of ``geoaudit shard-check`` over whole repositories, beside the parsers' own.

Run: python -m tests.benchmarks.shard_check FOLDER…

For each folder, one after another: one raw parse of every file that is read, tree-sitter's and
Python's own, in this process; the command without a cache, with the most memory that all its
processes held together; the command again with the cache that a first run has filled.
"""

import ast
import os
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from geoaudit.shardcheck.c_family.syntax import parse
from geoaudit.shardcheck.discovery.survey import survey_tree
from geoaudit.shardcheck.discovery.walking import WalkOptions, find_sources

SAMPLE_SECONDS = 0.05
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One run of the command: wall time, and the most memory of all its processes together."""

    seconds: float
    memory_bytes: int


def raw_parse(folder: Path) -> tuple[float, float, int]:
    """Seconds of tree-sitter and of Python's parser over the files that are read, and their bytes.

    A file that Python's parser refuses counts with the time it took to.
    """
    survey = survey_tree(find_sources([folder], WalkOptions()))
    seconds, size = {"c": 0.0, "python": 0.0}, 0
    for file in survey.digests:
        content = Path(file.location).read_bytes()
        is_python = file.path.endswith(".py")
        size += len(content)
        begin = time.perf_counter()
        if is_python:
            _python_parse(content)
        else:
            parse(content)
        seconds["python" if is_python else "c"] += time.perf_counter() - begin
    return seconds["c"], seconds["python"], size


def _python_parse(content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(content)
        except (SyntaxError, ValueError, RecursionError):
            return


def run(folder: Path, cache: Path | None) -> Measured:
    """The command over a folder; None: without a cache."""
    command = [sys.executable, "-m", "geoaudit", "shard-check", str(folder), "--fail-on", "none"]
    command += ["--format", "json", "-o", os.devnull]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)} if cache else dict(os.environ)
    begin, most = time.perf_counter(), 0
    process = subprocess.Popen(
        command + ["--no-cache"] * (cache is None), env=environment, start_new_session=True
    )
    while process.poll() is None:
        most = max(most, _session_bytes(process.pid))
        time.sleep(SAMPLE_SECONDS)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Measured(seconds=time.perf_counter() - begin, memory_bytes=most)


def _session_bytes(session: int) -> int:
    """Resident memory of all processes of a session; shared pages count in each."""
    total = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == session:
                    total += int((folder / "statm").read_text().split()[1]) * PAGE_BYTES
            except OSError:
                continue
    return total


def measure(folder: Path) -> None:
    """Print the figures of a repository."""
    c_seconds, python_seconds, size = raw_parse(folder)
    raw = c_seconds + python_seconds
    cold = run(folder, None)
    with tempfile.TemporaryDirectory() as cache:
        run(folder, Path(cache))
        cached = run(folder, Path(cache))
    print(f"{folder.name}: {size / 1e6:.1f} MB of sources, {os.cpu_count()} processors")
    print(f"  raw parse {raw:6.2f} s  tree-sitter {c_seconds:.2f} s, Python {python_seconds:.2f} s")
    print(f"  cold      {cold.seconds:6.2f} s  {cold.seconds / raw:.1f} raw parses", end="")
    print(f", {cold.memory_bytes / 1e6:.0f} MB in all processes")
    print(f"  cached    {cached.seconds:6.2f} s  {cold.seconds / cached.seconds:.0f} times faster")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        measure(Path(argument))
