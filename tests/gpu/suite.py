"""Prove on a real GPU that the suite runs as its manifest says, and measure what its arms win.

    python tests/gpu/suite.py --output FOLDER [--only scans measure kernels bytes gqa]

Needs CuPy and geoaudit with its recorder, installed or on PYTHONPATH. Every check prints one line,
``ok`` or ``FAIL``; exit code 1 where one fails. FOLDER gets the recordings of `geoaudit scan`
(eager, graph, arms on, both), `measured.json` and `environment.json`.

Under compute-sanitizer, which takes the recorder's place, every arm is launched at small sizes.
Scratch memory is left as it was allocated: initcheck sees what is read before it is written.

    compute-sanitizer --tool memcheck --report-api-errors no \
        python tests/gpu/suite.py --small --only run

API errors are left out: to learn a kernel's parameters the driver is asked for one too many.

`--small` also tries the other parts; checks of the documents' sizes then fail.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from geoaudit import record
from geoaudit.cli.shipped import shipped_manifest
from geoaudit.devices.calibration import Calibration
from geoaudit.diagnosis.thresholds import LAUNCH_FLOOR_NS
from geoaudit.errors import GeoauditError
from geoaudit.experiments.byte_comparison import STORED_AS, Difference, byte_difference
from geoaudit.experiments.interleaving import abba
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import read_recording
from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import BufferUse, StepPlan
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import resolve_settings, restore_set
from geoaudit.ranking.time_account import attributed_durations
from geoaudit.recording.calibration.measure import measure
from geoaudit.recording.session import IncompleteRecordingWarning
from geoaudit.recording.suite.captured_token import CapturedToken
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.prepared_token import PreparedToken
from geoaudit.recording.suite.runtime import CupyRuntime
from geoaudit.recording.suite.suite_run import RunOptions, range_of, run_tokens, warm_up

MANIFEST = read_manifest(shipped_manifest())
SMALL = ("context=16400", "experts=16", "layer_groups=1", "vocabulary=2048", "gqa_layers=2")
DEEPEST = 131072
DEPTHS = (1024, 4096, 4097, 16385, 16386, DEEPEST)
TILES = ("KDA_VALUE_TILE=8", "KDA_VALUE_TILE=16", "KDA_VALUE_TILE=32")
OTHERS = ("WIDE_GEMV", "ROUTER_SPLIT", "WIDE_EXPERTS", "EXPERT_SKIP", "ARGMAX_SPLIT", "PDL")
DOCUMENTS = ("WIDE_NORM", "KDA_VALUE_TILE", "MLA_DERIVED_FLOOR")
IDENTICAL = ("WIDE_NORM", "KDA_VALUE_TILE", "ARGMAX_SPLIT", "PDL")
ARMS: dict[str, tuple[str, ...]] = {
    "baseline": (),
    "WIDE_NORM": ("WIDE_NORM",),
    **{tile: (tile,) for tile in TILES},
    "KDA_CONTRACT": ("KDA_CONTRACT",),
    "MLA_DERIVED_FLOOR": ("MLA_DERIVED_FLOOR",),
    **{name: (name,) for name in OTHERS},
    "norm, KDA, MLA": DOCUMENTS,
    "all": ("ALL",),
    "all but PDL": ("ALL", "PDL=0"),
    "all and EXPERT_SKIP": ("ALL", "EXPERT_SKIP"),
}
# What a context of the gate or below must leave as it is: arm -> deepest context.
INERT = {"MLA_DERIVED_FLOOR": 4096, "EXPERT_SKIP": 16385}
REPLAYS = 20
RECORDED_TOKENS = 10
FULL_TABLES = ("baseline", "all", "all but PDL")


@dataclass(kw_only=True)
class Report:
    """What was found: failed checks, and figures to keep."""

    failed: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def check(self, what: str, found: object, expected: object) -> None:
        """Print one line."""
        holds = found == expected
        line = f"{'ok  ' if holds else 'FAIL'} {what:<70} {found}"
        print(line if holds else f"{line}, expected {expected}", flush=True)
        if not holds:
            self.failed.append(what)


REPORT = Report()


@dataclass(kw_only=True)
class Machine:
    """The device with the memory of all plans, and how it is measured."""

    runtime: CupyRuntime
    engine: Engine
    sizes: tuple[str, ...]
    copy_bytes_per_second: float
    launch_floor_ns: float

    def plan(self, arms: Sequence[str], *sizes: str, step: str | None = None) -> StepPlan:
        """A plan at these sizes; ALL stands for --all-arms."""
        settings = resolve_settings(
            MANIFEST,
            arms=[arm for arm in arms if arm != "ALL"],
            all_arms="ALL" in arms,
            assignments=_with(self.sizes, sizes),
        )
        return plan(MANIFEST, settings, step)

    def ready(self, one: StepPlan) -> PreparedToken:
        """A plan, restored and warm."""
        token = self.engine.prepare(one)
        self.engine.restore(one)
        warm_up(self.engine, token, 2)
        return token


def _with(sizes: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Assignments, the later ones in place of earlier ones of the same symbol."""
    return tuple({size.partition("=")[0]: size for size in (*sizes, *more)}.values())


def make_machine(sizes: tuple[str, ...], *, is_measured: bool) -> Machine:
    runtime = CupyRuntime()
    wide = ("gqa_n_head=128", *sizes)
    settings = resolve_settings(MANIFEST, assignments=_with((), wide))
    plans = [plan(MANIFEST, settings, step) for step in ("decode", "gqa")]
    begin = time.perf_counter()
    engine = Engine(runtime, plans)
    if is_measured:
        for one in plans:
            engine.restore(one)
    size = sum(one.device_bytes for one in plans) / 1e9
    print(f"     allocated and filled {size:.1f} GB in {time.perf_counter() - begin:.2f} s")
    calibration = measure(lambda: runtime) if is_measured else Calibration(device_name="")
    machine = Machine(
        runtime=runtime,
        engine=engine,
        sizes=sizes,
        copy_bytes_per_second=_figure(calibration.copy_bytes_per_second),
        launch_floor_ns=_figure(calibration.graph_launch_floor_ns),
    )
    print(f"     copy {machine.copy_bytes_per_second / 1e12:.2f} TB/s, read and written")
    print(f"     an empty kernel of a graph {machine.launch_floor_ns:.0f} ns")
    return machine


def _figure(measured: float | None) -> float:
    return float("nan") if measured is None else measured


@contextlib.contextmanager
def recorded(token_range: str | None = None) -> Iterator[Any]:
    """A recording that is read and thrown away."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteRecordingWarning)
        with record(Path(folder) / "r.parquet", token_range=token_range) as session:
            yield session


def elapsed(runtime: CupyRuntime, launch: Callable[[], object]) -> float:
    """Milliseconds on the device between two events around a launch."""
    begin, end = runtime.cupy.cuda.Event(), runtime.cupy.cuda.Event()
    begin.record(runtime.stream)
    launch()
    end.record(runtime.stream)
    end.synchronize()
    return float(runtime.cupy.cuda.get_elapsed_time(begin, end))


# ---- geoaudit scan ------------------------------------------------------------------------------


def scan(folder: Path, name: str, *options: str, **environment: str) -> Recording:
    """Run the command; its recording."""
    path = folder / f"{name}.parquet"
    command = [sys.executable, "-m", "geoaudit.cli.main", "scan", "-o", str(path), *options]
    taken = ("NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH")
    kept = {key: value for key, value in os.environ.items() if key not in taken}
    begin = time.perf_counter()
    ended = subprocess.run(
        command, env=kept | environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - begin
    print(f"== scan {' '.join(options)}: {seconds:.1f} s\n{ended.stdout}{ended.stderr}", end="")
    REPORT.check(f"{name}: exit code", ended.returncode, 0)
    return read_recording(path)


def check_scan(name: str, recording: Recording, planned: StepPlan, *, is_graph: bool) -> None:
    """The recording holds whole tokens, each launch as planned."""
    table, metadata = recording.launches, recording.metadata
    kernels = table[(table[s.KIND] == s.KIND_KERNEL) & table[s.TOKEN].notna()]
    REPORT.check(f"{name}: tokens", int(kernels[s.TOKEN].nunique()), 12)
    REPORT.check(f"{name}: launches", len(kernels), 12 * len(planned.launches))
    REPORT.check(f"{name}: nothing outside of tokens", int(table[s.TOKEN].isna().sum()), 0)
    counted = int((table[s.KIND] == s.KIND_KERNEL).sum())
    REPORT.check(f"{name}: coverage", metadata.launches_seen, counted)
    REPORT.check(f"{name}: dropped", metadata.dropped, 0)
    for warning in metadata.warnings:
        print(f"     warning: {warning}")
    differing = Counter(
        (one, other)
        for token in sorted(kernels[s.TOKEN].unique())
        for one, other in zip(
            shapes(kernels[kernels[s.TOKEN] == token]), planned_shapes(planned), strict=False
        )
        if one != other
    )
    REPORT.check(f"{name}: every launch as planned", list(differing.items())[:3], [])
    REPORT.check(f"{name}: device measured", len(metadata.calibrations), 1)
    declared = [one.shape.working_threads for one in planned.launches] * 12
    REPORT.check(f"{name}: declared", kernels[s.WORKING_THREADS].tolist() == declared, True)
    in_graph = int(kernels[s.GRAPH_ID].notna().sum())
    REPORT.check(f"{name}: in a graph", in_graph, len(kernels) if is_graph else 0)
    if not is_graph:
        asked = kernels[s.REQUESTED_GRID_X].astype("Int64")
        REPORT.check(
            f"{name}: asked beside launched", bool((asked == kernels[s.GRID_X]).all()), True
        )
        path = r"decode_token#\d+/kda_layer#\d+/geoaudit:"
        layers = kernels[s.RANGES].astype(str).str.match(path)
        REPORT.check(f"{name}: launches in kda_layer", int(layers.sum()), 12 * 69 * 17)


def shapes(rows: Any) -> list[tuple[object, ...]]:
    columns = [s.KERNEL_SHORT, *s.GRID, *s.BLOCK, s.DYNAMIC_SHARED_BYTES]
    return [tuple(row) for row in rows[columns].itertuples(index=False, name=None)]


def planned_shapes(planned: StepPlan) -> list[tuple[object, ...]]:
    return [
        (one.shape.entry, *one.shape.grid, *one.shape.block, one.shape.shared_bytes)
        for one in planned.launches
    ]


def check_documents_table(recording: Recording) -> None:
    """The two documents' figures: calls a token and blocks."""
    table = recording.launches
    first = table[table[s.TOKEN] == 0]
    blocks = first[s.GRID_X] * first[s.GRID_Y] * first[s.GRID_Z]
    expected = {
        "rms_norm": (327, {1}),
        "kda_decode_step": (69, {12}),
        "mla_decode_split": (24, {128}),
        "short_conv": (69, {36}),
    }
    for kernel, wanted in expected.items():
        own = first[s.KERNEL_SHORT] == kernel
        found = (int(own.sum()), {int(block) for block in blocks[own].unique()})
        REPORT.check(f"documents: {kernel}, calls a token and blocks", found, wanted)


def part_scans(folder: Path, sizes: tuple[str, ...]) -> None:
    """`geoaudit scan` as a user runs it."""
    options = [word for size in sizes for word in ("--set", size)]
    baseline = resolve_settings(MANIFEST, assignments=sizes)
    reshaped = resolve_settings(MANIFEST, assignments=sizes, all_arms=True)
    plans = {"off": plan(MANIFEST, baseline), "on": plan(MANIFEST, reshaped)}
    eager = scan(folder, "eager", *options)
    check_scan("eager", eager, plans["off"], is_graph=False)
    check_documents_table(eager)
    graph = scan(folder, "graph", "--graph", *options)
    check_scan("graph", graph, plans["off"], is_graph=True)
    on = scan(folder, "arms-eager", "--all-arms", *options)
    check_scan("arms on", on, plans["on"], is_graph=False)
    graph = scan(folder, "arms-graph", "--all-arms", "--graph", *options)
    check_scan("arms on, graph", graph, plans["on"], is_graph=True)
    gates = dict(gate.split("=") for gate in restore_set(MANIFEST).split())
    restored = scan(folder, "restored", "--all-arms", *_zeros(), *options, **gates)
    REPORT.check(
        "all gates off: geometry of the baseline",
        shapes(restored.launches) == shapes(eager.launches),
        True,
    )
    (folder / "restored.parquet").unlink()
    summary = [sys.executable, "-m", "geoaudit.cli.main", "rank", str(folder / "eager.parquet")]
    print(subprocess.run(summary, capture_output=True, text=True, check=False).stdout)


def _zeros() -> list[str]:
    return [word for arm in MANIFEST.arms for word in ("--arm", f"{arm}=0")]


# ---- what arms win ------------------------------------------------------------------------------


def part_measure(machine: Machine) -> None:
    """Milliseconds a token as graph replays, arms in turns, in one process."""
    plans = {name: machine.plan(arms) for name, arms in ARMS.items()}
    milliseconds = interleaved(machine, plans, repetitions=4)
    print_milliseconds(milliseconds)
    REPORT.figures["milliseconds_per_token"] = milliseconds
    medians = {name: statistics.median(values) for name, values in milliseconds.items()}
    base = medians["baseline"]
    for name, least in (("norm, KDA, MLA", 0.10), ("all", 0.20)):
        won = 1 - medians[name] / base
        REPORT.check(f"{name}: at least {least:.0%} of a token ({won:.1%})", won >= least, True)
    host_cost(machine, plans["baseline"])


def interleaved(
    machine: Machine, plans: Mapping[str, StepPlan], repetitions: int
) -> dict[str, list[float]]:
    """Milliseconds a token of each plan's graph, every repetition."""
    found: dict[str, list[float]] = {name: [] for name in plans}
    with contextlib.ExitStack() as stack:
        captured = {
            name: stack.enter_context(machine.engine.capture(machine.ready(one)))
            for name, one in plans.items()
        }
        for name in abba(tuple(plans), repetitions):
            machine.engine.restore(plans[name])
            captured[name].replay()
            milliseconds = elapsed(machine.runtime, partial(replayed, captured[name]))
            found[name].append(milliseconds / REPLAYS)
    machine.engine.synchronize()
    return found


def replayed(captured: CapturedToken) -> None:
    for _ in range(REPLAYS):
        captured.replay()


def print_milliseconds(milliseconds: Mapping[str, list[float]]) -> None:
    base = statistics.median(next(iter(milliseconds.values())))
    print(f"\nms per token, graph, {REPLAYS} replays a repetition, arms in turns (ABBA)")
    for name, values in milliseconds.items():
        median = statistics.median(values)
        reps = " / ".join(f"{value:.3f}" for value in values)
        print(f"  {name:<20} {median:8.3f}  {median / base - 1:+7.1%}  reps {reps}")
    print(flush=True)


def host_cost(machine: Machine, one: StepPlan) -> None:
    token = machine.ready(one)
    # Fewer than the driver queues before it makes the host wait.
    some = token.launches[:500]
    begin = time.perf_counter()
    for launch in some:
        launch.kernel(
            launch.grid,
            launch.block,
            launch.arguments,
            shared_mem=launch.shared_bytes,
            stream=token.stream,
        )
    each = (time.perf_counter() - begin) / len(some)
    machine.engine.synchronize()
    print(f"     host: {each * 1e6:.2f} µs an eager launch, unrecorded")


def part_kernels(machine: Machine) -> None:
    """Time of each kernel under each arm, from recordings of graph replays, against its floor."""
    print("\nkernels: time per token, medians of each site, in which a launch that waits for its")
    print("predecessor counts from that one's end; floor: bytes at the copy's rate, or a launch")
    base: dict[str, KernelTime] = {}
    fastest_kda = float("inf")
    for name, arms in ARMS.items():
        one = machine.plan(arms)
        times = kernel_times(machine, one)
        base = base or times
        changed = {key: t for key, t in times.items() if base.get(key) != t and moved(base, key, t)}
        print_kernels(name, times if name in FULL_TABLES else changed, base)
        REPORT.figures.setdefault("kernels", {})[name] = {
            key: [t.calls, t.time_ns, t.floor_ns, t.bytes_ns] for key, t in times.items()
        }
        if name in TILES:
            fastest_kda = min(fastest_kda, times["kda_decode_step"].time_ns)
        if name in ("all", "all but PDL"):
            check_floors(name, times)
    won = base["kda_decode_step"].time_ns / fastest_kda
    REPORT.check(f"kda_decode_step at its best tile 4 times faster ({won:.1f})", won >= 4, True)


@dataclass(frozen=True, kw_only=True)
class KernelTime:
    """A kernel in a token."""

    calls: int
    time_ns: float
    floor_ns: float
    bytes_ns: float

    @property
    def is_bandwidth_bound(self) -> bool:
        """Its bytes alone would keep it from being judged launch-bound."""
        return self.bytes_ns > LAUNCH_FLOOR_NS * self.calls


def moved(base: Mapping[str, KernelTime], key: str, time: KernelTime) -> bool:
    return key not in base or abs(time.time_ns / base[key].time_ns - 1) > 0.03


def kernel_times(machine: Machine, one: StepPlan) -> dict[str, KernelTime]:
    """By the manifest's name of the kernel."""
    token = machine.ready(one)
    options = RunOptions(tokens=RECORDED_TOKENS, warm_up_tokens=0, is_graph=True)
    with recorded(range_of(one)) as session:
        run_tokens(machine.engine, token, options, lambda share: None)
    assert session.recording is not None
    table = session.recording.launches
    rows = table[(table[s.KIND] == s.KIND_KERNEL) & table[s.GRAPH_ID].notna()]
    count = len(one.launches)
    if len(rows) != RECORDED_TOKENS * count:
        REPORT.check("kernels: launches recorded", len(rows), RECORDED_TOKENS * count)
        return {}
    # What waits for its predecessor (PDL) is given the time after it.
    durations = attributed_durations(rows).reshape(RECORDED_TOKENS, count)
    return summed(machine, one, [statistics.median(site) for site in durations.T])


def summed(machine: Machine, one: StepPlan, medians: Sequence[float]) -> dict[str, KernelTime]:
    """Medians of a token's sites and their floors, by kernel."""
    parts: dict[str, list[tuple[float, float, float]]] = {}
    bandwidth = machine.copy_bytes_per_second
    for launch, median in zip(one.launches, medians, strict=True):
        size = (launch.shape.bytes_read or 0) + (launch.shape.bytes_written or 0)
        moving_ns = size / bandwidth * 1e9
        floor_ns = max(machine.launch_floor_ns, moving_ns)
        parts.setdefault(launch.shape.kernel, []).append((median, floor_ns, moving_ns))
    return {
        kernel: KernelTime(
            calls=len(found),
            time_ns=sum(part[0] for part in found),
            floor_ns=sum(part[1] for part in found),
            bytes_ns=sum(part[2] for part in found),
        )
        for kernel, found in parts.items()
    }


def print_kernels(
    name: str, times: Mapping[str, KernelTime], base: Mapping[str, KernelTime]
) -> None:
    print(f"{name}: {sum(t.time_ns for t in times.values()) / 1e6:.3f} ms in these kernels")
    for kernel, t in sorted(times.items(), key=lambda item: -item[1].time_ns):
        before = base[kernel].time_ns / t.time_ns if kernel in base else float("nan")
        print(
            f"  {kernel:<22} {t.calls:4} × {t.time_ns / t.calls / 1e3:8.2f} µs = "
            f"{t.time_ns / 1e6:7.3f} ms  {t.time_ns / t.floor_ns:6.2f} × floor"
            f"{' bytes' if t.is_bandwidth_bound else ' launches':<9} "
            f"bytes alone {t.bytes_ns / t.calls / 1e3:7.2f} µs  baseline ÷ this {before:5.2f}"
        )
    sys.stdout.flush()


def check_floors(name: str, times: Mapping[str, KernelTime]) -> None:
    for kernel, t in times.items():
        if t.is_bandwidth_bound:
            ratio = t.time_ns / t.floor_ns
            what = f"{name}: {kernel} within 1.6 of its floor ({ratio:.2f})"
            REPORT.check(what, ratio <= 1.6, True)


# ---- bytes --------------------------------------------------------------------------------------


def part_bytes(machine: Machine) -> None:
    """Outputs and state of two tokens, compared as bytes at several depths."""
    allocated = machine.plan(()).symbols["context"]
    for depth in [depth for depth in DEPTHS if depth <= allocated]:
        size = f"context={depth}"
        base = machine.plan((), size)
        kept = outputs(machine, base)
        again = difference(machine, base, kept)
        REPORT.check(f"context {depth:>6}: baseline twice", again, None)
        restored = plan(
            MANIFEST,
            resolve_settings(
                MANIFEST,
                assignments=_with(machine.sizes, (size,)),
                environment=dict(gate.split("=") for gate in restore_set(MANIFEST).split()),
            ),
        )
        found = difference(machine, restored, kept)
        REPORT.check(f"context {depth:>6}: all gates off", found, None)
        for arms in (*((arm,) for arm in (*TILES, *IDENTICAL)), IDENTICAL):
            found = difference(machine, machine.plan(arms, size), kept)
            REPORT.check(f"context {depth:>6}: {' '.join(arms)}", found, None)
        found = difference(machine, machine.plan(IDENTICAL, size), kept, is_graph=True)
        REPORT.check(f"context {depth:>6}: the same as a graph", found, None)
        for arm, deepest in INERT.items():
            found = difference(machine, machine.plan((arm,), size), kept)
            if depth <= deepest:
                REPORT.check(f"context {depth:>6}: {arm} is inert", found, None)
            else:
                print(f"     context {depth:>6}: {arm} changes {found}")
        found = difference(machine, machine.plan(("KDA_CONTRACT",), size), kept)
        REPORT.check(f"context {depth:>6}: KDA_CONTRACT is caught", found is not None, True)
        print(f"     KDA_CONTRACT: {found}")


def run_two_tokens(machine: Machine, one: StepPlan, *, is_graph: bool) -> None:
    token = machine.engine.prepare(one)
    if is_graph:
        # Launched once before: what is loaded lazily cannot be loaded in a capture.
        machine.ready(one)
    machine.engine.restore(one)
    if is_graph:
        with machine.engine.capture(token) as captured:
            captured.replay()
            captured.replay()
            machine.engine.synchronize()
        return
    token.launch(0)
    token.launch(1)
    machine.engine.synchronize()


def views(machine: Machine, one: StepPlan) -> Iterator[tuple[str, str, Any]]:
    """Name, data type and array of every copy of state and outputs."""
    for buffer in one.buffers:
        if buffer.kind in ("state", "output"):
            for copy in range(buffer.copies):
                memory = machine.engine.memory.allocation(BufferUse(buffer=buffer.name, copy=copy))
                array = machine.runtime.view(memory, buffer.elements, STORED_AS[buffer.dtype])
                yield f"{buffer.name}[{copy}]", buffer.dtype, array


def outputs(machine: Machine, one: StepPlan) -> dict[str, Any]:
    """Copies of state and outputs after two tokens."""
    run_two_tokens(machine, one, is_graph=False)
    kept = {name: array.copy() for name, _, array in views(machine, one)}
    machine.runtime.cupy.cuda.get_current_stream().synchronize()
    return kept


def difference(
    machine: Machine, one: StepPlan, kept: Mapping[str, Any], *, is_graph: bool = False
) -> tuple[str, Difference] | None:
    """The first of the outputs that differs from those kept, and how."""
    run_two_tokens(machine, one, is_graph=is_graph)
    found = None
    for name, dtype, array in views(machine, one):
        differs = byte_difference(kept[name], array, dtype)
        if differs is not None and found is None:
            found = (name, differs)
    machine.runtime.cupy.cuda.get_current_stream().synchronize()
    return found


# ---- the second engine --------------------------------------------------------------------------


def part_gqa(machine: Machine) -> None:
    """One warp a split, four, and both bodies in one block, on both sides of the gate."""
    arms = {
        "baseline": (),
        "GQA_HYBRID": ("GQA_HYBRID",),
        "GQA_SHARED_BLOCK": ("GQA_SHARED_BLOCK",),
    }
    for heads in (40, 128):
        for context in (1920, 3254):
            sizes = (f"gqa_n_head={heads}", f"gqa_context={context}")
            plans = {name: machine.plan(on, *sizes, step="gqa") for name, on in arms.items()}
            print(f"\ngqa, {heads} heads, context {context}")
            print_milliseconds(interleaved(machine, plans, repetitions=4))
            base: dict[str, KernelTime] = {}
            for name, one in plans.items():
                times = kernel_times(machine, one)
                base = base or times
                print_kernels(name, {k: t for k, t in times.items() if "attn" in k}, base)
    for context in (1920, 1921):
        sizes = ("gqa_n_head=40", f"gqa_context={context}")
        kept = outputs(machine, machine.plan((), *sizes, step="gqa"))
        for name in ("GQA_HYBRID", "GQA_SHARED_BLOCK"):
            found = difference(machine, machine.plan((name,), *sizes, step="gqa"), kept)
            what = f"gqa, context {context}: {name} {'same' if context == 1920 else 'other'} bytes"
            REPORT.check(f"{what} {found or ''}", found is None, context == 1920)


# ---- for compute-sanitizer ----------------------------------------------------------------------


def part_run(machine: Machine) -> None:
    """Every arm, without a recorder; none and all of them as a graph as well."""
    gqa = [("gqa", on) for on in ((), ("GQA_HYBRID",), ("GQA_SHARED_BLOCK",))]
    for step, arms in (*(("decode", on) for on in ARMS.values()), *gqa):
        one = machine.plan(arms, step=step)
        token = machine.engine.prepare(one)
        written = [buffer for buffer in one.buffers if buffer.kind != "scratch"]
        machine.engine.memory.restore(written)
        machine.engine.synchronize()
        token.launch(0)
        machine.engine.synchronize()
        if arms in ((), ("ALL",)):  # a graph launches the same kernels
            with machine.engine.capture(token) as captured:
                captured.replay()
                machine.engine.synchronize()
        REPORT.check(f"{step} {' '.join(arms) or 'baseline'}: ran", True, True)


PARTS: dict[str, Callable[[Machine], None]] = {
    "measure": part_measure,
    "kernels": part_kernels,
    "bytes": part_bytes,
    "gqa": part_gqa,
    "run": part_run,
}
DEFAULT_PARTS = ["scans", *(name for name in PARTS if name != "run")]


# What a part may end with; CUDA's own errors are RuntimeErrors in CuPy.
BROKEN = (
    AssertionError, GeoauditError, LookupError, OSError, RuntimeError, TypeError, ValueError,
    subprocess.SubprocessError,
)  # fmt: skip


def run_part(name: str, run: Callable[[], None]) -> None:
    """Run a part; one that breaks is a failed check, and the others still run."""
    print(f"\n== {name}", flush=True)
    begin = time.perf_counter()
    try:
        run()
    except BROKEN:
        traceback.print_exc()
        REPORT.check(f"{name}: runs to its end", False, True)
    print(f"== {name}: {time.perf_counter() - begin:.1f} s", flush=True)


def write_environment(folder: Path, machine: Machine) -> None:
    cupy = machine.runtime.cupy
    query = "name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.limit,temperature.gpu"
    smi = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"]
    told = subprocess.run(smi, capture_output=True, text=True, check=False).stdout.strip()
    environment = {
        "recorded_on": time.strftime("%Y-%m-%d", time.gmtime()),
        "device": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        "nvidia_smi": {"query": query, "answer": told},
        "cuda_driver": cupy.cuda.runtime.driverGetVersion(),
        "cuda_runtime": cupy.cuda.runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
        "python": sys.version.split()[0],
        "copy_bytes_per_second": round(machine.copy_bytes_per_second),
        "launch_floor_ns": round(machine.launch_floor_ns),
        "sizes": list(machine.sizes),
    }
    (folder / "environment.json").write_text(json.dumps(environment, indent=2) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("suite-output"))
    parser.add_argument("--only", nargs="*", choices=["scans", *PARTS], default=DEFAULT_PARTS)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    folder = options.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    sizes = SMALL if options.small else ()
    if "scans" in options.only:
        run_part("scans", lambda: part_scans(folder, sizes))
    chosen = [name for name in PARTS if name in options.only]
    if chosen:
        is_measured = chosen != ["run"]
        machine = make_machine(sizes, is_measured=is_measured)
        if is_measured:
            write_environment(folder, machine)
        for name in chosen:
            run_part(name, lambda name=name: PARTS[name](machine))  # type: ignore[misc]
        (folder / "measured.json").write_text(json.dumps(REPORT.figures, indent=1) + "\n")
    print(f"\n{time.perf_counter() - begin:.0f} s in all")
    print(f"failed: {', '.join(REPORT.failed)}" if REPORT.failed else "all checks hold")
    return 1 if REPORT.failed else 0


if __name__ == "__main__":
    sys.exit(main())
