"""The labelled set: kernels whose true verdict is known from how they are made, and the proofs.

A case is a kernel with a name of its own around a body of labelled_kernels.cu. Its proofs are other
launches whose times, against its own alone, hold only where the label is true. Figures are for
132 SMs of compute capability 9.0.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from geoaudit.diagnosis.finding import VerdictName

KERNELS = Path(__file__).with_name("labelled_kernels.cu")
SMS = 132
INPUT_BYTES = OUTPUT_BYTES = 512 << 20
FLUSHED_BYTES = 192 << 20
FLUSHER = "flush_cache"
EMPTY = "empty_1"

Group = Literal["quiet", "memory", "compute", "process", "clocks"]
Unit = Literal["fma32", "fma64", "special", "tensor"]

FULL = "blockIdx.x, gridDim.x"


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One launch of a kernel of the set.

    Attributes:
        kernel: its name.
        grid, block: blocks and threads of a block, along x.
        shared_bytes: dynamic shared memory of a block.
        items, rounds, width: its work, as the body reads them.
    """

    kernel: str
    grid: int
    block: int
    shared_bytes: int = 0
    items: int = 1
    rounds: int = 1
    width: int = 1


@dataclass(frozen=True, kw_only=True)
class Proof:
    """Another launch, and what its median is of the case's own, both alone.

    Attributes:
        name: what differs.
        launch: the other launch.
        low, high: bounds of its median / the case's; None: printed, not judged.
        is_same_work: it does the case's work under another block count.
    """

    name: str
    launch: Launch
    low: float | None = None
    high: float | None = None
    is_same_work: bool = False


@dataclass(frozen=True, kw_only=True)
class Rate:
    """What the case must reach of the device, alone.

    Attributes:
        copy_fraction: least share of the bandwidth of a large copy.
        floor_ratio: largest time / floor, the floor of the bytes.
        unit, operations, unit_fraction: least share of the unit's peak with so many operations.
        launch_floors: largest time / time of an empty kernel.
    """

    copy_fraction: float | None = None
    floor_ratio: float | None = None
    unit: Unit | None = None
    operations: float = 0.0
    unit_fraction: float | None = None
    launch_floors: float | None = None


@dataclass(frozen=True, kw_only=True)
class Case:
    """A kernel with its label.

    Attributes:
        label: its true verdict.
        launch: how it is launched.
        body: C++ of the kernel.
        note: how the label follows from its making.
        group: recordings it is in.
        accepts: other verdicts that are as true.
        bounds: of __launch_bounds__, where not the block alone.
        sites: call sites in a token; the first is cold, the others follow at once.
        proofs, rate: what shows the label.
        compulsory_bytes: of a launch, each input and output once.
        bytes_in_flight_per_thread: of loads; None: not declared.
        follows: the kernel it is launched straight behind, without a flush.
    """

    label: VerdictName
    launch: Launch
    body: str
    note: str
    compulsory_bytes: int
    group: Group = "quiet"
    accepts: tuple[VerdictName, ...] = ()
    bounds: str | None = None
    sites: int = 1
    proofs: tuple[Proof, ...] = ()
    rate: Rate = Rate()
    bytes_in_flight_per_thread: int | None = None
    follows: str | None = None

    @property
    def kernel(self) -> str:
        """Name of its kernel."""
        return self.launch.kernel


# ---- starved ------------------------------------------------------------------------------------


def more_blocks(launch: Launch, grid: int, *, high: float | None = 0.66) -> Proof:
    return Proof(
        name=f"{grid} blocks",
        launch=replace(launch, grid=grid),
        high=high,
        is_same_work=True,
    )


def starved_stream(blocks: int, depth: int, items: int) -> Case:
    launch = Launch(
        kernel=f"starved_{blocks}_stream", grid=blocks, block=256, items=items, rounds=1024
    )
    return Case(
        label="starved",
        launch=launch,
        body=f"stream<{depth}>(in, out, items, rounds, {FULL});",
        note="reads memory; more blocks read it sooner",
        compulsory_bytes=items * 1024 * 16,
        bytes_in_flight_per_thread=16 * depth,
        proofs=(more_blocks(launch, min(items, 4 * SMS)),),
    )


def starved_chain(blocks: int, items: int) -> Case:
    launch = Launch(kernel=f"starved_{blocks}_chain", grid=blocks, block=256, items=items, rounds=8)
    return Case(
        label="starved",
        launch=launch,
        body=f"chain(in, out, items, rounds, {FULL});",
        note="a chain of dependent loads for each item, items one after another in a block",
        compulsory_bytes=items * 256 * 8 * 4,
        bytes_in_flight_per_thread=4,
        proofs=(more_blocks(launch, min(items, SMS)),),
    )


def starved_compute(blocks: int, items: int = SMS) -> Case:
    launch = Launch(
        kernel=f"starved_{blocks}_compute", grid=blocks, block=256, items=items, rounds=1200
    )
    return Case(
        label="starved",
        launch=launch,
        body=f"compute<FMA32, 4>(out, items, rounds, {FULL});",
        note="arithmetic that keeps the SMs that have a block busy",
        compulsory_bytes=items * 256 * 4,
        proofs=(more_blocks(launch, items),),
    )


def starved_sites(blocks: int, body: str, items: int, rounds: int, size: int) -> Case:
    launch = Launch(
        kernel=f"starved_{blocks}_ten_sites_{body}",
        grid=blocks,
        block=256,
        items=items,
        rounds=rounds,
    )
    call = "stream<1>" if body == "stream" else "chain"
    return Case(
        label="starved",
        launch=launch,
        body=f"{call}(in, out, items, rounds, {FULL});",
        note="ten call sites on the same data, the first of them behind a cache flush",
        compulsory_bytes=size,
        bytes_in_flight_per_thread=16 if body == "stream" else 4,
        sites=10,
        proofs=(more_blocks(launch, items),),
    )


def single_block(name: str, body: str, width: int, size: int) -> Case:
    launch = Launch(kernel=f"single_block_{name}", grid=1, block=128, rounds=width)
    wide = Launch(kernel=f"{launch.kernel}_wide", grid=1, block=1024, rounds=width)
    return Case(
        label="starved",
        launch=launch,
        body=f"{body}<false>(in, out, rounds);",
        note="one block is right for one row, its width is wrong: 1024 threads and 16-byte loads",
        compulsory_bytes=size,
        bytes_in_flight_per_thread=4,
        proofs=(Proof(name="1 block of 1024 threads", launch=wide, high=0.66),),
    )


STARVED = (
    starved_stream(1, 4, 66),
    starved_stream(12, 4, 528),
    starved_stream(24, 4, 528),
    starved_stream(48, 1, 528),
    starved_chain(1, 8),
    starved_chain(12, SMS),
    starved_chain(24, SMS),
    starved_chain(48, SMS),
    starved_compute(1, 8),
    starved_compute(12),
    starved_compute(24),
    starved_compute(48),
    starved_sites(12, "stream", 132, 1024, 132 * 1024 * 16),
    starved_sites(24, "chain", 132, 8, 132 * 256 * 8 * 4),
    single_block("sum", "reduce_row", 7168, 7168 * 4 + 4),
    single_block("norm", "normalize_row", 7168, 2 * 7168 * 4),
    single_block("long_sum", "reduce_row", 65536, 65536 * 4 + 4),
)

# ---- tail ---------------------------------------------------------------------------------------

ONE_PER_SM_BYTES = 120 << 10


def tail_compute(grid: int, full: int, shared: int, high: float, bounds: str) -> Case:
    launch = Launch(
        kernel=f"tail_{grid}_compute" + ("_one_per_sm" if shared else ""),
        grid=grid,
        block=1024,
        shared_bytes=shared,
        items=grid,
        rounds=1200,
    )
    whole = replace(launch, grid=full, items=full)
    return Case(
        label="tail",
        launch=launch,
        body=f"compute<FMA32, 4>(out, items, rounds, {FULL});",
        note=f"long blocks, each of which fills its SM's multipliers; {full} are whole waves",
        compulsory_bytes=grid * 1024 * 4,
        bounds=bounds,
        proofs=(Proof(name=f"{full} blocks and items", launch=whole, high=high),),
    )


def tail_chain(grid: int, full: int) -> Case:
    launch = Launch(kernel=f"tail_{grid}_chain", grid=grid, block=1024, items=grid, rounds=24)
    whole = replace(launch, grid=full, items=full)
    return Case(
        label="tail",
        launch=launch,
        body=f"chain(in, out, items, rounds, {FULL});",
        note=f"long blocks of dependent loads, two to an SM by their threads; {full} are one wave",
        compulsory_bytes=grid * 1024 * 24 * 4,
        bounds="1024, 2",
        bytes_in_flight_per_thread=4,
        proofs=(Proof(name=f"{full} blocks and items", launch=whole, high=0.75),),
    )


TAIL = (
    tail_compute(SMS + 1, SMS, ONE_PER_SM_BYTES, 0.66, "1024"),
    tail_compute(277, 2 * SMS, ONE_PER_SM_BYTES, 0.75, "1024"),
    tail_compute(2 * SMS + 1, 2 * SMS, 0, 0.75, "1024, 2"),
    tail_chain(280, 2 * SMS),
)

# ---- occupancy limited --------------------------------------------------------------------------


def by_shared_memory(blocks_per_sm: int, block: int, waves: int, shared: int, body: str) -> Case:
    grid = blocks_per_sm * SMS * waves
    launch = Launch(
        kernel=f"occupancy_shared_{blocks_per_sm}_{body}",
        grid=grid,
        block=block,
        shared_bytes=shared,
        items=grid,
        rounds=8 if body == "chain" else 4 * block,
    )
    call = "chain" if body == "chain" else "stream<1>"
    size = grid * block * 8 * 4 if body == "chain" else grid * 4 * block * 16
    return Case(
        label="occupancy_limited",
        launch=launch,
        body=f"{call}(in, out, items, rounds, {FULL});",
        note=f"shared memory that it does not use lets an SM hold {blocks_per_sm}; loads wait",
        compulsory_bytes=size,
        bytes_in_flight_per_thread=4 if body == "chain" else 16,
        proofs=(
            Proof(
                name="without the shared memory", launch=replace(launch, shared_bytes=0), high=0.83
            ),
        ),
    )


def by_registers(live: int, block: int, blocks_per_sm: int, waves: int) -> Case:
    grid = blocks_per_sm * SMS * waves
    launch = Launch(
        kernel=f"occupancy_registers_{live}", grid=grid, block=block, items=grid, rounds=8
    )
    free = replace(launch, kernel=f"{launch.kernel}_free")
    return Case(
        label="occupancy_limited",
        launch=launch,
        body=f"chain_beside<{live}, true>(in, out, items, rounds, {FULL});",
        note=f"{live} values kept in registers beside a chain of loads; the other sums them before",
        compulsory_bytes=grid * block * 8 * 4,
        bounds=f"{block}, {blocks_per_sm}",
        bytes_in_flight_per_thread=4,
        proofs=(Proof(name="without the registers", launch=free, high=0.83),),
    )


OCCUPANCY = (
    by_shared_memory(2, 128, 8, 100 << 10, "chain"),
    by_shared_memory(3, 256, 6, 70 << 10, "chain"),
    by_shared_memory(1, 128, 8, 120 << 10, "stream"),
    by_registers(200, 256, 1, 8),
    by_registers(96, 256, 2, 8),
    by_registers(128, 384, 1, 8),
)

# ---- imbalanced, serial -------------------------------------------------------------------------


def imbalanced(grid: int, working: int, body: str) -> Case:
    is_stream = body == "stream"
    items, rounds = (64, 1024) if is_stream else (16 * working, 1200)
    launch = Launch(
        kernel=f"imbalanced_{working}_of_{grid}_{body}",
        grid=grid,
        block=256,
        items=items,
        rounds=rounds,
        width=working,
    )
    call = (
        "stream<4>(in, out, items, rounds, blockIdx.x, width);"
        if is_stream
        else "compute<FMA32, 4>(out, items, rounds, blockIdx.x, width);"
    )
    even = replace(launch, width=min(grid, items))
    return Case(
        label="imbalanced",
        launch=launch,
        body=f"if (blockIdx.x < width) {call}",
        note=f"{working} of {grid} blocks do all the work, the others exit at once",
        compulsory_bytes=items * 1024 * 16 if is_stream else items * 256 * 4,
        bytes_in_flight_per_thread=64 if is_stream else None,
        proofs=(Proof(name="work spread over the blocks", launch=even, high=0.5),),
    )


def serial(grid: int, block: int, body: str, rounds: int) -> Case:
    is_load = body == "load"
    launch = Launch(kernel=f"serial_{grid}x{block}_{body}", grid=grid, block=block, rounds=rounds)
    half = replace(launch, grid=grid // 2)
    narrow = replace(launch, grid=2 * grid, block=block // 2)
    arguments = "in, out, rounds" if is_load else "out, rounds"
    return Case(
        label="serial",
        launch=launch,
        body=f"serial_{body}({arguments});",
        note="every thread waits for its own chain; the device would carry more of them",
        compulsory_bytes=grid * block if is_load else grid * block * 4,
        bytes_in_flight_per_thread=1 if is_load else None,
        proofs=(
            Proof(name="half of the blocks and threads", launch=half, low=0.9, high=1.1),
            Proof(
                name="twice the blocks of half the threads",
                launch=narrow,
                low=0.9,
                high=1.1,
                is_same_work=True,
            ),
        ),
    )


IMBALANCED = (
    imbalanced(264, 1, "stream"),
    imbalanced(1056, 1, "stream"),
    imbalanced(264, 1, "compute"),
    imbalanced(2112, 4, "compute"),
)
SERIAL = (
    serial(1056, 256, "load", 60),
    serial(1000, 256, "load", 80),
    serial(264, 1024, "load", 60),
    serial(264, 128, "multiply", 8000),
)

# ---- the launch itself --------------------------------------------------------------------------


def launch_bound(grid: int, block: int, what: str, size: int = 0) -> Case:
    bodies = {
        "empty": "",
        "write": "out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;",
    }
    return Case(
        label="launch_bound",
        launch=Launch(
            kernel=f"{'empty' if what == 'empty' else 'tiny_' + what}_{grid}",
            grid=grid,
            block=block,
        ),
        body=bodies[what],
        note="does nothing, or next to nothing",
        compulsory_bytes=size,
        rate=Rate(launch_floors=2.0),
    )


LAUNCH_BOUND = (
    launch_bound(1, 32, "empty"),
    launch_bound(132, 128, "empty"),
    launch_bound(264, 256, "empty"),
    launch_bound(1, 32, "write", 32 * 4),
    launch_bound(12, 128, "write", 12 * 128 * 4),
)


def pair(name: str, grid: int, *, is_first_off: bool, worker: Case) -> tuple[Case, Case]:
    """A self-gated pair: both read the same word, by which one exits and the other works."""
    short, long = f"pair_{name}_short", f"pair_{name}_long"
    off, on = (short, long) if is_first_off else (long, short)
    body = f"if (is_off(flags, %d)) return; {worker.body}"
    launch = replace(worker.launch, grid=grid)
    dud = Case(
        label="dud",
        launch=replace(launch, kernel=off),
        body=body % 0,
        note=f"exits at once: {on} has the work",
        compulsory_bytes=4,
        rate=Rate(launch_floors=2.5),
        follows=on if off == long else None,
    )
    working = replace(
        worker,
        launch=replace(launch, kernel=on),
        body=body % 1,
        proofs=tuple(replace(one, launch=replace(one.launch, kernel=on)) for one in worker.proofs),
        note=f"{worker.note}; half of a pair, {off} exits",
        follows=off if on == long else None,
    )
    return (dud, working) if is_first_off else (working, dud)


# ---- at the device's limit, and near it ---------------------------------------------------------


def memory_bound(
    kernel: str,
    body: str,
    grid: int,
    items: int,
    *,
    label: VerdictName = "bandwidth_bound",
    rounds: int = 4096,
    block: int = 256,
    inputs: int = 1,
    outputs: int = 0,
) -> Case:
    launch = Launch(kernel=kernel, grid=grid, block=block, items=items, rounds=rounds)
    is_bandwidth = label == "bandwidth_bound"
    rate = Rate(copy_fraction=0.8) if is_bandwidth else Rate(floor_ratio=1.6)
    proofs = (more_blocks(launch, min(2 * grid, items), high=None),) if 2 * grid <= items else ()
    return Case(
        label=label,
        launch=launch,
        body=body,
        note=f"{inputs} read and {outputs} written of {items * rounds * 16 >> 20} MiB each",
        compulsory_bytes=items * rounds * 16 * (inputs + outputs),
        accepts=() if is_bandwidth else ("bandwidth_bound",),
        bytes_in_flight_per_thread=64 * inputs,
        rate=rate,
        proofs=proofs,
    )


READ = f"stream<4>(in, out, items, rounds, {FULL});"
COPY = f"copy<4>(in, out, items, rounds, {FULL});"
TRIAD = f"triad(in, out, items, rounds, Index(items) * rounds, {FULL});"

BANDWIDTH = (
    memory_bound("bandwidth_copy", COPY, 3000, 3000, inputs=1, outputs=1),
    memory_bound("bandwidth_read", READ, 4000, 4000),
    memory_bound("bandwidth_triad", TRIAD, 2000, 2000, inputs=2, outputs=1),
    memory_bound("bandwidth_rows", READ, 7168, 7168, rounds=2048),
)
PERSISTENT = (
    memory_bound("persistent_8_per_sm_copy", COPY, 8 * SMS, 3168, inputs=1, outputs=1),
    memory_bound("persistent_2_per_sm_read", READ, 2 * SMS, 4224, block=1024),
    memory_bound("persistent_8_per_sm_read", READ, 8 * SMS, 6336, label="healthy", rounds=512),
)
HEALTHY = (
    memory_bound("healthy_read", READ, 2048, 2048, label="healthy", rounds=1024),
    memory_bound("healthy_read_rows", READ, 4096, 4096, label="healthy", rounds=768),
    memory_bound("healthy_copy", COPY, 2000, 2000, label="healthy", rounds=512, outputs=1),
    memory_bound("healthy_triad", TRIAD, 2050, 2050, label="healthy", rounds=512, inputs=2,
                 outputs=1),
    memory_bound("healthy_copy_wide", COPY, 1000, 1000, label="healthy", rounds=1024, block=512,
                 outputs=1),
)  # fmt: skip

DUDS = (
    *pair("a", 48, is_first_off=True, worker=starved_chain(48, SMS)),
    *pair("b", 24, is_first_off=False, worker=starved_stream(24, 4, 528)),
    *pair("c", 4 * SMS, is_first_off=True, worker=HEALTHY[0]),
)


def compute_bound(name: Unit, body: str, per_item: float, rounds: int, fraction: float) -> Case:
    # Whole waves: the tensor cores' sums leave room for five blocks an SM, the others for eight.
    grid = (5 * 4 if name == "tensor" else 8 * 2) * SMS
    launch = Launch(kernel=f"compute_{name}", grid=grid, block=256, items=grid, rounds=rounds)
    twice = replace(launch, grid=2 * grid, items=2 * grid)
    return Case(
        label="compute_bound",
        launch=launch,
        body=f"{body}(out, items, rounds, {FULL});",
        note="independent operations that keep their unit busy",
        compulsory_bytes=grid * 256 * 4,
        bounds="256, 8" if name != "tensor" else "256",
        rate=Rate(unit=name, operations=per_item * grid * rounds, unit_fraction=fraction),
        proofs=(Proof(name="twice the blocks and work", launch=twice, low=1.7, high=2.3),),
    )


COMPUTE = (
    compute_bound("fma32", "compute<FMA32, 4>", 256 * 4, 600, 0.7),
    compute_bound("fma64", "compute<FMA64, 4>", 256 * 4, 300, 0.7),
    compute_bound("special", "compute<SPECIAL, 4>", 256 * 4, 75, 0.7),
    compute_bound("tensor", "tensor", 8 * 8 * 2048, 60, 0.4),
)

# ---- contended ----------------------------------------------------------------------------------


def contended(case: Case, kernel: str, group: Group, note: str) -> Case:
    """A case that is at the device's limit, with somebody else there too."""
    return replace(
        case,
        label="contended",
        accepts=(),
        group=group,
        launch=replace(case.launch, kernel=kernel),
        proofs=(),
        rate=Rate(),
        note=note,
    )


BESIDE = "another stream of the process runs kernels all the time"
SLICED = "another process launches kernels now and then; the device changes over in the middle"
READ_64, COPY_64 = (
    memory_bound("", READ, 1000, 1000),
    memory_bound("", COPY, 1000, 1000, inputs=1, outputs=1),
)
ONE_WAVE = replace(
    COMPUTE[0],
    launch=replace(COMPUTE[0].launch, grid=8 * SMS, items=8 * SMS, rounds=1500),
    compulsory_bytes=8 * SMS * 256 * 4,
)
LONGER = {
    "read": memory_bound("", READ, 7000, 7000),
    "copy": memory_bound("", COPY, 6000, 6000, inputs=1, outputs=1),
    "multiply": replace(COMPUTE[0], launch=replace(COMPUTE[0].launch, rounds=3000)),
}
CONTENDED = (
    contended(READ_64, "contended_read", "memory", BESIDE),
    contended(COPY_64, "contended_copy", "memory", BESIDE),
    contended(COMPUTE[0], "contended_multiply", "compute", BESIDE),
    contended(ONE_WAVE, "contended_multiply_once", "compute", BESIDE),
    *(contended(case, f"sliced_{name}", "process", SLICED) for name, case in LONGER.items()),
    contended(COMPUTE[0], "clocked_multiply", "clocks", "the first launches after seconds of rest"),
)

CASES: tuple[Case, ...] = (
    *STARVED,
    *TAIL,
    *OCCUPANCY,
    *IMBALANCED,
    *SERIAL,
    *LAUNCH_BOUND,
    *DUDS,
    *BANDWIDTH,
    *PERSISTENT,
    *HEALTHY,
    *COMPUTE,
    *CONTENDED,
)

FLUSH = Launch(
    kernel=FLUSHER, grid=8 * SMS, block=256, items=8 * SMS, rounds=FLUSHED_BYTES // 16 // (8 * SMS)
)
BESIDE_MEMORY = Launch(
    kernel="co_runner_memory", grid=SMS, block=512, items=4096, rounds=400, width=4096
)
BESIDE_COMPUTE = Launch(
    kernel="co_runner_compute", grid=SMS, block=1024, items=1, rounds=40, width=2000
)
CO_TENANT = Launch(kernel="co_tenant", grid=8 * SMS, block=256, items=8 * SMS, rounds=45_000)


# ---- their source -------------------------------------------------------------------------------


def _kernels() -> Iterator[tuple[str, str, str]]:
    """Name, launch bounds and body of every kernel."""
    for case in CASES:
        yield case.kernel, case.bounds or str(case.launch.block), case.body
    for case in STARVED:
        if case.kernel.startswith("single_block_"):
            yield f"{case.kernel}_wide", "1024", case.body.replace("<false>", "<true>")
    for case in OCCUPANCY:
        if "true>" in case.body:
            full = 2048 // case.launch.block
            bounds = f"{case.launch.block}, {full}"
            yield f"{case.kernel}_free", bounds, case.body.replace("true>", "false>")
    yield FLUSHER, "256", READ
    yield "co_runner_memory", "512", "run_beside_memory(in, out, flags, items, rounds, width);"
    yield "co_runner_compute", "1024, 1", "run_beside_compute(out, flags, rounds, width);"
    yield "co_tenant", "256, 8", f"compute<FMA32, 4>(out, items, rounds, {FULL});"


def kernel_names() -> tuple[str, ...]:
    """Names of all kernels, those of proofs and co-runners too."""
    return tuple(name for name, _, _ in _kernels())


def source() -> str:
    """CUDA C++ of all kernels."""
    entries = (
        f'extern "C" __global__ void __launch_bounds__({bounds}) {name}(PARAMETERS) {{ {body} }}'
        for name, bounds, body in _kernels()
    )
    return "\n".join((KERNELS.read_text(encoding="utf-8"), *entries, ""))
