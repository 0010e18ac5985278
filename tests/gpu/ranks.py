"""Prove the recording of several ranks on one GPU and on two: exact counts, a rank that dies.

    python tests/gpu/ranks.py OUTPUT_FOLDER [--only NAME ...]

Needs geoaudit installed, CuPy, NCCL and PyTorch; with one GPU, what needs two is said and not run.
Every check prints one line; the exit code is 1 where one fails.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pandas as pd

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY))  # last: the geoaudit that is installed is the one to prove

from geoaudit.errors import GeoauditError
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import read_recording
from geoaudit.recording.suite.described_run import DescribedRun
from geoaudit.recording.suite.ranks.group_run import GroupRun
from tests.gpu.recording import GEOAUDIT, TARGETS, Checks

COPIES = ["--set", "weight_copies=2"]  # of one rank alone, the weights of four fill the device
TOKENS, SUMS = 12, 186


def devices() -> int:
    """How many GPUs there are."""
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return len(re.findall(r"^GPU \d", listed.stdout, re.MULTILINE))


def scan(checks: Checks, name: str, *options: str, **variables: str) -> tuple[int, str, Path]:
    """Exit code, standard error and recording of a scan."""
    output = checks.folder / f"{name}.parquet"
    ran = subprocess.run(
        [*GEOAUDIT, "scan", "-o", str(output), *options],
        capture_output=True, text=True, check=False, timeout=300, env={**os.environ, **variables},
    )  # fmt: skip
    print("\n".join(f"     {line}" for line in (ran.stdout + ran.stderr).splitlines()[-12:]))
    return ran.returncode, ran.stderr, output


def kernels_of(recording: Recording) -> dict[int, pd.DataFrame]:
    """Kernel launches of each rank."""
    launches = recording.launches
    kernels = launches[launches["kind"] == "kernel"]
    return {int(rank): own for rank, own in kernels.groupby("rank")}


def one_device(checks: Checks) -> None:
    """Two processes on one device: one data set, a part of each, counts exact."""
    target = str(TARGETS / "two_processes.py")
    code, _, output = scan(
        checks, "one-device", "--", sys.executable, target, "700", CUDA_VISIBLE_DEVICES="0"
    )
    recording = read_recording(output)
    found = {
        rank: int((own["kernel_short"] == "add_one").sum())
        for rank, own in kernels_of(recording).items()
    }
    checks.check("two processes on one GPU: launches", found == {0: 700, 1: 700}, found)
    grids = {rank: set(own["grid_x"]) for rank, own in kernels_of(recording).items()}
    checks.check("two processes on one GPU: grids", grids == {0: {1}, 1: {2}}, grids)
    told = (code, recording.metadata.ranks, recording.metadata.partial)
    checks.check("two processes on one GPU: code, ranks, partial", told == (0, 2, False), told)


def without_sums(checks: Checks) -> Path:
    """The suite's manifest with nothing to sum, whose ranks need no device of their own."""
    folder = checks.folder / "kernels"
    shutil.copytree(REPOSITORY / "kernels", folder, dirs_exist_ok=True)
    manifest = folder / "manifest.toml"
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(line for line in lines if "all_reduce" not in line))
    return manifest


def suite_on_one(checks: Checks) -> None:
    """Two ranks of the suite on one device, summing nothing: counts exact on both."""
    manifest = str(without_sums(checks))
    code, _, output = scan(
        checks, "suite-one-device", manifest, "--ranks", "2", "--set", "tp=8", *COPIES,
        CUDA_VISIBLE_DEVICES="0",
    )  # fmt: skip
    recording = read_recording(output)
    counts = {
        rank: own.groupby("token").size().tolist() for rank, own in kernels_of(recording).items()
    }
    exact = (code, counts) == (0, {0: [1655] * TOKENS, 1: [1655] * TOKENS})
    checks.check(
        "two ranks of the suite on one GPU", exact, (code, {k: v[:2] for k, v in counts.items()})
    )


def too_few(checks: Checks) -> None:
    """More ranks than devices are refused before anything runs."""
    code, said, output = scan(checks, "few", "--ranks", "2", CUDA_VISIBLE_DEVICES="0")
    refused = (code, "needs 2 CUDA devices" in said, output.exists())
    checks.check("--ranks 2 on one device is refused", refused == (3, True, False), refused)


def group_of_one(checks: Checks) -> None:
    """NCCL with one rank: types, capture into a graph, and an end that waits for nobody."""
    target = [sys.executable, str(TARGETS / "sums.py"), "0", "1", str(checks.folder / "alone")]
    ran = subprocess.run(target, check=False, timeout=120)
    checks.check("a group of one sums six types", ran.returncode == 0, ran.returncode)
    run = DescribedRun(
        manifest=str(REPOSITORY / "kernels" / "manifest.toml"),
        step="decode",
        assignments=("layer_groups=1",),
    )
    for is_graph in (False, True):
        group = GroupRun(run=run, ranks=1, tokens=5, warm_up_tokens=2, is_graph=is_graph)
        ended = subprocess.run(group.command, check=False, timeout=120)
        what = "a graph" if is_graph else "launches"
        checks.check(f"a group of one runs {what}", ended.returncode == 0, ended.returncode)


def sums(checks: Checks) -> None:
    """What the communicator sums, type by type, against exact numbers."""
    meeting = str(checks.folder / "meeting")
    command = [sys.executable, str(TARGETS / "sums.py")]
    ranks = [subprocess.Popen([*command, str(rank), "2", meeting]) for rank in range(2)]
    codes = [rank.wait(timeout=120) for rank in ranks]
    checks.check("sums of six types are exact on both ranks", codes == [0, 0], codes)


def _suite(checks: Checks, name: str, *options: str) -> None:
    code, _, output = scan(checks, name, "--ranks", "2", *COPIES, *options)
    checks.check(f"{name}: exit code", code == 0, code)
    recording = read_recording(output)
    for rank, own in kernels_of(recording).items():
        per_token = own.groupby("token").size().tolist()
        nccl = own[own["owner"] == "nccl"].groupby("token").size().tolist()
        exact = (per_token, nccl) == ([1655 + SUMS] * TOKENS, [SUMS] * TOKENS)
        checks.check(f"{name}: counts of rank {rank} are exact", exact, (per_token[:3], nccl[:3]))
        outside = int(own["token"].isna().sum())
        checks.check(f"{name}: rank {rank} has nothing but its tokens", outside == 0, outside)
    told = (recording.metadata.ranks, recording.metadata.partial, len(recording.metadata.devices))
    checks.check(f"{name}: ranks, partial, devices", told == (2, False, 2), told)
    table = subprocess.run(
        [*GEOAUDIT, "rank", str(output), "--by", "rank"],
        capture_output=True,
        text=True,
        check=False,
    )
    print(table.stdout + table.stderr)
    checks.check(f"{name}: rank --by rank", table.returncode == 0, table.returncode)


def suite_eager(checks: Checks) -> None:
    """The suite at tp 2 over two GPUs."""
    _suite(checks, "tp2-eager")


def suite_graph(checks: Checks) -> None:
    """The same as one CUDA graph, the sums in it."""
    _suite(checks, "tp2-graph", "--graph")


def suite_tp8_shapes(checks: Checks) -> None:
    """What each of eight ranks would launch, on each of two GPUs."""
    _suite(checks, "tp8-shapes-eager", "--set", "tp=8")


def suite_reshaped(checks: Checks) -> None:
    """Sums among launches that begin before their predecessors end."""
    code, _, output = scan(checks, "tp2-arms", "--ranks", "2", *COPIES, "--all-arms", "--graph")
    own = kernels_of(read_recording(output))
    counted = {rank: int((one["owner"] == "nccl").sum()) for rank, one in own.items()}
    checks.check("all arms as a graph", (code, counted) == (0, {0: 2232, 1: 2232}), (code, counted))


def alone(checks: Checks) -> None:
    """One rank of 1, 2, 4 and 8, alone and so without its sums."""
    for ranks in (1, 2, 4, 8):
        code, _, output = scan(checks, f"tp{ranks}-alone", *COPIES, "--set", f"tp={ranks}")
        kernels = kernels_of_one(read_recording(output))
        counts = kernels.groupby("token").size().tolist()
        exact = (code, counts) == (0, [1655] * TOKENS)
        checks.check(f"tp {ranks} alone", exact, (code, counts[:3]))


def kernels_of_one(recording: Recording) -> pd.DataFrame:
    """Kernel launches of a recording without ranks."""
    return recording.launches[recording.launches["kind"] == "kernel"]


def _launched(checks: Checks, name: str, launcher: list[str], **variables: str) -> None:
    command = [*launcher, str(TARGETS / "tensor_parallel.py"), "20"]
    code, _, output = scan(
        checks, name, "--token-range", "decode_token", "--", *command, **variables
    )
    recording = read_recording(output)
    tokens = {
        rank: own[own["token"].notna()].groupby("token")
        for rank, own in kernels_of(recording).items()
    }
    counts = {rank: sorted(set(own.size())) for rank, own in tokens.items()}
    even = len(counts[0]) == 1 and counts[0] == counts[1] and len(tokens[0]) == len(tokens[1]) == 20
    checks.check(f"{name}: as many launches in each of 20 tokens of each rank", even, counts)
    sums = 8 if devices() > 1 else 0  # Gloo sums on the host
    nccl = {
        rank: {int((one["owner"] == "nccl").sum()) for _, one in own}
        for rank, own in tokens.items()
    }
    checks.check(f"{name}: sums in each token", nccl == {0: {sums}, 1: {sums}}, nccl)
    told = (code, recording.metadata.ranks, sorted(kernels_of(recording)))
    checks.check(f"{name}: code, ranks, which", told == (0, 2, [0, 1]), told)
    table = subprocess.run(
        [*GEOAUDIT, "rank", str(output), "--by", "rank", "--top", "4"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    print(table.stdout + table.stderr)
    checks.check(f"{name}: rank --by rank", table.returncode == 0, table.returncode)


def launchers(checks: Checks) -> None:
    """An engine of PyTorch under torchrun and under mpirun, and with a rank that is late."""
    torchrun = ["torchrun", "--nproc-per-node", "2"]
    _launched(checks, "torchrun", torchrun)
    _launched(checks, "torchrun-late", torchrun, LATE="1")
    mpirun = ["mpirun", "--allow-run-as-root", "-n", "2", sys.executable]
    _launched(checks, "mpirun", mpirun)


def killed(checks: Checks) -> None:
    """A rank killed in the middle: the other's recording is there, and the data set incomplete."""
    output = checks.folder / "killed.parquet"
    manifest = [] if devices() > 1 else [str(without_sums(checks))]
    options = ["--ranks", "2", "--set", "tp=8", "--set", "layer_groups=1", "--tokens", "20000"]
    command = [*GEOAUDIT, "scan", *manifest, *options]
    running = subprocess.Popen(
        [*command, "-o", str(output)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _kill_in_the_middle(checks.folder)
    said = "".join(running.communicate(timeout=120))
    print("\n".join(f"     {line}" for line in said.splitlines()[-14:]))
    checks.check("killed: exit code", running.returncode == 3, running.returncode)
    recording = read_recording(output)
    tokens = {rank: int(own["token"].nunique()) for rank, own in kernels_of(recording).items()}
    both = min(tokens.get(0, 0), tokens.get(1, 0)) > 10
    checks.check("killed: tokens of each rank", both, tokens)
    checks.check(
        "killed: marked incomplete", recording.metadata.partial, recording.metadata.warnings
    )
    table = subprocess.run(
        [*GEOAUDIT, "rank", str(output), "--top", "3"], capture_output=True, text=True, check=False
    )
    print(table.stdout + table.stderr)
    checks.check("killed: rank says PARTIAL", "PARTIAL" in table.stdout, table.returncode)
    gate = subprocess.run(
        [*GEOAUDIT, "rank", str(output), "--by", "rank"],
        capture_output=True,
        text=True,
        check=False,
    )
    print(gate.stdout + gate.stderr)
    checks.check("killed: rank --by rank", gate.returncode in (0, 2), gate.returncode)


def _wait_for_tokens(folder: Path) -> None:
    """Wait until both streams hold some seconds of tokens."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        streams = [one.stat().st_size for one in folder.glob(".geoaudit-recording-*/*.geoaudit")]
        if len(streams) == 2 and min(streams) > 1_500_000:
            return
        time.sleep(0.05)


def _kill_in_the_middle(folder: Path) -> None:
    """Kill rank 1 once both ranks are at their tokens."""
    _wait_for_tokens(folder)
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            variables = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"geoaudit.recording.suite.ranks.rank" in words and b"RANK=1" in variables:
            os.kill(int(process.name), signal.SIGKILL)


def interrupted(checks: Checks) -> None:
    """Ctrl-C from elsewhere than a terminal: the ranks end, and all they launched is there."""
    output = checks.folder / "interrupted.parquet"
    manifest = str(without_sums(checks))
    options = ["--ranks", "2", "--set", "tp=8", "--set", "layer_groups=1", "--tokens", "20000"]
    running = subprocess.Popen(
        [*GEOAUDIT, "scan", manifest, *options, "-o", str(output)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    _wait_for_tokens(checks.folder)
    running.send_signal(signal.SIGINT)
    said = "".join(running.communicate(timeout=120))
    print("\n".join(f"     {line}" for line in said.splitlines()[-14:]))
    checks.check("interrupted: exit code", running.returncode == 130, running.returncode)
    recording = read_recording(output)
    tokens = {rank: int(own["token"].nunique()) for rank, own in kernels_of(recording).items()}
    whole = min(tokens.get(0, 0), tokens.get(1, 0)) > 10 and not recording.metadata.partial
    checks.check("interrupted: both ranks whole", whole, (tokens, recording.metadata.warnings))


ONE_DEVICE: dict[str, Callable[[Checks], None]] = {
    function.__name__: function
    for function in (
        one_device,
        suite_on_one,
        too_few,
        group_of_one,
        alone,
        launchers,
        killed,
        interrupted,
    )
}
TWO_DEVICES: dict[str, Callable[[Checks], None]] = {
    function.__name__: function
    for function in (
        sums, suite_eager, suite_graph, suite_tp8_shapes, suite_reshaped,
    )
}  # fmt: skip


def write_environment(folder: Path) -> None:
    """What the machine is, for the report."""

    def answer(*arguments: str) -> str:
        ran = subprocess.run(
            ["nvidia-smi", *arguments], capture_output=True, text=True, check=False
        )
        return ran.stdout.strip()

    query = "name,driver_version,clocks.max.sm,clocks.max.mem,power.limit"
    found = {
        "devices": answer(f"--query-gpu={query}", "--format=csv,noheader").splitlines(),
        "query": query,
        "links": re.findall(r"^GPU\d.*", re.sub(r"\x1b\[\d*m", "", answer("topo", "-m")), re.M),
        "nccl_nvls_enable": os.environ.get("NCCL_NVLS_ENABLE"),
        "python": platform.python_version(),
    }
    for module in ("cupy", "torch"):
        with suppress(importlib.metadata.PackageNotFoundError):
            found[module] = importlib.metadata.version({"cupy": "cupy-cuda13x"}.get(module, module))
    (folder / "environment.json").write_text(json.dumps(found, indent=2) + "\n")


def main() -> int:
    """Run the checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    every = {**ONE_DEVICE, **TWO_DEVICES}
    parser.add_argument("--only", nargs="*", choices=every, default=list(every))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    checks, several = Checks(options.output.resolve()), devices() > 1
    write_environment(options.output)
    for name in options.only:
        if name in TWO_DEVICES and not several:
            checks.skip(f"{name}: needs two GPUs")
            continue
        began = time.monotonic()
        try:
            every[name](checks)
        except (
            GeoauditError,
            OSError,
            LookupError,
            ValueError,
            subprocess.SubprocessError,
        ) as error:
            checks.check(name, holds=False, found=repr(error)[:500])
        print(f"     {name}: {time.monotonic() - began:.1f} s", flush=True)
    for what, names in (("failed", checks.failed), ("not run", checks.not_run)):
        print(f"{len(names)} {what}{': ' if names else ''}{', '.join(names)}")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
