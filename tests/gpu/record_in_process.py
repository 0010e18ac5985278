"""Prove on a real GPU that a process records itself, and that wrapping changes no launch.

    python tests/gpu/record_in_process.py [--output FOLDER]

Needs CuPy, PyTorch, Triton and numba-cuda. Each part runs in a process of its own, since NVTX and
CUPTI bind once per process. Prints a table of all checks; exit code 1 where one fails.
"""

import argparse
import contextlib
import importlib
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LAUNCHES = 1000
TOKENS = 50
SIZE = 1 << 16
SOURCE = r"""
extern "C" __global__ void scale(float* x, float factor, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = x[i] * factor + 1.0f;
}
extern "C" __global__ void shared_sum(float* x, int n) {
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) x[i] = part[threadIdx.x] + part[(threadIdx.x + 1) % blockDim.x];
}
"""


def check(what: str, found: object, expected: object) -> None:
    """Print one line of the table."""
    holds = found == expected
    line = f"{'ok  ' if holds else 'FAIL'} {what:<66} {found}"
    print(line if holds else f"{line}, expected {expected}", flush=True)


@contextlib.contextmanager
def recorded(folder: Path, name: str, **options: Any) -> Iterator[Any]:
    """A session whose warnings are kept and printed, not raised."""
    import geoaudit

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with geoaudit.record(folder / f"{name}.parquet", **options) as session:
            yield session
    for warning in caught:
        print(f"     warning: {warning.message}", flush=True)
    recording = session.recording
    for note in recording.metadata.warnings if recording else ():
        print(f"     note: {note}", flush=True)


def modules(*names: str) -> tuple[Any, ...]:
    """Modules that only a machine with a GPU has."""
    return tuple(importlib.import_module(name) for name in names)


def kernels_named(session: Any, name: str) -> Any:
    table = session.recording.launches
    return table[(table["kind"] == "kernel") & (table["kernel_short"].astype(str) == name)]


def geometry(rows: Any) -> list[tuple[int, ...]]:
    columns = ["grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"]
    return sorted({tuple(int(value) for value in row) for row in rows[columns].to_numpy()})


def requested(rows: Any) -> list[tuple[int, ...]]:
    columns = [f"requested_{what}_{axis}" for what in ("grid", "block") for axis in "xyz"]
    known = rows[columns].dropna()
    return sorted({tuple(int(value) for value in row) for row in known.to_numpy()})


def part_cupy(folder: Path) -> None:
    """Counts, geometry, requests, ranges and tokens of CuPy kernels; recorded three times."""
    import cupy
    import nvtx  # noqa: F401 - imported, not yet called: sessions begin before the first range

    import geoaudit

    bare = cupy.RawKernel(SOURCE, "scale")
    scale = geoaudit.recording.wrap(bare)
    summed = geoaudit.recording.wrap(
        cupy.RawModule(code=SOURCE).get_function("shared_sum"), label="sum of neighbours"
    )
    one, two = cupy.arange(SIZE, dtype=cupy.float32), cupy.arange(SIZE, dtype=cupy.float32)
    for turn in range(3):
        with recorded(folder, f"cupy{turn}", token_range="decode_token") as session:
            for _ in range(TOKENS):
                with nvtx.annotate("decode_token"):
                    for _ in range(LAUNCHES // TOKENS):
                        scale((12,), (128,), (one, cupy.float32(0.5), cupy.int32(SIZE)))
                    summed((512,), (128,), (one, cupy.int32(SIZE)), shared_mem=512)
                    scale((0,), (64,), (one, cupy.float32(0.5), cupy.int32(SIZE)))
        found = kernels_named(session, "scale")
        check(f"cupy, session {turn}: instrument", session.instrument, "cupti")
        check(f"cupy, session {turn}: launches of scale", len(found), LAUNCHES + TOKENS)
        check(
            "cupy: geometry launched", geometry(found), [(1, 1, 1, 64, 1, 1), (12, 1, 1, 128, 1, 1)]
        )
        check(
            "cupy: geometry asked for",
            requested(found),
            [(0, 1, 1, 64, 1, 1), (12, 1, 1, 128, 1, 1)],
        )
        check("cupy: rows with a request", int(found["requested_grid_x"].notna().sum()), len(found))
        sums = kernels_named(session, "shared_sum")
        check("cupy: launches of shared_sum", len(sums), TOKENS)
        check("cupy: dynamic shared memory", sorted(set(sums["dynamic_shared_bytes"])), [512])
        paths = sums["ranges"].astype(str)
        check(
            "cupy: label in ranges",
            bool(paths.str.contains("geoaudit:sum of neighbours").all()),
            True,
        )
        check("cupy: tokens by range", int(session.recording.launches["token"].nunique()), TOKENS)
        check("cupy: troubles", session.troubles, ())
        check("cupy: devices described", len(session.recording.metadata.devices), 1)
        kernels = session.recording.launches["kind"] == "kernel"
        check("cupy: coverage", session.recording.metadata.launches_seen, int(kernels.sum()))
    for _ in range(3):
        for _ in range(TOKENS):
            for _ in range(LAUNCHES // TOKENS):
                bare((12,), (128,), (two, cupy.float32(0.5), cupy.int32(SIZE)))
            summed((512,), (128,), (two, cupy.int32(SIZE)), shared_mem=512)
            bare((0,), (64,), (two, cupy.float32(0.5), cupy.int32(SIZE)))
    check("cupy: results equal bitwise", bool((one.view("u4") == two.view("u4")).all()), True)


def part_cooperative(folder: Path) -> None:
    """A cooperative grid that does not fit is shrunk by CuPy."""
    import cupy

    import geoaudit

    kernel = geoaudit.recording.wrap(
        cupy.RawKernel(SOURCE, "scale", enable_cooperative_groups=True)
    )
    x = cupy.zeros(SIZE, dtype=cupy.float32)
    with recorded(folder, "cooperative") as session:
        kernel((100_000,), (256,), (x, cupy.float32(0.5), cupy.int32(SIZE)))
    rows = kernels_named(session, "scale")
    check("cooperative: grid asked for", requested(rows), [(100_000, 1, 1, 256, 1, 1)])
    check("cooperative: grid launched is smaller", bool((rows["grid_x"] < 100_000).all()), True)
    told = any("100000 × 1 × 1 was asked for" in w for w in session.recording.metadata.warnings)
    check("cooperative: the change is told", told, True)


def part_capture(folder: Path) -> None:
    """Wrapped kernels are captured into a graph; replays are recorded by node."""
    import cupy

    import geoaudit

    bare = cupy.RawKernel(SOURCE, "scale")
    scale = geoaudit.recording.wrap(bare)
    one, two = cupy.ones(SIZE, cupy.float32), cupy.ones(SIZE, cupy.float32)
    bare((1,), (32,), (cupy.ones(32, cupy.float32), cupy.float32(1), cupy.int32(32)))
    stream = cupy.cuda.Stream(non_blocking=True)

    def graph_of(kernel: Any, x: Any) -> Any:
        with stream:
            stream.begin_capture()
            for _ in range(10):
                kernel((48,), (96,), (x, cupy.float32(0.5), cupy.int32(SIZE)))
            return stream.end_capture()

    with recorded(folder, "capture") as session:
        graph = graph_of(scale, one)
        for _ in range(20):
            graph.launch(stream)
        stream.synchronize()
    rows = kernels_named(session, "scale")
    check("capture: kernels of replays", len(rows), 200)
    check("capture: all by graph nodes", int(rows["graph_node_id"].nunique()), 10)
    check("capture: geometry", geometry(rows), [(48, 1, 1, 96, 1, 1)])
    check("capture: nobody asked for replays", requested(rows), [])
    check("capture: troubles", session.troubles, ())
    plain = graph_of(bare, two)
    for _ in range(20):
        plain.launch(stream)
    stream.synchronize()
    check("capture: results equal bitwise", bool((one.view("u4") == two.view("u4")).all()), True)


def part_triton(folder: Path) -> None:
    """Triton JIT functions: tuple grids, grid functions, autotuned; PyTorch graph capture."""
    torch, triton, kernels = modules("torch", "triton", "triton_kernels_of_this_test")

    import geoaudit

    add = geoaudit.recording.wrap(kernels.add)
    tuned = geoaudit.recording.wrap(kernels.tuned_add)
    x, y = torch.rand(SIZE, device="cuda"), torch.rand(SIZE, device="cuda")
    wrapped, bare = torch.empty_like(x), torch.empty_like(x)
    kernels.add[(1,)](x, y, bare, SIZE, BLOCK=1024, num_warps=4)
    kernels.add[(1,)](x, y, bare, SIZE, BLOCK=512, num_warps=8)
    with recorded(folder, "triton") as session:
        for _ in range(100):
            add[(SIZE // 1024,)](x, y, wrapped, SIZE, BLOCK=1024, num_warps=4)
        for _ in range(100):
            add[lambda meta: (triton.cdiv(SIZE, meta["BLOCK"]),)](
                x, y, wrapped, SIZE, BLOCK=512, num_warps=8
            )
    rows = kernels_named(session, "add")
    expected = [(64, 1, 1, 128, 1, 1), (128, 1, 1, 256, 1, 1)]
    check("triton: launches", len(rows), 200)
    check("triton: geometry launched", geometry(rows), expected)
    check("triton: geometry asked for", requested(rows), expected)
    with recorded(folder, "tuned") as session:
        for _ in range(10):
            tuned[lambda meta: (triton.cdiv(SIZE, meta["BLOCK"]),)](x, y, wrapped, SIZE)
    rows = kernels_named(session, "add")
    asked = rows[rows["requested_grid_x"].notna()]
    check("triton, autotuned: requests, trials apart", len(asked), 10)
    check("triton, autotuned: asked is launched", requested(asked), geometry(asked))
    kernels.add[(SIZE // 1024,)](x, y, bare, SIZE, BLOCK=1024, num_warps=4)
    check("triton: results equal bitwise", bool(torch.equal(wrapped, bare)), True)
    torch_capture(folder, add, (x, y))


def torch_capture(folder: Path, add: Any, inputs: tuple[Any, Any]) -> None:
    (torch,) = modules("torch")
    captured, graph = torch.zeros_like(inputs[0]), torch.cuda.CUDAGraph()
    with recorded(folder, "torch-graph") as session:
        with torch.cuda.graph(graph):
            add[(SIZE // 1024,)](*inputs, captured, SIZE, BLOCK=1024, num_warps=4)
        for _ in range(30):
            graph.replay()
    rows = kernels_named(session, "add")
    check("torch graph: kernels of replays", len(rows), 30)
    check("torch graph: result", bool(torch.equal(captured, inputs[0] + inputs[1])), True)
    check("torch graph: troubles", session.troubles, ())


TRITON_KERNELS = """
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask) + tl.load(y + offsets, mask), mask)


configurations = [triton.Config({"BLOCK": size}, num_warps=4) for size in (256, 1024)]
tuned_add = triton.autotune(configs=configurations, key=["n"])(add)
"""


def part_numba(folder: Path) -> None:
    """Numba dispatchers, with and without a stream and shared memory."""
    import numpy as np

    try:
        (cuda,) = modules("numba.cuda")
        cuda.jit("void(int32)")(lambda number: None)
    except (ImportError, AttributeError) as error:
        print(f"---- not run: numba-cuda does not work here without geoaudit either: {error}")
        return

    import geoaudit

    @cuda.jit  # type: ignore[untyped-decorator]
    def saxpy(x: Any, y: Any, a: Any) -> None:
        i = cuda.grid(1)
        if i < x.size:
            y[i] = a * x[i] + y[i]

    wrapped = geoaudit.recording.wrap(saxpy)
    x = cuda.to_device(np.arange(SIZE, dtype=np.float32))
    one, two = cuda.to_device(np.ones(SIZE, np.float32)), cuda.to_device(np.ones(SIZE, np.float32))
    stream = cuda.stream()
    with recorded(folder, "numba") as session:
        for _ in range(100):
            wrapped[(512,), 128](x, one, np.float32(2))
        for _ in range(100):
            wrapped[(256, 1), (256, 1), stream, 1024](x, one, np.float32(0.5))
        stream.synchronize()
    table = session.recording.launches
    rows = table[table["kernel"].astype(str).str.contains("saxpy")]
    expected = [(256, 1, 1, 256, 1, 1), (512, 1, 1, 128, 1, 1)]
    check("numba: launches", len(rows), 200)
    check("numba: geometry launched", geometry(rows), expected)
    check("numba: geometry asked for", requested(rows), expected)
    shared = sorted({int(value) for value in rows["dynamic_shared_bytes"]})
    check("numba: dynamic shared memory", shared, [0, 1024])
    for _ in range(100):
        saxpy[(512,), 128](x, two, np.float32(2))
    for _ in range(100):
        saxpy[(256, 1), (256, 1), stream, 1024](x, two, np.float32(0.5))
    cuda.synchronize()
    equal = one.copy_to_host().tobytes() == two.copy_to_host().tobytes()
    check("numba: results equal bitwise", equal, True)


def part_events(folder: Path) -> None:
    """Without the recorder's library: CUDA events around wrapped kernels, marked as such."""
    import cupy

    import geoaudit
    from geoaudit.recording import runner

    runner.LIBRARY = Path("/no/such/library.so")
    bare = cupy.RawKernel(SOURCE, "scale")
    scale = geoaudit.recording.wrap(bare)
    size = 1 << 26
    x = cupy.ones(size, cupy.float32)
    arguments = (x, cupy.float32(0.5), cupy.int32(size))
    bare((264,), (256,), arguments)
    with recorded(folder, "events") as session:
        for _ in range(100):
            scale((264,), (256,), arguments)
        with cupy.cuda.Stream(non_blocking=True) as stream:
            stream.begin_capture()
            scale((264,), (256,), arguments)
            graph = stream.end_capture()
            graph.launch(stream)
            stream.synchronize()
    rows = kernels_named(session, "scale")
    check("events: instrument", session.recording.metadata.instrument, "cuda_events")
    check("events: launches, the captured one apart", len(rows), 100)
    timed = int(rows["duration_ns"].notna().sum())
    check(f"events: timed but where the host was slow ({timed})", timed >= 95, True)
    check("events: geometry as asked for", geometry(rows), [(264, 1, 1, 256, 1, 1)])
    check("events: registers", bool((rows["registers_per_thread"] > 0).all()), True)
    check("events: starts grow", bool(rows["start_ns"].dropna().is_monotonic_increasing), True)
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    for _ in range(100):
        bare((264,), (256,), arguments)
    end.record()
    end.synchronize()
    each = cupy.cuda.get_elapsed_time(start, end) * 1e4
    ratio = float(rows["duration_ns"].dropna().astype(float).median()) / each
    check(f"events: median within 10 % of a loop's mean ({ratio:.3f})", 0.9 < ratio < 1.1, True)


def part_taken(folder: Path) -> None:
    """A profiler that has CUPTI: events in its place, and the profiler goes on undisturbed."""
    torch, kernels = modules("torch", "triton_kernels_of_this_test")

    import geoaudit

    add = geoaudit.recording.wrap(kernels.add)
    x = torch.rand(SIZE, device="cuda")
    out = torch.empty_like(x)
    add[(64,)](x, x, out, SIZE, BLOCK=1024)
    activities = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities) as profile:
        with recorded(folder, "taken") as session:
            for _ in range(50):
                add[(64,)](x, x, out, SIZE, BLOCK=1024)
        torch.cuda.synchronize()
    check("slot taken: instrument", session.recording.metadata.instrument, "cuda_events")
    check("slot taken: launches", len(kernels_named(session, "add")), 50)
    seen = sum(event.count for event in profile.key_averages() if event.key == "add")
    check("slot taken: the profiler's own launches", seen, 50)
    with recorded(folder, "after") as session:
        for _ in range(50):
            add[(64,)](x, x, out, SIZE, BLOCK=1024)
    print(f"     after the profiler: instrument {session.recording.metadata.instrument}")
    check("after the profiler: launches", len(kernels_named(session, "add")), 50)


def part_bound(folder: Path) -> None:
    """NVTX used before the session: recorded all the same, and the lack of ranges is said."""
    import cupy
    import nvtx

    with nvtx.annotate("too early"):
        x = cupy.ones(SIZE, cupy.float32)
    kernel = cupy.RawKernel(SOURCE, "scale")
    with recorded(folder, "bound", token_range="decode_token") as session:
        for _ in range(5):
            with nvtx.annotate("decode_token"):
                kernel((4,), (32,), (x, cupy.float32(1), cupy.int32(SIZE)))
    check("bound NVTX: launches", len(kernels_named(session, "scale")), 5)
    said = any("no NVTX range arrived" in trouble for trouble in session.troubles)
    check("bound NVTX: said", said, True)


PARTS = {
    "cupy": part_cupy,
    "cooperative": part_cooperative,
    "capture": part_capture,
    "triton": part_triton,
    "numba": part_numba,
    "events": part_events,
    "taken": part_taken,
    "bound": part_bound,
}


def run_part(name: str, folder: Path) -> bool:
    """Run a part in a process of its own; whether all of its checks hold."""
    taken = ("NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH")
    environment = {key: value for key, value in os.environ.items() if key not in taken}
    environment["PYTHONPATH"] = f"{folder}:{environment.get('PYTHONPATH', '')}"
    command = [sys.executable, __file__, "--part", name, "--output", str(folder)]
    ended = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    print(f"== {name}: exit code {ended.returncode}\n{ended.stdout}", flush=True)
    return ended.returncode == 0 and "FAIL" not in ended.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--output", type=Path, default=None)
    options = parser.parse_args()
    folder = (options.output or Path(tempfile.mkdtemp())).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if options.part:
        PARTS[options.part](folder)
        return 0
    (folder / "triton_kernels_of_this_test.py").write_text(TRITON_KERNELS)
    failed = [name for name in options.only if not run_part(name, folder)]
    print(f"failed: {', '.join(failed)}" if failed else "all checks hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
