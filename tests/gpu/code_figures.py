"""Bytes in flight of the suite's kernels: what the manifest declares, and their machine code.

    python tests/gpu/code_figures.py

Needs a CUDA device, CuPy, and nvdisasm (of a toolkit, or of the wheel nvidia-cuda-nvdisasm); and
geoaudit installed or on PYTHONPATH. Prints a table, and exits with 1 if a kernel has no figure, a
declaration contradicts its code, a figure that is not declared is not filled, or what is kept is
not read again in a moment.
"""

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import StepPlan
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import resolve_settings
from geoaudit.recording.machine_code.nvdisasm import find_nvdisasm
from geoaudit.recording.suite.code_figures import with_code_figures
from geoaudit.recording.suite.runtime import CupyRuntime

MANIFEST = Path(__file__).parents[2] / "kernels" / "manifest.toml"
# Copies in a loop of unknown length: no figure is filled in.
WITHOUT_FIGURE = {"mla_decode_split"}
failures: list[str] = []


def check(what: str, holds: bool, found: object = "") -> None:
    """Print a line, and keep what does not hold."""
    line = f"{'ok  ' if holds else 'FAIL'} {what}: {found}"
    print(line, flush=True)
    if not holds:
        failures.append(line)


def undeclared(one: StepPlan) -> StepPlan:
    """The plan of a manifest that declares no bytes in flight."""
    launches = tuple(
        replace(launch, shape=replace(launch.shape, bytes_in_flight_per_thread=None))
        for launch in one.launches
    )
    return replace(one, launches=launches)


def compare(step: str, *, all_arms: bool, runtime: CupyRuntime) -> None:
    """One step under all of its arms or none."""
    manifest = read_manifest(MANIFEST)
    worked_out = plan(manifest, resolve_settings(manifest, all_arms=all_arms), step)
    begin = time.perf_counter()
    found = with_code_figures(undeclared(worked_out), runtime)
    first_s = time.perf_counter() - begin
    begin = time.perf_counter()
    declared = with_code_figures(worked_out, runtime)
    again_s = time.perf_counter() - begin
    name = f"{step}, {'all arms' if all_arms else 'no arm'}"
    print(f"== {name}: read in {first_s:.2f} s, again in {again_s:.3f} s")
    check(f"{name}: kept", again_s < 0.2, f"{again_s:.3f} s")
    check(f"{name}: no contradiction", declared.warnings == (), declared.warnings)
    pairs = zip(worked_out.launches, found.plan.launches, strict=True)
    for said, read in dict.fromkeys((one.shape, other.shape) for one, other in pairs):
        figure = read.bytes_in_flight_per_thread
        check(
            f"{said.kernel:24s} {said.entry:24s} declared {said.bytes_in_flight_per_thread!s:>5s}",
            (figure is None) == (said.kernel in WITHOUT_FIGURE),
            figure,
        )


def main() -> int:
    """Compare every step; 1 if anything does not hold."""
    print(f"nvdisasm: {find_nvdisasm()}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        runtime = CupyRuntime()
        print(runtime.compiler())
        for step in read_manifest(MANIFEST).steps:
            for all_arms in (False, True):
                compare(step, all_arms=all_arms, runtime=runtime)
    print("", *failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
