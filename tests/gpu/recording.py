"""Prove the recorder on a real GPU: exact counts, true durations, small overhead, honest faults.

    python tests/gpu/recording.py OUTPUT_FOLDER [--only NAME ...]

Needs geoaudit installed (`geoaudit` on the path or the module importable), CuPy, PyTorch, Triton,
JAX, transformers, numba-cuda, cupti-python and nvcc; what a missing one leaves out is said. Every
check prints one line; the exit code is 1 where one fails. Targets are the programs in
tests/gpu/targets.
"""

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from geoaudit.recording.stream import Stream

TARGETS = Path(__file__).resolve().parent / "targets"
REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY))  # last: the geoaudit that is installed is the one to prove

from geoaudit.errors import GeoauditError
from tests.gpu.overhead import measure, table

TICK_NS = 32
GEOAUDIT = [sys.executable, "-m", "geoaudit.cli.main"]


@dataclass
class Checks:
    """Checks made so far; each is printed as it is made."""

    folder: Path
    failed: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)

    def check(self, what: str, holds: bool, found: object = "") -> None:
        print(f"{'ok  ' if holds else 'FAIL'} {what}: {found}", flush=True)
        if not holds:
            self.failed.append(what)

    def skip(self, what: str) -> None:
        print(f"---- not run: {what}", flush=True)
        self.not_run.append(what)


@dataclass(frozen=True)
class Scan:
    code: int
    stdout: str
    stderr: str
    output: Path

    def table(self) -> pd.DataFrame:
        from geoaudit.launches.store import read_recording

        return read_recording(self.output).launches

    def kernels(self) -> pd.DataFrame:
        table = self.table()
        return table[table["kind"] == "kernel"]


def scan(
    checks: Checks,
    name: str,
    command: list[str],
    *options: str,
    environment: dict[str, str] | None = None,
    wrap: list[str] | None = None,
) -> Scan:
    """Run a command recorded, away from the checkout: what is installed records."""
    output = checks.folder / f"{name}.parquet"
    if output.is_dir():
        shutil.rmtree(output)
    output.unlink(missing_ok=True)
    run = subprocess.run(
        [
            *(wrap or []), *GEOAUDIT, "scan", "-o", str(output),
            *options, "--", *command,
        ],
        capture_output=True, text=True, env={**os.environ, **(environment or {})}, timeout=300,
        cwd=checks.folder,
    )  # fmt: skip
    if not output.exists():
        print(f"     {name}: {run.stderr.strip()[-600:]}", flush=True)
    return Scan(run.returncode, run.stdout, run.stderr, output)


def rank(output: Path, *options: str) -> dict[str, Any]:
    run = subprocess.run(
        [*GEOAUDIT, "rank", str(output), "--format", "json", *options],
        capture_output=True, text=True, cwd=output.parent,
    )  # fmt: skip
    return json.loads(run.stdout) if run.returncode == 0 else {"error": run.stderr}


def python(program: str, *arguments: str) -> list[str]:
    return [sys.executable, str(TARGETS / program), *arguments]


def compiled(checks: Checks, source: str, *flags: str) -> str:
    program = checks.folder / source.removesuffix(".cu")
    subprocess.run(
        ["nvcc", "-arch=sm_90", "-o", str(program), *flags, str(TARGETS / source)], check=True
    )
    return str(program)


def counts_cupy(checks: Checks) -> None:
    made = scan(checks, "cupy", python("launches.py", "150000", "100", "600"))
    kernels = made.kernels()
    eager = kernels[kernels["graph_id"].isna() & (kernels["grid_x"] == 12)]
    nodes = kernels[kernels["graph_id"].notna()]
    checks.check("cupy: 150,000 eager launches", len(eager) == 150_000, len(eager))
    checks.check("cupy: 60,000 graph nodes", len(nodes) == 60_000, len(nodes))
    shapes = eager[["grid_x", "grid_y", "block_x", "dynamic_shared_bytes"]].drop_duplicates()
    checks.check(
        "cupy: geometry as launched", shapes.to_numpy().tolist() == [[12, 4, 128, 256]],
        shapes.to_numpy().tolist(),
    )  # fmt: skip
    distinct = nodes["graph_node_id"].nunique()
    checks.check("cupy: nodes told apart", distinct == 100, distinct)
    checks.check("cupy: exit code", made.code == 0, made.stderr[-300:])


def geometry(kernels: pd.DataFrame) -> list[tuple[int, ...]]:
    columns = [f"{what}_{axis}" for what in ("grid", "block") for axis in "xyz"]
    return sorted({tuple(int(number) for number in row) for row in kernels[columns].to_numpy()})


def counts_triton(checks: Checks) -> None:
    made = scan(checks, "triton", python("triton_add.py", "5000"))
    kernels = made.kernels()
    own = kernels[kernels["kernel"].str.contains("add_kernel")]
    checks.check("triton: 5,000 launches", len(own) == 5000, len(own))
    checks.check("triton: geometry", geometry(own) == [(37, 1, 1, 128, 1, 1)], geometry(own))
    checks.check("triton: exit code", made.code == 0, made.stderr[-300:])


def counts_jax(checks: Checks) -> None:
    made = scan(
        checks,
        "jax",
        python("jax_loop.py", "200"),
        environment={"XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
    )
    answer = rank(made.output)
    seen = answer.get("scan", {})
    checks.check(
        "jax: every launch has a record",
        made.code == 0 and 200 <= seen.get("launches", 0) == seen.get("launches_seen"),
        {key: seen.get(key) for key in ("launches", "launches_seen", "dropped")} or answer,
    )  # fmt: skip


def counts_decode(checks: Checks) -> None:
    per_token: set[tuple[int, ...]] = set()
    for mode in ("eager", "graph"):
        made = scan(
            checks,
            f"decode-{mode}",
            python("decode.py", mode),
            environment={
                "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{REPOSITORY / 'reports'}"
            },
        )
        # Captured after three tokens on a side stream, which are tokens of the period as well.
        tokens = {"ranges": 12, "period": 12 if mode == "eager" else 15}
        for how, options in (("ranges", ["--token-range", "decode_token"]), ("period", [])):
            answer = rank(made.output, *options)
            found = answer.get("scan", {})
            launches = [
                c["launches_per_step"] for c in found.get("step_classes", []) if c["chosen"]
            ]
            per_token.add(tuple(launches))
            checks.check(
                f"decode {mode}: {tokens[how]} tokens by {how}",
                found.get("tokens") == tokens[how],
                [found.get("tokens"), launches, found.get("launches"), answer.get("error")],
            )

    checks.check(
        "decode: as many launches a token, eager and as a graph, by range and by period",
        len(per_token) == 1, per_token,
    )  # fmt: skip


def counts_cpp(checks: Checks) -> None:
    program = compiled(checks, "plain.cu", "-lcuda")
    kernels = scan(checks, "cpp", [program, "return"]).kernels()
    plain, clustered = (
        kernels[kernels["kernel"].str.startswith(name)] for name in ("plain", "clustered")
    )
    checks.check(
        "c++: 1,000 plain launches of 7 x 33 and 128 bytes",
        len(plain) == 1000 and geometry(plain) == [(7, 1, 1, 33, 1, 1)]
        and set(plain["dynamic_shared_bytes"]) == {128},
        (len(plain), geometry(plain)),
    )  # fmt: skip
    checks.check(
        "c++: clusters of 4",
        len(clustered) == 10
        and set(clustered["cluster_x"]) == {4}
        and geometry(clustered) == [(8, 1, 1, 64, 1, 1)],
        (set(clustered["cluster_x"]), geometry(clustered)),
    )
    made = scan(checks, "forks", [program, "fork"])
    parts = sorted(made.output.glob("part-*.parquet")) if made.output.is_dir() else []
    checks.check(
        "c++: two forked children, a file each", len(parts) == 2, (len(parts), made.stderr[-200:])
    )
    checks.check("c++: 1,010 launches in each", len(made.kernels()) == 2020, len(made.kernels()))


def record_raw(
    checks: Checks, name: str, command: list[str], **environment: str
) -> tuple[list["Stream"], str]:
    """The recorder alone, as the driver loads it: its streams, and what the command printed."""
    from geoaudit.recording.cupti import find_cupti
    from geoaudit.recording.runner import LIBRARY
    from geoaudit.recording.stream import read_stream

    folder = checks.folder / f"raw-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    injected = {
        "CUDA_INJECTION64_PATH": str(LIBRARY), "NVTX_INJECTION64_PATH": str(LIBRARY),
        "GEOAUDIT_RECORDING": str(folder), "GEOAUDIT_CUPTI": str(find_cupti()[0].path),
    }  # fmt: skip
    ended = subprocess.run(
        command, env={**os.environ, **injected, **environment}, capture_output=True, text=True,
        cwd=checks.folder, check=False,
    )  # fmt: skip
    return [read_stream(file) for file in sorted(folder.iterdir())], ended.stdout


def counts_older_cupti(checks: Checks) -> None:
    """A CUPTI of CUDA 12, where GEOAUDIT_OLDER_CUPTI names some: records and counts agree."""
    libraries = os.environ.get("GEOAUDIT_OLDER_CUPTI", "")
    if not libraries:
        checks.skip("older CUPTI: GEOAUDIT_OLDER_CUPTI names none")
    for library in libraries.split(":") if libraries else ():
        for name, command in {
            "c++, the runtime's calls": [compiled(checks, "plain.cu", "-lcuda"), "return"],
            "cupy, the driver's calls and graphs": python("launches.py", "2000", "20", "30"),
        }.items():
            (stream,), _ = record_raw(checks, "older", command, GEOAUDIT_CUPTI=library)
            eager = stream.kernels[stream.kernels["graph_id"] == 0]
            joined = set(eager["correlation_id"]) <= set(stream.launches["correlation_id"])
            seen = 0 if stream.status is None else int(stream.status["launches_seen"])
            checks.check(
                f"older CUPTI ({stream.cupti_version}): {name}",
                len(eager) == seen >= 1010 and joined and stream.cupti_version < 130000,
                (len(eager), seen, len(stream.kernels), joined),
            )


SPINS = ("spin_2us", "spin_20us", "spin_200us")


def durations(checks: Checks) -> None:
    """Against CUDA events over graphs of many nodes, less the gaps between the recorded nodes."""
    made = scan(checks, "durations", python("durations.py", str(checks.folder / "events.json")))
    events = json.loads((checks.folder / "events.json").read_text())
    kernels = made.kernels()
    for name in SPINS:
        nodes = kernels[(kernels["kernel"] == name) & kernels["graph_id"].notna()]
        start, took = nodes["start_ns"].astype("int64"), nodes["duration_ns"].astype("int64")
        replays = pd.DataFrame({"start": start, "end": start + took, "took": took}).groupby(
            nodes["correlation_id"]
        )
        span = (replays["end"].max() - replays["start"].min()) / replays.size()
        found = float(replays["took"].mean().median())
        expected = events[name] - float((span - replays["took"].mean()).median())
        checks.check(
            f"durations: {name} against events",
            abs(found - expected) <= max(0.03 * expected, 2 * TICK_NS),
            f"recorded {found:.0f} ns, events {expected:.0f} ns ({events[name]:.0f} with its gap)",
        )


def durations_ncu(checks: Checks) -> None:
    """What a kernel takes more than an empty one: ncu's time holds a launch of about 0.6 us."""
    run = subprocess.run(
        ["ncu", "--csv", "--page", "raw", "--metrics", "gpu__time_duration.sum", "--clock-control",
         "none", "--cache-control", "none", "--graph-profiling", "node",
         *python("durations.py", str(checks.folder / "ncu-events.json"), "few")],
        capture_output=True, text=True,
    )  # fmt: skip
    (checks.folder / "durations-ncu.csv").write_text(run.stdout)
    from geoaudit.sources.registry import ReadOptions
    from geoaudit.sources.sniff import read_profile

    tables = {
        "ncu": read_profile(checks.folder / "durations-ncu.csv", ReadOptions()).launches,
        "recorded": Scan(0, "", "", checks.folder / "durations.parquet").kernels(),
    }
    medians = {
        by: {
            name: float(table[table["kernel"].str.startswith(name)]["duration_ns"].median())
            for name in ("spin_0us", *SPINS)
        }
        for by, table in tables.items()
    }
    for name in SPINS:
        ncu, own = (medians[by][name] - medians[by]["spin_0us"] for by in ("ncu", "recorded"))
        checks.check(
            f"durations: {name} less an empty kernel, against ncu",
            abs(own - ncu) <= max(0.05 * ncu, 2 * TICK_NS),
            f"recorded {own:.0f} ns, ncu {ncu:.0f} ns; whole {medians['recorded'][name]:.0f} and "
            f"{medians['ncu'][name]:.0f} ns",
        )


def overhead(checks: Checks) -> None:
    """Cost of a launch, a node and an operator: bare, recorded, and under its peers."""
    output = checks.folder / "cost.parquet"
    found = measure([*GEOAUDIT, "scan", "-o", str(output), "--"], checks.folder)
    print(table(found), flush=True)
    few = [
        f"{call} {name}: {len(each)}"
        for call, by_name in found.items()
        for name, each in by_name.items()
        if len(each) < 8 and name != "cupti-python"
    ]
    checks.check("overhead: enough quiet answers", not few and "recorded" in found["launch"], few)
    added = {
        call: {name: statistics.median(each) - statistics.median(by_name["bare"])
               for name, each in by_name.items() if each}
        for call, by_name in found.items() if by_name.get("bare")
    }  # fmt: skip
    for call, most in (("launch", 1.3), ("node", 0.3), ("node_of_2us", 0.3)):
        for name in ("recorded", "cupti-python"):
            print(f"     {call} {name}: {added[call].get(name, float('nan')):+.3f} us", flush=True)
        checks.check(
            f"overhead: {call} <= {most} us", added[call]["recorded"] <= most,
            f"{added[call]['recorded']:.3f} us",
        )  # fmt: skip
    ratio = added["operator"]["recorded"] / added["operator"]["torch.profiler"]
    floor = (
        added["operator"].get("cupti-python", float("nan")) / added["operator"]["torch.profiler"]
    )
    checks.check(
        "overhead: an operator, at most a tenth of torch.profiler's", ratio <= 0.1,
        f"{ratio:.3f}; kernel records alone, by cupti-python: {floor:.3f}",
    )  # fmt: skip


def memory(checks: Checks) -> None:
    """Ten million launches, two of them eager, from before the first."""
    command = python("resident.py", "10000000")
    bare = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (stream,), recorded = record_raw(checks, "memory", command)
    grown = [
        float(found[1]) if (found := re.search(r"grown (-?[\d.]+) MB", text)) else float("nan")
        for text in (bare, recorded)
    ]
    seen = len(stream.kernels)
    checks.check(
        "memory: grows by <= 64 MB over 10 million launches, all recorded",
        grown[1] - grown[0] <= 64 and 10_000_000 <= seen <= 10_002_000, (*grown, seen),
    )  # fmt: skip


def faults(checks: Checks) -> None:
    program = compiled(checks, "plain.cu", "-lcuda")
    signals = {
        "kill": 128 + signal.SIGKILL,
        "segv": 128 + signal.SIGSEGV,
        "abort": 128 + signal.SIGABRT,
    }
    for way, code in {**signals, "_exit": 7, "cuda_error": 5}.items():
        made = scan(checks, f"fault-{way}", [program, way])
        kept = len(made.kernels()) if made.output.exists() else 0
        checks.check(
            f"fault {way}: exit code passed on, recording readable",
            made.code == code and kept >= 1010,
            (made.code, kept, made.stderr.strip()[-160:]),
        )
    nothing = scan(checks, "fault-none", ["true"])
    checks.check("fault: no CUDA in the target", nothing.code == 3, nothing.stderr.strip()[-200:])
    missing = scan(checks, "fault-missing", ["./no-such-program"])
    checks.check("fault: program not found", missing.code == 2, missing.stderr.strip())
    busy = scan(checks, "fault-busy", [program, "busy"])
    done = int(re.findall(r"done (\d+)", busy.stdout)[0])
    kernels = busy.kernels()
    kept = int((kernels["kernel_short"].astype(str) == "five_milliseconds").sum())
    checks.check(
        "fault kill while a kernel is always in flight: loses about a second",
        busy.code == 137 and kept * 5 >= done * 5 - 1200, (busy.code, done, kept),
    )  # fmt: skip
    profiled = scan(checks, "fault-torch-profiler", python("profiled.py"))
    checks.check(
        "fault: torch.profiler inside, the recorder wins",
        profiled.code == 0 and "saw 0 kernels" in profiled.stdout and len(profiled.kernels()) >= 50,
        (profiled.code, profiled.stdout.strip(), profiled.stderr.strip()[-200:]),
    )
    yielding = scan(checks, "fault-yield", python("profiled.py"), "--yield")
    checks.check(
        "fault: torch.profiler inside, --yield lets it win",
        "saw 50 kernels" in yielding.stdout and "--yield" in yielding.stderr,
        (yielding.code, yielding.stdout.strip(), yielding.stderr.strip()[-300:]),
    )
    second = scan(
        checks,
        "fault-second",
        [
            sys.executable,
            "-m",
            "geoaudit.cli.main",
            "scan",
            "-o",
            str(checks.folder / "inner.parquet"),
            "--",
            program,
            "return",
        ],
    )
    checks.check(
        "fault: a second geoaudit inside",
        second.code == 3,
        (second.code, second.stderr.strip()[-300:]),
    )
    unwritable = scan(checks, "no-such-folder/x", [program, "return"])
    checks.check(
        "fault: output that cannot be written", unwritable.code == 2,
        unwritable.stderr.strip()[-200:],
    )  # fmt: skip
    full_disk(checks, program)
    for what, path in {
        "no CUPTI": None,
        "a wrong CUPTI": "/lib/x86_64-linux-gnu/libm.so.6",
    }.items():
        told = with_cupti(path, checks, program)
        checks.check(
            f"fault: {what}", told.returncode == 3 and "CUPTI" in told.stderr,
            (told.returncode, told.stderr.strip()[-300:]),
        )  # fmt: skip


def full_disk(checks: Checks, program: str) -> None:
    """A disk of 64 KB: what was written before it was full is read."""
    disk = checks.folder / "full"
    disk.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        checks.skip("fault: full disk (no right to mount one)")
        return
    ended = scan(checks, "full/scan", [program, "kill"])
    subprocess.run(["umount", "-l", str(disk)], check=False)
    checks.check(
        "fault: full disk", ended.code == 137 and "No space left" in ended.stderr,
        (ended.code, ended.stderr.strip()[-300:]),
    )  # fmt: skip


def with_cupti(path: str | None, checks: Checks, program: str) -> subprocess.CompletedProcess[str]:
    """A scan on a machine where CUPTI is what is told."""
    found = f"CuptiLibrary(path=Path({path!r}), major=13, origin='test')," if path else ""
    code = (
        "import sys; from pathlib import Path; from geoaudit.cli.main import run; "
        "from geoaudit.recording import runner; from geoaudit.recording.cupti import CuptiLibrary; "
        f"runner.find_cupti = lambda: ({found}); run()"
    )
    scanned = ["scan", "-o", "cupti.parquet", "--", program, "return"]
    return subprocess.run(
        [sys.executable, "-c", code, *scanned],
        capture_output=True,
        text=True,
        cwd=checks.folder,
        check=False,
    )


def in_process(checks: Checks) -> None:
    """Sessions and wrappers: the parts of record_in_process.py."""
    script = str(Path(__file__).resolve().parent / "record_in_process.py")
    run = subprocess.run(
        [sys.executable, script, "--output", str(checks.folder / "in-process")],
        stdout=subprocess.PIPE, text=True, cwd=checks.folder, check=False,
    )  # fmt: skip
    print(run.stdout, flush=True)
    checks.check("in process: all parts", run.returncode == 0, run.stdout.strip().splitlines()[-1])


def slot_takers(checks: Checks) -> None:
    program = compiled(checks, "plain.cu", "-lcuda")
    names = {"compute-sanitizer": "compute-sanitizer", "ncu": "Nsight Compute", "nsys": "Nsight"}
    for tool in (["compute-sanitizer"], ["ncu", "--clock-control", "none"], ["nsys", "profile"]):
        if shutil.which(tool[0]) is None:
            checks.skip(f"{tool[0]} as the command and around: it is not here")
            continue
        inside = scan(checks, f"taker-{tool[0]}", [*tool, program, "return"])
        checks.check(
            f"{tool[0]} inside: named, exit 3",
            inside.code == 3 and tool[0].split("-")[-1] in inside.stderr,
            (inside.code, inside.stderr.strip()[-400:]),
        )
        around = scan(checks, f"around-{tool[0]}", [program, "return"], wrap=tool)
        checks.check(
            f"{tool[0]} around: named by geoaudit",
            around.code != 0
            and f"{names[tool[0]]} runs this shell" in around.stdout + around.stderr,
            (around.code, (around.stdout + around.stderr).strip()[-400:]),
        )


def green_contexts(checks: Checks) -> None:
    program = compiled(checks, "green.cu", "-lcuda")
    made = scan(checks, "green", [program])
    device = rank(made.output).get("device", {})
    checks.check(
        "green context: its 16 SMs are those used", device.get("usable_sm_count") == 16,
        (device, made.code, made.stderr.strip()[-200:]),
    )  # fmt: skip


def small_stream(checks: Checks) -> None:
    """The recorder's own file of a small program, which the tests keep a copy of."""
    (stream,), _ = record_raw(checks, "small", python("layers.py"))
    checks.check(
        "small stream: 60 launches in 20 ranges",
        len(stream.kernels) >= 60 and len(stream.markers) == 40,
        (len(stream.kernels), len(stream.markers)),
    )  # fmt: skip


CHECKS: dict[str, Callable[[Checks], None]] = {
    function.__name__: function
    for function in (
        counts_cupy, counts_triton, counts_jax, counts_decode, counts_cpp, counts_older_cupti,
        durations, durations_ncu,
        overhead, faults, slot_takers, green_contexts, small_stream, memory,
        in_process,
    )
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--only", nargs="*", choices=CHECKS, default=list(CHECKS))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    checks = Checks(options.output.resolve())
    for name in options.only:
        began = time.monotonic()
        try:
            CHECKS[name](checks)
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
