"""Every kernel and arm of kernels/ against float64, against each other's bytes, and timed.

Needs a GPU, CuPy and NumPy, and nothing of geoaudit: ``python tests/gpu/suite_references.py``.
Prints one table and exits with 1 if anything is wrong. ``--no-timing`` leaves the clock out.

A row says: the largest relative error ``norm(result - reference) / norm(reference)`` over the
outputs and the cases; whether the bytes equal the baseline's in the cases where the arm claims it;
and the time of a launch in a captured graph, over copies of its buffers that a cleared L2 does not
hold, against its compulsory bytes at the copy bandwidth.
"""

import argparse
import importlib
import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
sys.path.append(str(KERNELS))
references = importlib.import_module("references")

Array = NDArray[Any]
Arrays = dict[str, Array]

COPY_BYTES_PER_SECOND = 4.17e12
HEAD_DIM = 128
LATENT = 512
LATENT_ROW = 576
QUERY_ROW = 192
SPLITS = 32
GATE = 16
MLA_SHARED_BYTES = 86336
SKIP_POSITIONS = (0, 1024, 16384, 16385, 131071)
FLUSH_BYTES = 256 << 20
REPLAYS = 20


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Shapes to check; the defaults are those of manifest.toml at tp = 8."""

    hidden: int = 7168
    heads: int = 12
    low_rank: int = 128
    query_rank: int = 1536
    experts: int = 384
    stored_experts: int = 24  # as many matrices as the ids below refer to
    chosen: int = 8
    expert_width: int = 256
    dense_width: int = 2304
    vocabulary: int = 20480
    norm_widths: tuple[int, ...] = (7168, 1536, 512, 1001, 4, 1)
    contexts: tuple[int, ...] = (1, 31, 1024, 1920, 1921, 3254, 4096, 4097, 16384, 131072)
    gqa_contexts: tuple[int, ...] = (1, 31, 32, 33, 1024, 1920, 1921, 3254, 16384)
    gqa_heads: tuple[int, ...] = (40, 128)
    gqa_cache_heads: int = 8
    sm_count: int = 132


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One launch: buffers by name, scalars as NumPy scalars."""

    source: str
    entry: str
    grid: tuple[int, ...]
    block: int
    arguments: tuple[Any, ...]
    shared_bytes: int = 0


@dataclass(kw_only=True)
class Row:
    """What is known of one arm of one kernel."""

    launch: Launch
    error: float = 0.0
    tolerance: float = 0.0
    claims: set[str] = field(default_factory=set)  # of bytes: same, differ
    failures: list[str] = field(default_factory=list)
    microseconds: float = math.nan
    floor: float = math.nan
    timed: Launch | None = None


class Device(Protocol):
    """What runs launches. Arrays on it are its own business."""

    def upload(self, array: Array) -> Any: ...

    def download(self, array: Any) -> Array: ...

    def copy(self, array: Any) -> Any: ...

    def run(self, launch: Launch, arrays: Mapping[str, Any]) -> None: ...

    def microseconds(self, launch: Launch, copies: Sequence[Mapping[str, Any]]) -> float: ...


class CupyDevice:
    """The GPU, through CuPy."""

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy
        self.modules: dict[str, Any] = {}
        self.flushing = cupy.zeros(FLUSH_BYTES // 4, dtype=cupy.float32)

    def upload(self, array: Array) -> Any:
        return self.cupy.asarray(array)

    def download(self, array: Any) -> Array:
        return np.asarray(self.cupy.asnumpy(array))

    def copy(self, array: Any) -> Any:
        return array.copy()

    def function(self, launch: Launch) -> Any:
        if launch.source not in self.modules:
            code = (KERNELS / launch.source).read_text(encoding="utf-8")
            self.modules[launch.source] = self.cupy.RawModule(
                code=code, options=("-std=c++17", f"-I{KERNELS}")
            )
        function = self.modules[launch.source].get_function(launch.entry)
        if launch.shared_bytes > 48 << 10:
            function.max_dynamic_shared_size_bytes = launch.shared_bytes
        return function

    def run(self, launch: Launch, arrays: Mapping[str, Any]) -> None:
        arguments = tuple(
            arrays[argument] if isinstance(argument, str) else argument
            for argument in launch.arguments
        )
        self.function(launch)(
            launch.grid, (launch.block,), arguments, shared_mem=launch.shared_bytes
        )

    def microseconds(self, launch: Launch, copies: Sequence[Mapping[str, Any]]) -> float:
        """Median time of a launch, over replays of a graph of one launch a copy."""
        cupy = self.cupy
        cupy.cuda.Device().synchronize()  # the copies were made on another stream
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            self.run(launch, copies[0])  # compiled and loaded before the capture
            stream.synchronize()
            stream.begin_capture()
            for arrays in copies:
                self.run(launch, arrays)
            graph = stream.end_capture()
            graph.launch(stream)
            times = []
            for _ in range(REPLAYS):
                self.flushing.sum()  # read, not written: nothing is left to be written back
                begin, end = cupy.cuda.Event(), cupy.cuda.Event()
                begin.record(stream)
                graph.launch(stream)
                end.record(stream)
                end.synchronize()
                times.append(cupy.cuda.get_elapsed_time(begin, end) * 1e3 / len(copies))
        return float(np.median(times))


# ---- running and comparing ----------------------------------------------------------------------


class Suite:
    """Runs cases on a device and collects rows."""

    def __init__(self, device: Device, sizes: Sizes, *, is_timed: bool) -> None:
        self.device = device
        self.sizes = sizes
        self.is_timed = is_timed
        self.rows: dict[tuple[str, str], Row] = {}
        self.random = np.random.default_rng(7)

    def normal(self, elements: int, scale: float = 1.0) -> Array:
        return self.random.standard_normal(elements, dtype=np.float32) * np.float32(scale)

    def bf16(self, elements: int, scale: float) -> Array:
        """Bits of normal numbers, rounded to nearest even."""
        bits = self.normal(elements, scale).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)

    def row(self, kernel: str, arm: str, launch: Launch) -> Row:
        return self.rows.setdefault((kernel, arm), Row(launch=launch))

    def check(
        self,
        kernel: str,
        arm: str,
        launches: Sequence[Launch],
        inputs: Mapping[str, Array],
        outputs: Mapping[str, Array],
        expected: Mapping[str, Array],
        tolerance: float,
        case: str = "",
    ) -> Arrays:
        """Runs launches on fresh arrays; compares and returns the outputs' values.

        Outputs that are no inputs are poisoned first. Where the reference is NaN, anything goes.
        """
        row = self.row(kernel, arm, launches[0])
        row.tolerance = tolerance
        arrays = {name: self.device.upload(array) for name, array in inputs.items()}
        for name, like in outputs.items():
            if name not in arrays:
                arrays[name] = self.device.upload(_poison(like))
        for launch in launches:
            self.device.run(launch, arrays)
        results = {name: self.device.download(arrays[name]) for name in outputs}
        for name, wanted in expected.items():
            error = relative_error(results[name], wanted)
            row.error = max(row.error, error)
            if not error <= tolerance:
                row.failures.append(f"{case} {name}: error {error:.1e} > {tolerance:.0e}")
        return results

    def compare(
        self,
        kernel: str,
        arm: str,
        case: str,
        results: Arrays,
        baseline: Arrays,
        *,
        identical: bool,
    ) -> None:
        """Notes whether two arms' bytes are equal, and fails where they should be and are not."""
        row = self.rows[kernel, arm]
        differs = [n for n in results if results[n].tobytes() != baseline[n].tobytes()]
        if identical and differs:
            row.failures.append(f"{case}: bytes differ in {', '.join(differs)}")
        if not identical and not differs:
            row.failures.append(f"{case}: bytes are equal, but the arm should show in them")
        row.claims.add("same" if identical else "differ")

    def time(
        self,
        kernel: str,
        arm: str,
        launch: Launch,
        inputs: Mapping[str, Array],
        outputs: Mapping[str, Array],
        bytes_moved: int,
    ) -> None:
        """Times a launch over copies of all its buffers."""
        row = self.row(kernel, arm, launch)
        row.timed = launch
        row.floor = bytes_moved / COPY_BYTES_PER_SECOND * 1e6
        if not self.is_timed:
            return
        first = {name: self.device.upload(array) for name, array in inputs.items()}
        first |= {
            name: self.device.upload(np.zeros_like(like))
            for name, like in outputs.items()
            if name not in first
        }
        count = max(3, min(20, math.ceil(FLUSH_BYTES / max(bytes_moved, 1))))
        copies = [first]
        for _ in range(count - 1):
            copies.append({name: self.device.copy(array) for name, array in first.items()})
        row.microseconds = self.device.microseconds(launch, copies)


def _poison(like: Array) -> Array:
    if like.dtype.kind == "f":
        return np.full_like(like, np.nan)
    return np.full_like(like, -1 if like.dtype.kind == "i" else 0xFFFF)


def relative_error(result: Array, wanted: Array) -> float:
    """norm(result - wanted) / norm(wanted); integers must be equal; NaN is wanted nowhere."""
    result = result[: len(wanted)]
    if wanted.dtype.kind == "i":
        return 0.0 if np.array_equal(result, wanted) else math.inf
    counts = ~np.isnan(wanted)
    difference = references.reals(result)[counts] - wanted[counts]
    size = float(np.linalg.norm(wanted[counts]))
    error = float(np.linalg.norm(difference))
    return math.inf if math.isnan(error) else error / size if size > 0 else error


def cdiv(dividend: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-dividend // divisor)


def f32(elements: int) -> Array:
    return np.zeros(elements, dtype=np.float32)


def i32(*values: int) -> Array:
    return np.array(values, dtype=np.int32)


# ---- norms, elementwise -------------------------------------------------------------------------


def check_norm(suite: Suite) -> None:
    for width in suite.sizes.norm_widths:
        inputs = {
            "residual": suite.normal(width, 3.0),
            "attention_norm_weight": suite.normal(width),
        }
        outputs = {"normed": f32(width)}
        expected = references.rms_norm(inputs, {"width": width})
        names = ("residual", "attention_norm_weight", "normed")
        arguments = (*names, np.int32(width), np.float32(1e-6))
        wide = min(1024, max(128, 32 * cdiv(width, 128)))
        narrow_launch = Launch(
            source="rms_norm.cu", entry="rms_norm", grid=(1,), block=128, arguments=arguments
        )
        wide_launch = Launch(
            source="rms_norm.cu",
            entry="rms_norm_wide",
            grid=(1,),
            block=wide,
            arguments=arguments,
            shared_bytes=width * 4,
        )
        case = f"width {width}"
        base = suite.check("rms_norm", "", [narrow_launch], inputs, outputs, expected, 1e-5, case)
        out = suite.check(
            "rms_norm", "WIDE_NORM", [wide_launch], inputs, outputs, expected, 1e-5, case
        )
        suite.compare("rms_norm", "WIDE_NORM", case, out, base, identical=True)
        if width == max(suite.sizes.norm_widths):
            suite.time("rms_norm", "", narrow_launch, inputs, outputs, 12 * width)
            suite.time("rms_norm", "WIDE_NORM", wide_launch, inputs, outputs, 12 * width)


def check_elementwise(suite: Suite) -> None:
    sizes = suite.sizes
    width = sizes.hidden

    def launch(entry: str, arguments: tuple[Any, ...], elements: int) -> Launch:
        return Launch(
            source="elementwise.cu",
            entry=entry,
            grid=(cdiv(elements, 256),),
            block=256,
            arguments=arguments,
        )

    inputs = {"residual": suite.normal(width), "update": suite.normal(width)}
    one = launch("residual_add", ("residual", "update", np.int32(width)), width)
    wanted = references.residual_add(inputs, {"width": width})
    suite.check("residual_add", "", [one], inputs, {"residual": f32(width)}, wanted, 1e-6)
    suite.time("residual_add", "", one, inputs, {"residual": f32(width)}, 12 * width)

    units = sizes.dense_width
    inputs = {"dense_gate_up": suite.normal(2 * units)}
    outputs = {"dense_units": f32(units)}
    one = launch("silu_multiply", ("dense_gate_up", "dense_units", np.int32(units)), units)
    wanted = references.silu_multiply(inputs, {"dense_width": units})
    suite.check("silu_multiply", "", [one], inputs, outputs, wanted, 1e-5)

    inputs = {"embedding_table": suite.bf16(5 * width, 1.0), "token": i32(3)}
    outputs = {"residual": f32(width)}
    one = launch(
        "embedding_lookup", ("embedding_table", "token", "residual", np.int32(width)), width
    )
    wanted = references.embedding_lookup(inputs, {"hidden": width})
    suite.check("embedding_lookup", "", [one], inputs, outputs, wanted, 1e-6)


# ---- products of a matrix with a vector ---------------------------------------------------------


def warps_per_row(sizes: Sizes, all_rows: int, columns: int) -> int:
    """As manifest.toml derives it."""
    steps = ((64, 1), (32, 2), (16, 4))
    for_grid = next((w for limit, w in steps if all_rows >= limit * sizes.sm_count), 8)
    for_columns = next((w for limit, w in ((2048, 8), (1024, 4), (512, 2)) if columns >= limit), 1)
    return min(for_grid, for_columns)


def gemv_launches(
    entry: str, arguments: tuple[Any, ...], rows: int, matrices: int, warps: int
) -> tuple[Launch, Launch]:
    extra = (np.int32(warps),)
    return (
        Launch(
            source="gemv.cu",
            entry=entry,
            grid=(cdiv(rows, 8), matrices),
            block=256,
            arguments=arguments,
        ),
        Launch(
            source="gemv.cu",
            entry=entry + "_wide",
            grid=(cdiv(rows * warps, 16), matrices),
            block=256,
            arguments=arguments + extra,
        ),
    )


def check_projections(suite: Suite) -> None:
    sizes = suite.sizes
    width = sizes.heads * HEAD_DIM
    low_rank_rows = 2 * sizes.low_rank + sizes.heads
    shapes = {  # matrices, rows, columns, stride of inputs, stride of outputs
        "qkv": (1, 3 * width, sizes.hidden, sizes.hidden, 3 * width),
        "low rank": (1, low_rank_rows, sizes.hidden, sizes.hidden, low_rank_rows),
        "gates": (2, width, sizes.low_rank, sizes.low_rank, width),
        "output": (1, sizes.hidden, width, width, sizes.hidden),
        "query down": (1, sizes.query_rank, sizes.hidden, sizes.hidden, sizes.query_rank),
        "query up": (1, sizes.heads * QUERY_ROW, sizes.query_rank, sizes.query_rank, 0),
        "latent down": (1, LATENT_ROW, sizes.hidden, sizes.hidden, 0),
        "absorb": (sizes.heads, LATENT, HEAD_DIM, QUERY_ROW, LATENT),
        "value up": (sizes.heads, HEAD_DIM, LATENT, LATENT, HEAD_DIM),
        "dense down": (1, sizes.hidden, sizes.dense_width, sizes.dense_width, 0),
        "odd": (1, 13, 264, 264, 13),
    }
    for name, (matrices, rows, columns, input_stride, output_stride) in shapes.items():
        weights = matrices * rows * columns
        inputs = {
            "qkv_weight": suite.bf16(weights, columns**-0.5),
            "normed": suite.normal((matrices - 1) * input_stride + columns),
        }
        outputs = {"qkv": f32((matrices - 1) * output_stride + rows)}
        symbols = {
            "matrices": matrices,
            "rows": rows,
            "columns": columns,
            "input_stride": input_stride,
            "output_stride": output_stride,
        }
        expected = references.projection(inputs, symbols)
        scalars = tuple(np.int32(n) for n in (rows, columns, input_stride, output_stride))
        warps = warps_per_row(sizes, matrices * rows, columns)
        base, wide = gemv_launches(
            "projection", ("qkv_weight", "normed", "qkv", *scalars), rows, matrices, warps
        )
        bytes_moved = 2 * weights + 4 * matrices * (columns + rows)
        for arm, launch in (("", base), ("WIDE_GEMV", wide)):
            kernel = f"projection ({name})"
            suite.check(kernel, arm, [launch], inputs, outputs, expected, 1e-5)
            suite.time(kernel, arm, launch, inputs, outputs, bytes_moved)


def check_router(suite: Suite) -> None:
    sizes = suite.sizes
    inputs = {
        "router_weight": suite.bf16(sizes.experts * sizes.hidden, 2 * sizes.hidden**-0.5),
        "normed": suite.normal(sizes.hidden),
    }
    outputs = {"expert_scores": f32(sizes.experts)}
    symbols = {
        "experts": sizes.experts,
        "hidden": sizes.hidden,
        "chosen_experts": sizes.chosen,
    }
    expected = references.router_scores(inputs, symbols)
    arguments = ("router_weight", "normed", "expert_scores", np.int32(sizes.experts))
    launches = gemv_launches(
        "router_scores", (*arguments, np.int32(sizes.hidden)), sizes.experts, 1, 8
    )
    bytes_moved = 2 * sizes.experts * sizes.hidden + 4 * (sizes.hidden + sizes.experts)
    for arm, launch in zip(("", "ROUTER_SPLIT"), launches, strict=True):
        suite.check("router_scores", arm, [launch], inputs, outputs, expected, 1e-5)
        suite.time("router_scores", arm, launch, inputs, outputs, bytes_moved)

    launch = Launch(
        source="router_top_k.cu",
        entry="router_top_k",
        grid=(1,),
        block=32 * cdiv(sizes.experts, 32),
        arguments=("expert_scores", "expert_ids", "expert_weights", np.int32(sizes.experts))
        + (np.int32(sizes.chosen),),
    )
    scores = suite.normal(sizes.experts)
    tied = np.round(scores)  # many equal ones
    outputs = {"expert_ids": i32(*[0] * sizes.chosen), "expert_weights": f32(sizes.chosen)}
    for case, values in (("normal", scores), ("tied", tied), ("equal", 0 * scores)):
        inputs = {"expert_scores": values}
        expected = references.router_top_k(inputs, symbols)
        suite.check("router_top_k", "", [launch], inputs, outputs, expected, 1e-5, case)
    suite.time("router_top_k", "", launch, inputs, outputs, 4 * sizes.experts + 8 * sizes.chosen)


def check_head(suite: Suite) -> None:
    sizes = suite.sizes
    inputs = {
        "lm_head_weight": suite.bf16(sizes.vocabulary * sizes.hidden, sizes.hidden**-0.5),
        "normed": suite.normal(sizes.hidden),
    }
    outputs = {"logits": f32(sizes.vocabulary)}
    symbols = {"vocabulary": sizes.vocabulary, "hidden": sizes.hidden, "argmax_chunk": 1024}
    expected = references.lm_head(inputs, symbols)
    arguments = ("lm_head_weight", "normed", "logits", np.int32(sizes.vocabulary))
    warps = min(4, warps_per_row(sizes, sizes.vocabulary, sizes.hidden))
    launches = gemv_launches(
        "lm_head", (*arguments, np.int32(sizes.hidden)), sizes.vocabulary, 1, warps
    )
    bytes_moved = 2 * sizes.vocabulary * sizes.hidden + 4 * (sizes.hidden + sizes.vocabulary)
    for arm, launch in zip(("", "WIDE_GEMV"), launches, strict=True):
        suite.check("lm_head", arm, [launch], inputs, outputs, expected, 1e-5)
        suite.time("lm_head", arm, launch, inputs, outputs, bytes_moved)
    check_argmax(suite, expected["logits"].astype(np.float32), symbols)


def check_argmax(suite: Suite, logits: Array, symbols: Mapping[str, int]) -> None:
    vocabulary, chunk = symbols["vocabulary"], symbols["argmax_chunk"]
    chunks = cdiv(vocabulary, chunk)

    def launch(entry: str, blocks: int, *arguments: Any) -> Launch:
        return Launch(
            source="argmax.cu", entry=entry, grid=(blocks,), block=1024, arguments=arguments
        )

    best = ("best_logits", "best_tokens")
    one = launch("argmax", 1, "logits", "token", np.int32(vocabulary))
    partial = launch(
        "argmax_partial", chunks, "logits", *best, np.int32(vocabulary), np.int32(chunk)
    )
    final = launch("argmax_final", 1, *best, "token", np.int32(chunks))
    scratch = {"best_logits": f32(chunks), "best_tokens": i32(*[0] * chunks)}
    tied = np.minimum(logits, np.sort(logits)[-5])
    for case, values in (("normal", logits), ("tied", tied), ("last", np.arange(vocabulary))):
        inputs = {"logits": values.astype(np.float32)}
        expected = references.argmax(inputs, symbols)
        outputs = {"token": i32(0)}
        base = suite.check("argmax", "", [one], inputs, outputs, expected, 0.0, case)
        wanted = references.argmax_partial(inputs, symbols)
        suite.check("argmax_partial", "ARGMAX_SPLIT", [partial], inputs, scratch, wanted, 0, case)
        out = suite.check(
            "argmax", "ARGMAX_SPLIT", [partial, final], inputs, outputs | scratch, expected, 0, case
        )
        suite.compare("argmax", "ARGMAX_SPLIT", case, {"token": out["token"]}, base, identical=True)
    suite.time("argmax", "", one, inputs, {"token": i32(0)}, 4 * vocabulary)
    suite.time("argmax_partial", "ARGMAX_SPLIT", partial, inputs, scratch, 4 * vocabulary)


# ---- experts ------------------------------------------------------------------------------------


def check_experts(suite: Suite) -> None:
    sizes = suite.sizes
    width, hidden, chosen = sizes.expert_width, sizes.hidden, sizes.chosen
    gate_up = suite.bf16(sizes.stored_experts * 2 * width * hidden, hidden**-0.5)
    down = suite.bf16(sizes.stored_experts * hidden * width, width**-0.5)
    router = np.array([0.31, 0.17, 0.13, 0.105, 0.09, 0.079, 0.061, 0.055], dtype=np.float32)
    common = {
        "normed": suite.normal(hidden),
        "expert_ids": suite.random.permutation(sizes.stored_experts)[:chosen].astype(np.int32),
        "expert_weights": router[:chosen],
        "expert_units": suite.normal(chosen * width),
    }
    base_symbols = {"expert_width": width, "hidden": hidden, "chosen_experts": chosen}
    up_bytes = chosen * 2 * width * hidden * 2 + 4 * hidden + 4 * chosen * width
    down_bytes = chosen * hidden * width * 2 + 4 * hidden + 4 * chosen * width
    for kernel, weights, bytes_moved in (
        ("expert_gate_up", gate_up, up_bytes),
        ("expert_down", down, down_bytes),
    ):
        output = "expert_units" if kernel == "expert_gate_up" else "expert_sum"
        outputs = {output: f32(chosen * width if kernel == "expert_gate_up" else hidden)}
        inputs = {name: array for name, array in common.items() if name != output}
        if kernel == "expert_down":
            del inputs["normed"]
        inputs[kernel + "_weight"] = weights
        for wide in (False, True):
            plain: dict[int, Arrays] = {}
            for skip in (0, 1):
                launch = expert_launch(sizes, kernel, wide=wide, skip=skip)
                arms = (["WIDE_EXPERTS"] if wide else []) + (["EXPERT_SKIP"] if skip else [])
                arm = " ".join(arms)
                for position in SKIP_POSITIONS:
                    case = f"position {position}"
                    inputs["position"] = i32(position)
                    expected = getattr(references, kernel)(
                        inputs, {**base_symbols, "EXPERT_SKIP": skip}
                    )
                    out = suite.check(kernel, arm, [launch], inputs, outputs, expected, 1e-5, case)
                    if skip:
                        inert = position <= references.SKIPPED_AFTER_POSITION
                        suite.compare(kernel, arm, case, out, plain[position], identical=inert)
                    else:
                        plain[position] = out
                if not skip:
                    suite.time(kernel, arm, launch, inputs, outputs, bytes_moved)


def expert_launch(sizes: Sizes, kernel: str, *, wide: bool, skip: int) -> Launch:
    width, hidden, chosen = sizes.expert_width, sizes.hidden, sizes.chosen
    routing = ("expert_ids", "expert_weights", "position")
    grid: tuple[int, ...]
    if kernel == "expert_gate_up":
        warps = warps_per_row(sizes, 2 * chosen * width, hidden)
        rows = 8 // warps if wide else 8
        arguments = ("expert_gate_up_weight", "normed", *routing, "expert_units")
        scalars = (width, hidden, skip, *((warps,) if wide else ()))
        grid = (cdiv(width, rows), chosen)
        shared_bytes = 0
    else:
        arguments = ("expert_down_weight", "expert_units", *routing, "expert_sum")
        scalars = (hidden, width, chosen, skip)
        grid = (cdiv(hidden, 28 if wide else 8),)
        shared_bytes = 0
    return Launch(
        source="gemv.cu",
        entry=kernel + ("_wide" if wide else ""),
        grid=grid,
        block=256,
        arguments=arguments + tuple(np.int32(n) for n in scalars),
        shared_bytes=shared_bytes,
    )


# ---- delta attention ----------------------------------------------------------------------------


def check_delta_inputs(suite: Suite) -> None:
    sizes = suite.sizes
    heads, width = sizes.heads, sizes.heads * HEAD_DIM
    symbols = {"n_head": heads, "low_rank": sizes.low_rank}
    epsilon = np.float32(1e-6)

    inputs = {
        "qkv": suite.normal(3 * width),
        "conv_weight": suite.normal(3 * width * 4, 0.5),
        "conv_state": suite.normal(3 * width * 3),
    }
    outputs = {"conv_state": f32(3 * width * 3)} | dict.fromkeys(
        ("query", "key", "value"), f32(width)
    )
    launch = Launch(
        source="short_conv.cu",
        entry="short_conv",
        grid=(heads, 3),
        block=HEAD_DIM,
        arguments=("qkv", "conv_weight", "conv_state", "query", "key", "value", epsilon),
    )
    expected = references.short_conv(inputs, symbols)
    suite.check("short_conv", "", [launch], inputs, outputs, expected, 1e-5)
    suite.time("short_conv", "", launch, inputs, outputs, 3 * width * 12 * 4)

    inputs = {
        "gates": suite.normal(2 * width, 4.0),
        "low_rank_output": suite.normal(2 * sizes.low_rank + heads),
        "gate_bias": suite.normal(width, 4.0),
        "decay_rates": suite.normal(heads),
    }
    outputs = {"log_decay": f32(width), "beta": f32(heads)}
    launch = Launch(
        source="kda_gates.cu",
        entry="kda_gates",
        grid=(heads,),
        block=HEAD_DIM,
        arguments=("gates", "low_rank_output", "gate_bias", "decay_rates", "log_decay", "beta")
        + (np.int32(2 * sizes.low_rank),),
    )
    expected = references.kda_gates(inputs, symbols)
    suite.check("kda_gates", "", [launch], inputs, outputs, expected, 1e-5)
    suite.time("kda_gates", "", launch, inputs, outputs, 12 * width)

    inputs = {
        "attention": suite.normal(width),
        "gates": suite.normal(2 * width),
        "output_norm_weight": suite.normal(HEAD_DIM),
    }
    outputs = {"gated": f32(width)}
    launch = Launch(
        source="kda_gates.cu",
        entry="gate_and_norm",
        grid=(heads,),
        block=HEAD_DIM,
        arguments=("attention", "gates", "output_norm_weight", "gated", epsilon),
    )
    expected = references.gate_and_norm(inputs, symbols)
    suite.check("gate_and_norm", "", [launch], inputs, outputs, expected, 1e-5)
    suite.time("gate_and_norm", "", launch, inputs, outputs, 12 * width)


def kda_launch(heads: int, tile: int, contract: int) -> Launch:
    names = ("kda_state", "query", "key", "value", "log_decay", "beta", "attention")
    return Launch(
        source="kda_decode_step.cu",
        entry="kda_decode_step",
        grid=(heads, HEAD_DIM // tile if tile else 1),
        block=256 if tile else 128,
        arguments=(*names, np.int32(tile), np.int32(contract)),
    )


def check_delta_step(suite: Suite) -> None:
    """Four tokens on one state; each token's state is the next one's input, per arm."""
    heads = suite.sizes.heads
    width = heads * HEAD_DIM
    arms = {
        "": kda_launch(heads, 0, 0),
        "KDA_VALUE_TILE=32": kda_launch(heads, 32, 0),
        "KDA_VALUE_TILE=16": kda_launch(heads, 16, 0),
        "KDA_VALUE_TILE=8": kda_launch(heads, 8, 0),
        "KDA_CONTRACT": kda_launch(heads, 32, 1),
    }
    outputs = {"kda_state": f32(width * HEAD_DIM), "attention": f32(width)}
    states = dict.fromkeys(arms, suite.normal(width * HEAD_DIM, 0.1))
    for step in range(4):
        vectors = {
            "query": suite.normal(width, HEAD_DIM**-1.0),
            "key": suite.normal(width, HEAD_DIM**-0.5),
            "value": suite.normal(width),
            "log_decay": -np.abs(suite.normal(width)),
            "beta": suite.random.random(heads, dtype=np.float32),
        }
        results = {}
        for arm, launch in arms.items():
            inputs = {"kda_state": states[arm]} | vectors
            expected = references.kda_decode_step(inputs, {"n_head": heads})
            case = f"token {step}"
            results[arm] = suite.check(
                "kda_decode_step", arm, [launch], inputs, outputs, expected, 1e-6, case
            )
            states[arm] = results[arm]["kda_state"]
            if arm:
                suite.compare(
                    "kda_decode_step",
                    arm,
                    case,
                    {"kda_state": states[arm]},
                    {"kda_state": results[""]["kda_state"]},
                    identical=arm != "KDA_CONTRACT",
                )
    for arm, launch in arms.items():
        bytes_moved = 2 * width * HEAD_DIM * 4 + 5 * width * 4
        suite.time("kda_decode_step", arm, launch, inputs, outputs, bytes_moved)


# ---- latent attention ---------------------------------------------------------------------------


def mla_slice(sizes: Sizes, context: int, *, derived: bool) -> int:
    """As manifest.toml derives it."""
    if not derived or context <= 4096:
        return 1024
    groups = cdiv(sizes.heads, 16)
    wanted = 32 * cdiv(cdiv(context * groups, 2 * sizes.sm_count), 32)
    return min(1024, max(128, wanted))


def mla_launches(sizes: Sizes, context: int, tokens: int) -> tuple[Launch, Launch]:
    heads = np.int32(sizes.heads)
    slices = cdiv(context, tokens)
    split = Launch(
        source="mla_decode.cu",
        entry="mla_decode_split",
        grid=(slices, cdiv(sizes.heads, 16)),
        block=256,
        shared_bytes=MLA_SHARED_BYTES,
        arguments=(
            *("query_latent", "query_up", "latent_cache"),
            *("mla_partial_sums", "mla_partial_softmax"),
            *(heads, np.int32(context), np.int32(tokens), np.float32(QUERY_ROW**-0.5)),
        ),
    )
    combine = Launch(
        source="mla_decode.cu",
        entry="mla_decode_combine",
        grid=(sizes.heads, LATENT // 64),
        block=256,
        shared_bytes=4 * slices,
        arguments=("mla_partial_sums", "mla_partial_softmax", "latent_attention", heads)
        + (np.int32(slices),),
    )
    return split, combine


def check_latent_attention(suite: Suite) -> None:
    sizes = suite.sizes
    heads = sizes.heads
    longest = max(sizes.contexts)
    cache = suite.normal(longest * LATENT_ROW).astype(np.float16)
    common = {
        "query_latent": suite.normal(heads * LATENT),
        "query_up": suite.normal(heads * QUERY_ROW),
    }
    for context in sizes.contexts:
        inputs = common | {"latent_cache": cache[: context * LATENT_ROW]}
        bases: Arrays = {}
        for derived in (False, True):
            arm = "MLA_DERIVED_FLOOR" if derived else ""
            tokens = mla_slice(sizes, context, derived=derived)
            slices = cdiv(context, tokens)
            symbols = {"n_head": heads, "context": context, "mla_slice": tokens}
            symbols["mla_slices"] = slices
            case = f"context {context}"
            partial = references.mla_decode_split(inputs, symbols)
            split, combine = mla_launches(sizes, context, tokens)
            outputs = {
                "mla_partial_sums": f32(slices * heads * LATENT),
                "mla_partial_softmax": f32(slices * heads * 2),
            }
            out = suite.check(
                "mla_decode_split", arm, [split], inputs, outputs, partial, 2e-3, case
            )
            joined = {"latent_attention": f32(heads * LATENT)}
            wanted = references.mla_decode_combine(out, symbols)
            result = suite.check("mla_decode_combine", arm, [combine], out, joined, wanted, 1e-5)
            whole = references.mla_decode_combine(partial, symbols)
            error = relative_error(result["latent_attention"], whole["latent_attention"])
            row = suite.rows["mla_decode_split", arm]
            row.error = max(row.error, error)
            if not error <= 2e-3:
                row.failures.append(f"{case}: attention is off by {error:.1e}")
            if derived:
                same = tokens == mla_slice(sizes, context, derived=False)
                suite.compare("mla_decode_split", arm, case, result, bases, identical=same)
            bases = result
            if context == longest:
                read = context * LATENT_ROW * 2 + 4 * heads * LATENT_ROW
                written = 4 * slices * heads * (LATENT + 2)
                suite.time("mla_decode_split", arm, split, inputs, outputs, read + written)
                moved = written + 4 * heads * LATENT
                suite.time("mla_decode_combine", arm, combine, out, joined, moved)

    inputs = {
        "latent_normed": suite.normal(LATENT),
        "latent_down": suite.normal(LATENT_ROW),
        "position": i32(0),
    }
    launch = Launch(
        source="mla_decode.cu",
        entry="mla_append",
        grid=(3,),
        block=256,
        arguments=("latent_normed", "latent_down", "latent_cache", "position"),
    )
    outputs = {"latent_cache": np.zeros(2 * LATENT_ROW, dtype=np.float16)}
    for position in (0, 1):
        inputs["position"] = i32(position)
        out = suite.check("mla_append", "", [launch], inputs, outputs, {}, 1e-3)
        written_row = out["latent_cache"][position * LATENT_ROW :][:LATENT_ROW]
        error = relative_error(written_row, references.mla_append(inputs, {})["latent_cache"])
        if not error <= 1e-3:
            suite.rows["mla_append", ""].failures.append(f"position {position}: {error:.1e}")


# ---- grouped-query attention --------------------------------------------------------------------


def gqa_launch(entry: str, heads: int, cache_heads: int, capacity: int, gate: int) -> Launch:
    return Launch(
        source="gqa_attention.cu",
        entry=entry,
        grid=(SPLITS, heads),
        block=32 if entry == "gqa_attn_split" else 128,
        arguments=(
            *("gqa_qkv", "gqa_keys", "gqa_values", "gqa_partial_sums", "gqa_partial_softmax"),
            *("gqa_position", np.int32(capacity), np.int32(heads), np.int32(cache_heads)),
            *(np.float32(HEAD_DIM**-0.5), np.int32(gate)),
        ),
    )


def check_grouped_query_attention(suite: Suite) -> None:
    for heads in suite.sizes.gqa_heads:
        _check_grouped_query_attention(suite, heads)


def _check_grouped_query_attention(suite: Suite, heads: int) -> None:
    sizes = suite.sizes
    cache_heads, capacity = sizes.gqa_cache_heads, max(sizes.gqa_contexts)
    kernel = f"gqa_attn_split ({heads} heads)"
    projected = suite.normal((heads + 2 * cache_heads) * HEAD_DIM)
    elements = cache_heads * capacity * HEAD_DIM
    caches = {
        "gqa_keys": suite.normal(elements).astype(np.float16),
        "gqa_values": suite.normal(elements).astype(np.float16),
    }
    outputs = {
        "gqa_partial_sums": f32(heads * SPLITS * HEAD_DIM),
        "gqa_partial_softmax": f32(heads * SPLITS * 2),
    }
    symbols = {"gqa_n_head": heads, "gqa_cache_heads": cache_heads}
    arguments = (heads, cache_heads, capacity)
    arms = {
        "": [gqa_launch("gqa_attn_split", *arguments, 0)],
        "GQA_HYBRID": [
            gqa_launch("gqa_attn_split_hybrid", *arguments, GATE),
            gqa_launch("gqa_attn_split", *arguments, GATE),
        ],
        "GQA_SHARED_BLOCK": [gqa_launch("gqa_attn_split_shared", *arguments, GATE)],
    }
    combine = Launch(
        source="gqa_attention.cu",
        entry="gqa_attn_combine",
        grid=(1, heads),
        block=HEAD_DIM,
        arguments=("gqa_partial_sums", "gqa_partial_softmax", "gqa_attention"),
    )
    for context in sizes.gqa_contexts:
        inputs = {"gqa_qkv": projected, "gqa_position": i32(context - 1)} | caches
        expected = references.gqa_attn_split(inputs, symbols)
        whole = references.gqa_attn_combine(expected, symbols)
        is_above = cdiv(cdiv(context, SPLITS), 4) >= GATE
        case = f"context {context}"
        results = {}
        for arm, launches in arms.items():
            out = suite.check(kernel, arm, launches, inputs, outputs, expected, 1e-5, case)
            results[arm] = out
            joined = {"gqa_attention": f32(heads * HEAD_DIM)}
            suite.check(f"gqa_attn_combine ({heads})", "", [combine], out, joined, whole, 1e-5)
        for arm in ("GQA_HYBRID", "GQA_SHARED_BLOCK"):
            suite.compare(kernel, arm, case, results[arm], results[""], identical=not is_above)
        suite.compare(
            kernel,
            "GQA_SHARED_BLOCK",
            case + " to the hybrid",
            results["GQA_SHARED_BLOCK"],
            results["GQA_HYBRID"],
            identical=True,
        )
    inputs["gqa_position"] = i32(3254 - 1)
    moved = 4 * cache_heads * 3254 * HEAD_DIM + 4 * heads * HEAD_DIM * (1 + SPLITS)
    for arm, launches in arms.items():
        suite.time(kernel, arm, launches[0], inputs, outputs, moved)
    dud = arms["GQA_HYBRID"][1]
    suite.time(kernel, "the one that leaves", dud, inputs, outputs, 4)
    for context in (1000,):  # one warp works: the small block against the shared one
        inputs["gqa_position"] = i32(context - 1)
        moved = 4 * cache_heads * context * HEAD_DIM + 4 * heads * HEAD_DIM * (1 + SPLITS)
        for arm in ("", "GQA_SHARED_BLOCK"):
            suite.time(f"{kernel} at {context}", arm, arms[arm][0], inputs, outputs, moved)

    append = Launch(
        source="gqa_attention.cu",
        entry="gqa_append",
        grid=(cache_heads,),
        block=HEAD_DIM,
        arguments=("gqa_qkv", "gqa_keys", "gqa_values", "gqa_position", np.int32(capacity))
        + (np.int32(heads), np.int32(cache_heads)),
    )
    inputs = {"gqa_qkv": projected, "gqa_position": i32(capacity - 1)} | caches
    out = suite.check("gqa_append", "", [append], inputs, caches, {}, 1e-3)
    for name, wanted in references.gqa_append(inputs, symbols).items():
        rows = out[name].reshape(cache_heads, capacity, HEAD_DIM)[:, -1].ravel()
        if not relative_error(rows, wanted) <= 1e-3:
            suite.rows["gqa_append", ""].failures.append(f"{name} is wrong")


# ---- all of it ----------------------------------------------------------------------------------

CHECKS = (
    check_norm,
    check_delta_step,
    check_delta_inputs,
    check_latent_attention,
    check_grouped_query_attention,
    check_projections,
    check_router,
    check_experts,
    check_head,
    check_elementwise,
)


def print_table(suite: Suite) -> int:
    print(
        f"{'kernel':32s} {'arm':24s} {'grid':>10s} {'block':>5s} {'error':>8s} {'limit':>6s} "
        f"{'bytes':>11s} {'µs':>8s} {'floor':>7s} {'ratio':>6s}"
    )
    for (kernel, arm), row in suite.rows.items():
        launch = row.timed or row.launch
        grid = "x".join(map(str, launch.grid))
        claims = "/".join(sorted(row.claims))
        print(
            f"{kernel:32s} {arm:24s} {grid:>10s} {launch.block:5d} {row.error:8.1e} "
            f"{row.tolerance:6.0e} {claims:>11s} {row.microseconds:8.2f} {row.floor:7.2f} "
            f"{row.microseconds / row.floor:6.1f}"
        )
    failures = [
        f"FAILED {kernel} {arm}: {failure}"
        for (kernel, arm), row in suite.rows.items()
        for failure in row.failures
    ]
    print("\n".join(failures[:40]) or "all results and bytes as claimed")
    return len(failures)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--no-timing", action="store_true", help="check results only")
    arguments = parser.parse_args()
    suite = Suite(CupyDevice(), Sizes(), is_timed=not arguments.no_timing)
    for check in CHECKS:
        begin = time.perf_counter()
        check(suite)
        print(f"{check.__name__}: {time.perf_counter() - begin:.1f} s", file=sys.stderr)
    return 1 if print_table(suite) else 0


if __name__ == "__main__":
    sys.exit(main())
