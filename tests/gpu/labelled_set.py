"""Record kernels whose true verdict is known, on a real GPU, and prove each label by measuring.

    python tests/gpu/labelled_set.py --output FOLDER

Needs CuPy and geoaudit with its recorder, installed or on PYTHONPATH. FOLDER gets the recordings,
`labels.json` (recording, kernel, label, how it was proved and whether the proof held),
`declared.json` (bytes and threads that a manifest would declare) and `interventions.json` (each
kernel alone and under other block counts). One line a label is printed: ``ok``, ``FAIL`` (its
proof failed; it is left out of the evaluation) or ``none`` (what cannot be had everywhere was not
had). Exit code 1 where one fails. tests/labelled_evaluation.py judges the folder.

Counters of the same kernels, which the evaluation takes from FOLDER as well:

    ncu --csv --page raw --clock-control none --set none --section LaunchStats --metrics \
        dram__bytes.sum,sm__cycles_active.avg,sm__cycles_elapsed.max,gpu__time_duration.sum \
        --log-file FOLDER/counters.csv python tests/gpu/labelled_set.py --only-launch

`--dry-run` needs no GPU: it prints the cases and compiles them with nvcc where that is there.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY))  # last: the geoaudit that is installed is the one to prove

from tests.gpu import labelled_cases as cases
from tests.gpu.labelled_cases import CASES, Case, Launch
from tests.gpu.labelled_proofs import (
    ALONE,
    Alone,
    Labelled,
    declared,
    interventions,
    judged,
    wrapped_up,
)

REPETITIONS = 11
TOKEN = "token"
BESIDE_LAUNCHES = 100
TENANT_SECONDS = 60.0
PROBES = 5
REST_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One recording: the cases of a group, and what runs beside them."""

    name: str
    group: cases.Group
    is_graph: bool
    tokens: int = 40
    beside: Launch | None = None
    is_shared: bool = False
    rest_seconds: float = 0.0

    @property
    def mode(self) -> str:
        return "graph" if self.is_graph else "eager"


PLANS = (
    Plan(name="quiet-eager", group="quiet", is_graph=False),
    Plan(name="quiet-graph", group="quiet", is_graph=True),
    Plan(name="memory-eager", group="memory", is_graph=False, beside=cases.BESIDE_MEMORY),
    Plan(name="memory-graph", group="memory", is_graph=True, beside=cases.BESIDE_MEMORY),
    Plan(name="compute-eager", group="compute", is_graph=False, beside=cases.BESIDE_COMPUTE),
    Plan(name="compute-graph", group="compute", is_graph=True, beside=cases.BESIDE_COMPUTE),
    Plan(name="process-eager", group="process", is_graph=False, tokens=240, is_shared=True),
    Plan(name="process-graph", group="process", is_graph=True, tokens=240, is_shared=True),
    Plan(name="clocks-eager", group="clocks", is_graph=False, tokens=60, rest_seconds=REST_SECONDS),
)


@dataclass(kw_only=True)
class Machine:
    """The device with the kernels and their memory."""

    cupy: Any
    functions: dict[str, Any]
    stream: Any
    pointers: tuple[Any, Any, Any]
    stop_word: Any
    kept: list[Any] = field(default_factory=list)

    def launch(self, one: Launch, stream: Any = None) -> None:
        """Queue one launch."""
        source, target, flags = self.pointers
        if one.kernel.startswith("co_runner"):
            flags = np.uint64(self.stop_word.ctypes.data)
        work = (np.int32(one.items), np.int32(one.rounds), np.int32(one.width))
        with self.stream if stream is None else stream:
            self.functions[one.kernel](
                (one.grid,),
                (one.block,),
                (source, target, flags, *work),
                shared_mem=one.shared_bytes,
            )

    def flush(self) -> None:
        """Queue a kernel behind which no data of the others is in the L2."""
        self.launch(cases.FLUSH)

    def launch_token(self, chosen: Iterable[Case]) -> None:
        """Queue every case at its sites."""
        for case in chosen:
            if case.group == "quiet" and case.follows is None:
                self.flush()
            for _ in range(case.sites):
                self.launch(case.launch)


def make_machine(names: Iterable[str] = cases.kernel_names()) -> Machine:
    """Compile, allocate and fill."""
    import cupy

    begin = time.perf_counter()
    module = cupy.RawModule(code=cases.source(), options=("--std=c++17",), backend="nvrtc")
    functions = {name: module.get_function(name) for name in names}
    for one in every_launch(CASES):
        if one.shared_bytes > 48 << 10 and one.kernel in functions:
            functions[one.kernel].max_dynamic_shared_size_bytes = one.shared_bytes
    source = cupy.zeros(cases.INPUT_BYTES, dtype="uint8")
    target = cupy.zeros(cases.OUTPUT_BYTES, dtype="uint8")
    flags = cupy.ones(32, dtype="int32")
    pinned = cupy.cuda.alloc_pinned_memory(4096)
    stop_word = np.frombuffer(pinned, dtype=np.int32, count=1)
    stop_word[0] = 0
    cupy.cuda.Device().synchronize()
    print(f"     compiled and allocated in {time.perf_counter() - begin:.1f} s", file=sys.stderr)
    return Machine(
        cupy=cupy,
        functions=functions,
        stream=cupy.cuda.Stream(non_blocking=True),
        pointers=tuple(np.uint64(one.data.ptr) for one in (source, target, flags)),  # type: ignore[arg-type]
        stop_word=stop_word,
        kept=[module, source, target, flags, pinned],
    )


def every_launch(chosen: Iterable[Case]) -> Iterator[Launch]:
    """The launches of cases and of their proofs."""
    for case in chosen:
        yield case.launch
        yield from (proof.launch for proof in case.proofs)


# ---- each kernel once, in a process that may die of it -------------------------------------------


def launch_each(left_out: set[str], *, with_proofs: bool) -> None:
    """Launch every case, and name each before; with its proofs where it is to be probed.

    Counters are joined by the kernel's name, so no other shape of it is launched for them.
    """
    machine = make_machine()
    for case in CASES:
        if case.kernel in left_out:
            continue
        for one in every_launch([case]) if with_proofs else (case.launch,):
            print(f"launching {case.kernel}", file=sys.stderr, flush=True)
            machine.launch(one)
            machine.stream.synchronize()
    if not with_proofs:
        return
    machine.flush()
    for one in (cases.BESIDE_MEMORY, cases.BESIDE_COMPUTE, cases.CO_TENANT):
        print(f"launching {one.kernel}", file=sys.stderr, flush=True)
        machine.launch(one)
        machine.stream.synchronize()
    print("all launched", file=sys.stderr, flush=True)


def probe() -> set[str]:
    """Cases that cannot be launched: one that fails would take the whole process with it."""
    broken: set[str] = set()
    for _ in range(PROBES):
        command = [sys.executable, __file__, "--only-launch", "--proofs"]
        command += ["--leave-out", *sorted(broken)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        lines = ended.stderr.splitlines()
        if ended.returncode == 0:
            break
        last = [line.split()[1] for line in lines if line.startswith("launching ")]
        print(f"FAIL probe: {last[-1:] or 'before any launch'}\n{ended.stderr[-1500:]}", flush=True)
        if not last or last[-1] in broken or not {case.kernel for case in CASES} & {last[-1]}:
            break
        broken.add(last[-1])
    return broken


# ---- what is measured --------------------------------------------------------------------------


@contextlib.contextmanager
def recorded(path: Path, token_range: str | None = None) -> Iterator[Any]:
    """A session whose warnings are printed."""
    from geoaudit import record

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with record(path, token_range=token_range) as session:
            yield session
    for warning in caught:
        print(f"     warning: {warning.message}", flush=True)


def kernels_in_order(session: Any) -> Any:
    """The recorded kernels but flushers, by their start."""
    table = session.recording.launches
    is_kernel = (table["kind"] == "kernel") & (table["kernel_short"] != cases.FLUSHER)
    return table[is_kernel].sort_values("start_ns")


def measure_alone(machine: Machine, chosen: tuple[Case, ...], folder: Path) -> Alone:
    """Durations of every case and proof alone and cold: (kernel of the case, proof) -> ns."""
    asked = []
    for case in chosen:
        asked.append((case.kernel, ALONE, case.launch))
        asked += [(case.kernel, proof.name, proof.launch) for proof in case.proofs]
    with recorded(folder / "alone.parquet") as session:
        for _ in range(REPETITIONS):
            for _, _, one in asked:
                machine.flush()
                machine.launch(one)
            machine.stream.synchronize()
    rows = kernels_in_order(session)
    expected = [one.kernel for _, _, one in asked] * REPETITIONS
    if list(rows["kernel_short"].astype(str)) != expected:
        raise RuntimeError(f"{len(rows)} kernels recorded, {len(expected)} launched")
    durations = rows["duration_ns"].to_numpy(dtype=np.float64).reshape(REPETITIONS, len(asked))
    return {
        (kernel, proof): tuple(int(value) for value in durations[:, place])
        for place, (kernel, proof, _) in enumerate(asked)
    }


def copy_bandwidth(machine: Machine) -> float:
    """Bytes read plus written per second of a large copy."""
    cupy, stream = machine.cupy, machine.stream
    _, source, target, *_ = machine.kept
    best = float("inf")
    for _ in range(8):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record(stream)
        with stream:
            for _ in range(4):
                cupy.cuda.runtime.memcpyAsync(
                    target.data.ptr, source.data.ptr, cases.INPUT_BYTES, 3, stream.ptr
                )
        end.record(stream)
        end.synchronize()
        best = min(best, float(cupy.cuda.get_elapsed_time(begin, end)) / 4)
    return 2 * cases.INPUT_BYTES / best * 1e3


def record_plan(machine: Machine, plan: Plan, chosen: tuple[Case, ...], folder: Path) -> Any:
    """One recording of the folder, as it is before it is wrapped up."""
    import nvtx

    stream = machine.stream
    with recorded(folder / f"{plan.name}.parquet", TOKEN) as session:
        graph = captured(machine, chosen) if plan.is_graph else None
        time.sleep(plan.rest_seconds)
        with beside(machine, plan):
            for _ in range(plan.tokens):
                with nvtx.annotate(TOKEN):
                    if graph is None:
                        machine.launch_token(chosen)
                    else:
                        graph.launch(stream)
                if not plan.is_shared:
                    stream.synchronize()
            stream.synchronize()
    return session.recording


def captured(machine: Machine, chosen: tuple[Case, ...]) -> Any:
    with machine.stream:
        machine.stream.begin_capture()
        machine.launch_token(chosen)
        return machine.stream.end_capture()


@contextlib.contextmanager
def beside(machine: Machine, plan: Plan) -> Iterator[None]:
    """Whatever shares the device with the tokens."""
    if plan.is_shared:
        with co_tenant():
            yield
    elif plan.beside is not None:
        other = machine.cupy.cuda.Stream(non_blocking=True)
        machine.stop_word[0] = 0
        for _ in range(BESIDE_LAUNCHES):
            machine.launch(plan.beside, other)
        time.sleep(0.002)
        try:
            yield
            print(f"     {plan.name}: beside it until the end: {not other.done}", flush=True)
        finally:
            machine.stop_word[0] = 1
            other.synchronize()
    else:
        yield


# ---- the other process ---------------------------------------------------------------------------


@contextlib.contextmanager
def co_tenant() -> Iterator[None]:
    """Another process that uses the device now and then, until the block is left."""
    taken = ("CUDA_INJECTION", "NVTX_INJECTION", "GEOAUDIT")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(taken)}
    process = subprocess.Popen(
        [sys.executable, __file__, "--co-tenant"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("ready"):
                break
        yield
    finally:
        # It ends when it can no longer write or its time is over.
        process.terminate()
        process.wait(timeout=30)


def be_co_tenant() -> None:
    """Launch a kernel of some milliseconds, wait, and again."""
    machine = make_machine(["co_tenant"])
    machine.launch(cases.CO_TENANT)
    machine.stream.synchronize()
    print("ready", flush=True)
    draw = random.Random(5)
    end = time.monotonic() + TENANT_SECONDS
    while time.monotonic() < end:
        machine.launch(cases.CO_TENANT)
        machine.stream.synchronize()
        time.sleep(draw.uniform(0.001, 0.004))


# ---- the whole -----------------------------------------------------------------------------------


def make_set(folder: Path) -> bool:
    """Measure, record and write; whether every proof held."""
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    broken = probe()
    usable = tuple(case for case in CASES if case.kernel not in broken)
    machine = make_machine()
    machine.launch_token(usable)
    machine.stop_word[0] = 1
    for one in (cases.BESIDE_MEMORY, cases.BESIDE_COMPUTE):
        machine.launch(one)
    machine.stream.synchronize()
    copy_rate = copy_bandwidth(machine)
    print(f"     copy {copy_rate / 1e12:.2f} TB/s; {time.perf_counter() - begin:.1f} s", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        alone = measure_alone(machine, usable, Path(scratch))
    properties = machine.cupy.cuda.runtime.getDeviceProperties(0)
    sms = int(properties["multiProcessorCount"])
    if sms != cases.SMS:
        print(f"FAIL {sms} SMs: the set is made for {cases.SMS}, and its labels are not true here")
    clock_hz = 1e3 * machine.cupy.cuda.Device().attributes.get("ClockRate", 1_980_000)
    print(f"     {properties['name'].decode()}, {clock_hz / 1e9:.2f} GHz at most", flush=True)
    recordings = {}
    for plan in PLANS:
        chosen = tuple(case for case in usable if case.group == plan.group)
        try:
            recordings[plan.name] = record_plan(machine, plan, chosen, folder)
            print(f"     {plan.name}: {time.perf_counter() - begin:.1f} s", flush=True)
        except Exception:  # noqa: BLE001 - the other recordings are kept whatever this one does
            print(f"FAIL {plan.name}\n{traceback.format_exc()}", flush=True)
    wrapped = wrapped_up(recordings, alone, copy_rate, folder)
    found: list[Labelled] = []
    for plan in PLANS:
        chosen = tuple(case for case in usable if case.group == plan.group)
        if plan.name in wrapped:
            found += judged(
                wrapped[plan.name],
                chosen,
                alone,
                recording_name=plan.name,
                mode=plan.mode,
                clock_hz=clock_hz,
            )
    write(folder, found, wrapped, usable, alone)
    print(f"     {time.perf_counter() - begin:.1f} s in all", flush=True)
    return report(found, broken)


def write(
    folder: Path,
    found: list[Labelled],
    wrapped: dict[str, Any],
    usable: tuple[Case, ...],
    alone: Alone,
) -> None:
    documents: dict[str, object] = {
        "labels.json": [label.as_json() for label in found],
        "declared.json": declared(usable),
        "interventions.json": {
            name: interventions(recording, usable, alone) for name, recording in wrapped.items()
        },
    }
    for name, document in documents.items():
        lines = json.dumps(document, indent=1 if name == "labels.json" else None)
        (folder / name).write_text(lines + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    print(f"     {size / 1e3:.0f} KB in {folder}", flush=True)


def report(found: list[Labelled], broken: set[str]) -> bool:
    """Print a line a label; whether all that must hold holds."""
    failed = 0
    print(f"{'':4} {'recording':14} {'kernel':32} {'label':18} {'blocks':>6} {'median':>9} "
          f"{'spread':>7} {'floors':>7}  proofs")  # fmt: skip
    for label in found:
        optional = label.recording.startswith("clocks")
        state = "ok" if label.holds else "none" if optional else "FAIL"
        failed += state == "FAIL"
        print(label.line(state), flush=True)
    kinds = statistics.multimode(label.label for label in found)
    held = sum(label.holds for label in found)
    print(f"{held} of {len(found)} labels hold, {len(broken)} kernels could not be launched, "
          f"most are {kinds}")  # fmt: skip
    return failed == 0 and not broken


def dry_run() -> None:
    """Print the cases; compile them where nvcc is there."""
    for case in CASES:
        one = case.launch
        print(f"{case.group:8} {case.kernel:32} {case.label:18} {one.grid:>5} x {one.block:<5} "
              f"{case.compulsory_bytes:>12,} bytes, {len(case.proofs)} proofs")  # fmt: skip
    print(f"{len(CASES)} kernels")
    compiler = shutil.which("nvcc")
    if compiler is None:
        print("no nvcc here: not compiled")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "labelled.cu"
        file.write_text(cases.source(), encoding="utf-8")
        options = ["-arch=sm_90", "-std=c++17", "-cubin", "-Xptxas", "-v", "-o", f"{folder}/out"]
        subprocess.run([compiler, *options, str(file)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="folder of the set")
    parser.add_argument(
        "--only-launch", action="store_true", help="launch each kernel, record none"
    )
    parser.add_argument("--proofs", action="store_true", help="with --only-launch: them too")
    parser.add_argument("--leave-out", nargs="*", default=[], metavar="KERNEL")
    parser.add_argument(
        "--dry-run", action="store_true", help="no GPU: print and compile the cases"
    )
    parser.add_argument("--co-tenant", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.dry_run:
        dry_run()
    elif arguments.co_tenant:
        be_co_tenant()
    elif arguments.only_launch:
        launch_each(set(arguments.leave_out), with_proofs=arguments.proofs)
    elif arguments.output is None:
        parser.error("give --output FOLDER")
    else:
        sys.exit(0 if make_set(arguments.output) else 1)


if __name__ == "__main__":
    main()
