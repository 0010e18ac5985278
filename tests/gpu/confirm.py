"""`geoaudit scan --confirm` on a device: kernels alone, under other shapes, and what that says.

    python tests/gpu/confirm.py

Needs an H200 (the figures are of one), CuPy, and geoaudit installed or on PYTHONPATH. Prints what
was found in every run, the table of ceilings and gains of the baseline with their rank correlation,
and exits with 1 if anything is not as known.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from geoaudit.diagnosis.interventions import (
    alone_against_in_situ,
    alone_ratio,
    response_to_blocks,
    response_to_width,
)
from geoaudit.launches.interventions import Intervention
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import read_recording
from geoaudit.ranking.arm_gains import gains_of_rows
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from geoaudit.recording.suite.interventions import REPETITIONS
from geoaudit.recording.suite.sites import SMALLEST_SHARE
from geoaudit.render.interventions import arm_gains_markdown

RUNS = {
    "baseline": (),
    "graph": ("--graph",),
    "arms": ("--all-arms", "--arm", "PDL=0"),
    "pdl": ("--all-arms", "--graph"),
    "gqa": ("--step", "gqa"),
}
failures: list[str] = []


def check(what: str, holds: bool, found: object = "") -> None:
    """Print a line, and keep what does not hold."""
    line = f"{'ok  ' if holds else 'FAIL'} {what}: {found}"
    print(line, flush=True)
    if not holds:
        failures.append(line)


def scan(folder: Path, name: str, options: tuple[str, ...]) -> Recording:
    """Run the command; its recording."""
    path = folder / f"{name}.parquet"
    command = [sys.executable, "-m", "geoaudit.cli.main", "scan", "--confirm", "-o", str(path)]
    taken = ("NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH")
    kept = {key: value for key, value in os.environ.items() if key not in taken}
    begin = time.perf_counter()
    ended = subprocess.run([*command, *options], env=kept, check=False)
    print(f"== {name}: scan --confirm {' '.join(options)}: {time.perf_counter() - begin:.1f} s")
    check(f"{name}: exit code", ended.returncode == 0, ended.returncode)
    return read_recording(path)


def check_all(name: str, recording: Recording) -> dict[str, Intervention]:
    """What holds of every run; the intervention of most time of each kernel."""
    metadata = recording.metadata
    found = metadata.interventions
    left_out = [line for line in metadata.warnings if " is not " in line]
    check(f"{name}: nothing was left out", not left_out, left_out)
    counts = {len(one.alone_ns) for one in found} | {
        len(tried.durations_ns) for one in found for tried in one.sweep
    }
    check(f"{name}: repetitions", counts == {REPETITIONS}, counts)
    check(f"{name}: tokens", {len(one.in_situ_ns) for one in found} == {12})
    for one in found:
        ratio = alone_ratio(one)
        shown = "?" if ratio is None else f"{ratio.value:.2f} ({ratio.low:.2f}-{ratio.high:.2f})"
        print(f"     {one.kernel_short} {one.grid}: alone / in situ {shown}")
    return {one.kernel_short: one for one in reversed(found)}


def check_baseline(recording: Recording, kernels: dict[str, Intervention]) -> None:
    """The figures that are known of the suite with every arm off."""
    rows = rank(recording, RankOptions()).rows
    # 0.1 % for rows at the edge: shares are of the union of the kernels there, of their sum here.
    wanted = sum((row.time_fraction or 0) >= SMALLEST_SHARE + 0.001 for row in rows)
    done = len(recording.metadata.interventions)
    check("baseline: every signature of 1 %", wanted <= done <= 20, f"{done}, wanted {wanted}")
    kda = response_to_blocks(kernels["kda_decode_step"])
    check("KDA falls with blocks", kda.trend == "falls" and (kda.speedup or 0) > 6, kda.speedup)
    check("KDA alone as in situ", alone_against_in_situ(kernels["kda_decode_step"]) == "like")
    verdict = next(row.verdict for row in rows if row.kernel_short == "kda_decode_step")
    found = (verdict.name, verdict.confidence)
    check("KDA is starved", found == ("starved", "confirmed"), verdict.reason)
    norm = response_to_width(kernels["rms_norm"])
    check("norms fall with width", norm.trend == "falls" and (norm.speedup or 0) > 4, norm.speedup)
    check("norms: no other grid", response_to_blocks(kernels["rms_norm"]).best is None)
    mla = response_to_blocks(kernels["mla_decode_split"])
    check("MLA gains a little", 1.05 < (mla.speedup or 0) < 1.4, mla.speedup)
    told = [row for row in rows if "--confirm" in row.verdict.would_decide]
    check("none is told to scan --confirm", not told, [row.kernel_short for row in told])
    like = [alone_against_in_situ(one) == "like" for one in recording.metadata.interventions]
    check("alone as in situ, most of them", sum(like) >= 0.8 * len(like), f"{sum(like)} of {done}")
    print("\n".join(arm_gains_markdown(gains_of_rows(rows, recording.metadata.interventions))))


def main() -> int:
    """Run all; the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for name, options in RUNS.items():
            recording = scan(Path(folder), name, options)
            kernels = check_all(name, recording)
            if name == "baseline":
                check_baseline(recording, kernels)
    print("\n".join(failures) or "all as known")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
