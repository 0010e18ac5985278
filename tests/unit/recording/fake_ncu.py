"""A stand-in for Nsight Compute: runs the command, and writes a raw page as the real one does."""

import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.unit.sources.ncu.ncu_page import line

PERMISSION = (
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
    "Performance Counters on the target device 0. For instructions on enabling permissions and to "
    "get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM\n"
)
NOTHING = "==WARNING== No kernels were profiled.\n"
_PREAMBLE = (
    "==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, profiling "
    "results may be inconsistent.\n==PROF== Connected to process 510 (/usr/bin/engine)\n"
)
_END = "==PROF== Disconnected from process 510\n"
_IDENTITY = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream")
_PLACE = ("Block Size", "Grid Size", "Device", "CC")
_METRICS = {
    "dram__bytes_read.sum": "byte",
    "dram__bytes_write.sum": "byte",
    "gpu__time_duration.sum": "ns",
    "launch__cluster_dim_x": "",
    "launch__cluster_dim_y": "",
    "launch__cluster_dim_z": "",
    "launch__shared_mem_per_block_dynamic": "byte/block",
    "sm__cycles_active.avg": "cycle",
    "sm__cycles_elapsed.max": "cycle",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "%",
}


@dataclass(frozen=True, kw_only=True)
class Counted:
    """A launch that ncu counts: 3.1 MB of traffic, SMs busy for 3 % of the time."""

    kernel: str = "decode"
    grid: tuple[int, ...] = (264, 1, 1)
    block: tuple[int, ...] = (128, 1, 1)
    dynamic_shared_bytes: int = 0


def page(launches: Sequence[Counted]) -> str:
    """All that ncu writes into its log of these."""
    text = _PREAMBLE
    for number, one in enumerate(launches):
        text += f'==PROF== Profiling "{one.kernel}" - {number}: 0%....50%....100% - 2 passes\n'
    text += _END + line(*_IDENTITY, *_PLACE, *_METRICS)
    text += line(*("" for _ in (*_IDENTITY, *_PLACE)), *_METRICS.values())
    for number, one in enumerate(launches):
        identity = (str(number), "510", "engine", "127.0.0.1", one.kernel, "1", "7")
        values = ("3,000,000", "100,000", "20,480", "0", "0", "0")
        shared = f"{one.dynamic_shared_bytes:,}"
        place = (str(one.block), str(one.grid), "0", "9.0")
        text += line(*identity, *place, *values, shared, "150", "5,000", "6.18")
    return text


def install(
    folder: Path, log: str, *, code: int | None = None, runs_command: bool = True, wait_s: float = 0
) -> Path:
    """An executable ``ncu`` in a folder.

    Args:
        folder: made where it is missing.
        log: what it writes where --log-file says.
        code: its exit code; None: the command's.
        runs_command: whether it runs what comes after its options.
        wait_s: how long it waits before it ends.

    Returns:
        Its path; beside it, ``ncu.arguments`` and ``ncu.environment`` are what it was run with.
    """
    folder.mkdir(exist_ok=True)
    (folder / "page").write_text(log, encoding="utf-8")
    script = folder / "ncu"
    script.write_text(
        f"#!{sys.executable}\n"
        "import json, os, subprocess, sys, time\n"
        f"folder = {str(folder)!r}\n"
        "place = sys.argv.index('--log-file')\n"
        "json.dump(sys.argv[1:], open(folder + '/ncu.arguments', 'w'))\n"
        "json.dump(dict(os.environ), open(folder + '/ncu.environment', 'w'))\n"
        "command = sys.argv[place + 2:]\n"
        f"code = subprocess.call(command) if {runs_command} else 0\n"
        "text = open(folder + '/page').read()\n"
        "if code:\n"
        "    text = f'==ERROR== The application returned an error code ({code}).\\n' + text\n"
        "open(sys.argv[place + 1], 'w').write(text)\n"
        f"time.sleep({wait_s})\n"
        f"sys.exit(code if {code} is None else {code})\n",
        encoding="utf-8",
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def on_path(folder: Path) -> str:
    """PATH with the folder in front."""
    return f"{folder}{os.pathsep}{os.environ['PATH']}"
