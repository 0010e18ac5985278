"""Compare resident blocks per SM with the CUDA driver on a real GPU, tuple by tuple.

    PYTHONPATH=. python tests/gpu/occupancy_sweep.py --output occupancy.csv.gz \
        --sample tests/fixtures/occupancy_h200.csv --device tests/fixtures/occupancy_h200.json

Compiles kernels of different weight with NVRTC (registers from below 16 to 255, static shared
memory of 0 to 48 KiB, 0 to 16 block barriers), lets each opt in to all the dynamic shared memory
the device gives, and asks cuOccupancyMaxActiveBlocksPerMultiprocessor for random block sizes and
dynamic sizes, some of them beyond what can be launched. Needs cuda-bindings; no file is read and
nothing is launched. Exit code 1: the driver and geoaudit differ somewhere.
"""

import argparse
import csv
import gzip
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry.occupancy import BlockResources, residency

KIB = 1024
COLUMNS = (
    "registers_per_thread",
    "static_shared_bytes",
    "dynamic_shared_bytes",
    "block_threads",
    "barriers_per_block",
    "driver_blocks_per_sm",
)
LIVE_VALUES = (*range(0, 32, 2), *range(32, 104, 8))
REGISTER_CAPS = (16, 24, *range(33, 256, 7), 255)
STATIC_SHARED = (0, 4, 100, 1024, 4096 + 8, 12 * KIB, 16 * KIB + 128, 31 * KIB + 1, 48 * KIB)
BARRIERS = (1, 2, 5, 8, 16)


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """A compiled kernel, as the driver describes it."""

    function: Any
    registers: int
    static_shared: int
    barriers: int


@dataclass(frozen=True, kw_only=True)
class Tuple:
    """One question and the driver's answer."""

    registers_per_thread: int
    static_shared_bytes: int
    dynamic_shared_bytes: int
    block_threads: int
    barriers_per_block: int
    driver_blocks_per_sm: int


@dataclass(frozen=True, kw_only=True)
class Variant:
    """What is compiled in one go: three static sizes and one barrier count of one weight.

    Attributes:
        live_values: values each thread keeps alive.
        register_cap: registers per thread the compiler may use; None: as many as it likes.
        static_shared: bytes, a kernel each.
        barriers: barriers of one more kernel.
    """

    live_values: int
    register_cap: int | None
    static_shared: tuple[int, ...]
    barriers: int

    @property
    def kernels(self) -> tuple[tuple[str, int, int], ...]:
        """Name, static shared bytes and barriers of each kernel."""
        plain = tuple((f"work_{size}", size, 0) for size in self.static_shared)
        return (*plain, ("barriers", 512, self.barriers))


def variants() -> list[Variant]:
    """All weights; static sizes and barrier counts take turns."""
    weights: list[tuple[int, int | None]] = [(values, None) for values in LIVE_VALUES]
    weights += [(LIVE_VALUES[-1], cap) for cap in REGISTER_CAPS]
    return [
        Variant(
            live_values=values,
            register_cap=cap,
            static_shared=tuple(
                STATIC_SHARED[(turn + step) % len(STATIC_SHARED)] for step in (0, 3, 6)
            ),
            barriers=BARRIERS[turn % len(BARRIERS)],
        )
        for turn, (values, cap) in enumerate(weights)
    ]


def kernel_source(variant: Variant) -> str:
    """CUDA source of the variant's kernels."""
    return "\n".join(
        _kernel(name, variant.live_values, size, barriers)
        for name, size, barriers in variant.kernels
    )


def _kernel(name: str, live_values: int, shared_bytes: int, barriers: int) -> str:
    shared = f"__shared__ unsigned char buffer[{shared_bytes}];" if shared_bytes else ""
    touch = f"buffer[threadIdx.x % {shared_bytes}] = rounds;" if shared_bytes else ""
    read = f"buffer[rounds % {shared_bytes}]" if shared_bytes else "0"
    sync = "".join(
        f'asm volatile("bar.sync {index}, 32;" ::: "memory");' for index in range(barriers)
    )
    values = max(live_values, 1)
    return f"""
extern "C" __global__ void {name}(const float* in, float* out, int rounds) {{
    {shared}
    {touch}
    {sync}
    float value[{values}];
    #pragma unroll
    for (int i = 0; i < {values}; ++i) value[i] = in[threadIdx.x + i * blockDim.x];
    #pragma unroll 1
    for (int round = 0; round < rounds * {int(live_values > 0)}; ++round) {{
        const float factor = in[round];
        #pragma unroll
        for (int i = 0; i < {values}; ++i)
            value[i] = fmaf(value[i], factor, value[(i + 1) % {values}]);
    }}
    #pragma unroll
    for (int i = 0; i < {values}; ++i) out[threadIdx.x + i * blockDim.x] = value[i] + {read};
}}"""


def compile_cubin(source: str, architecture: str, register_cap: int | None) -> bytes:
    """The source compiled for this architecture, ``"9.0"``."""
    from cuda.bindings import nvrtc  # type: ignore[import-not-found,unused-ignore]

    program = checked(nvrtc.nvrtcCreateProgram(source.encode(), b"sweep.cu", 0, [], []))
    options = [f"--gpu-architecture=sm_{architecture.replace('.', '')}".encode()]
    if register_cap is not None:
        options.append(f"--maxrregcount={register_cap}".encode())
    result = nvrtc.nvrtcCompileProgram(program, len(options), options)[0]
    if int(result) != 0:
        log: bytes = b" " * checked(nvrtc.nvrtcGetProgramLogSize(program))
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(f"NVRTC: {result!r}: {log.decode(errors='replace')}")
    cubin: bytes = b" " * checked(nvrtc.nvrtcGetCUBINSize(program))
    checked(nvrtc.nvrtcGetCUBIN(program, cubin))
    return cubin


def checked(answer: tuple[Any, ...]) -> Any:  # noqa: ANN401
    """The value of a CUDA call; raises where the call failed."""
    status, *values = answer
    if int(status) != 0:
        raise RuntimeError(f"a CUDA call failed: {status!r}")
    return values[0] if values else None


def open_device(ordinal: int) -> tuple[DeviceSpec, dict[str, Any]]:
    """The device with this ordinal, made current: its limits, and its facts for the record."""
    from cuda.bindings import driver

    checked(driver.cuInit(0))
    device = checked(driver.cuDeviceGet(ordinal))
    checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(device))))
    name = checked(driver.cuDeviceGetName(128, device)).split(b"\0")[0].decode()

    def attribute(attribute_name: str) -> int:
        key = getattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{attribute_name}")
        return int(checked(driver.cuDeviceGetAttribute(key, device)))

    major = attribute("COMPUTE_CAPABILITY_MAJOR")
    max_threads, warp = attribute("MAX_THREADS_PER_MULTIPROCESSOR"), attribute("WARP_SIZE")
    spec = DeviceSpec(
        name=name,
        vendor="nvidia",
        architecture=f"{major}.{attribute('COMPUTE_CAPABILITY_MINOR')}",
        sm_count=attribute("MULTIPROCESSOR_COUNT"),
        sm_count_source="the driver",
        threads_per_warp=warp,
        max_threads_per_block=attribute("MAX_THREADS_PER_BLOCK"),
        max_threads_per_sm=max_threads,
        max_warps_per_sm=max_threads // warp,
        max_blocks_per_sm=attribute("MAX_BLOCKS_PER_MULTIPROCESSOR"),
        registers_per_sm=attribute("MAX_REGISTERS_PER_MULTIPROCESSOR"),
        registers_per_block=attribute("MAX_REGISTERS_PER_BLOCK"),
        # The driver has no attributes for these four; they are the rules of cuda_occupancy.h.
        max_registers_per_thread=255,
        register_allocation_unit=256,
        warp_allocation_granularity=4,
        shared_allocation_unit_bytes=256 if major == 7 else 128,
        shared_bytes_per_sm=attribute("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"),
        shared_bytes_per_block=attribute("MAX_SHARED_MEMORY_PER_BLOCK"),
        shared_bytes_per_block_optin=attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
        shared_bytes_reserved_per_block=attribute("RESERVED_SHARED_MEMORY_PER_BLOCK"),
        l2_bytes=attribute("L2_CACHE_SIZE"),
    )
    return spec, {"cuda_driver_version": checked(driver.cuDriverGetVersion()), **asdict(spec)}


def load_kernels(cubin: bytes, variant: Variant, device: DeviceSpec) -> Iterator[Kernel]:
    """The kernels of a cubin, each opted in to as much dynamic shared memory as there is."""
    from cuda.bindings import driver

    attributes = driver.CUfunction_attribute
    module = checked(driver.cuModuleLoadData(cubin))
    for name, _, barriers in variant.kernels:
        function = checked(driver.cuModuleGetFunction(module, name.encode()))
        static = int(
            checked(
                driver.cuFuncGetAttribute(attributes.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function)
            )
        )
        registers = int(
            checked(driver.cuFuncGetAttribute(attributes.CU_FUNC_ATTRIBUTE_NUM_REGS, function))
        )
        checked(
            driver.cuFuncSetAttribute(
                function,
                attributes.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                device.shared_bytes_per_block_optin - static,
            )
        )
        yield Kernel(
            function=function, registers=registers, static_shared=static, barriers=barriers
        )


def ask_driver(kernel: Kernel, device: DeviceSpec, draw: random.Random, count: int) -> list[Tuple]:
    """The driver's answer for so many random block sizes and dynamic sizes."""
    from cuda.bindings import driver

    answers = []
    for _ in range(count):
        block, dynamic = _question(kernel, device, draw)
        answer = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(kernel.function, block, dynamic)
        # A launch that cannot be made: some drivers answer 0, others refuse the question.
        refused = answer[0] == driver.CUresult.CUDA_ERROR_INVALID_VALUE
        blocks = 0 if refused else int(checked(answer))
        answers.append(
            Tuple(
                registers_per_thread=kernel.registers,
                static_shared_bytes=kernel.static_shared,
                dynamic_shared_bytes=dynamic,
                block_threads=block,
                barriers_per_block=kernel.barriers,
                driver_blocks_per_sm=blocks,
            )
        )
    return answers


def _question(kernel: Kernel, device: DeviceSpec, draw: random.Random) -> tuple[int, int]:
    room = device.shared_bytes_per_block_optin - kernel.static_shared
    block = draw.choice((draw.randint(1, 1024), draw.randint(1, 256), 32 * draw.randint(1, 32)))
    # Four in ten without dynamic memory, so that the other limits show; one in ten around or
    # beyond what a block may have.
    dynamic = draw.choice(
        (0, 0, 0, 0)
        + (draw.randint(1, 8 * KIB), draw.randint(1, 48 * KIB), 128 * draw.randint(1, 256))
        + (draw.randint(48 * KIB, max(48 * KIB, room)), draw.randint(1, room))
        + (draw.randint(room - 2, room + 2 * KIB),)
    )
    return block, dynamic


def geoaudit_blocks(question: Tuple, device: DeviceSpec) -> int:
    """The same question, answered by the formula."""
    return residency(
        BlockResources(
            threads=question.block_threads,
            registers_per_thread=question.registers_per_thread,
            shared_bytes=question.static_shared_bytes + question.dynamic_shared_bytes,
            barriers=question.barriers_per_block,
        ),
        device,
    ).blocks


def stratified(tuples: Sequence[Tuple], size: int, draw: random.Random) -> list[Tuple]:
    """So many different tuples, spread over the answers and the register counts."""
    strata: dict[tuple[int, int], list[Tuple]] = {}
    for one in dict.fromkeys(tuples):
        key = (one.driver_blocks_per_sm, one.registers_per_thread // 16)
        strata.setdefault(key, []).append(one)
    queues = [draw.sample(members, len(members)) for _, members in sorted(strata.items())]
    chosen: list[Tuple] = []
    while len(chosen) < size and any(queues):
        chosen += [queue.pop() for queue in queues if queue]
    return sorted(chosen[:size], key=lambda one: tuple(asdict(one).values()))


def write_csv(path: Path, tuples: Sequence[Tuple]) -> None:
    """Write the tuples, gzipped where the name ends in .gz."""
    path.parent.mkdir(parents=True, exist_ok=True)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(one) for one in tuples)


def sweep(device: DeviceSpec, tuples: int, seed: int) -> list[Tuple]:
    """At least so many answers of the driver, over all kernels evenly."""
    draw = random.Random(seed)
    compiled = variants()
    kernels = sum(len(variant.kernels) for variant in compiled)
    answers: list[Tuple] = []
    for variant in compiled:
        source = kernel_source(variant)
        cubin = compile_cubin(source, device.architecture, variant.register_cap)
        for kernel in load_kernels(cubin, variant, device):
            answers += ask_driver(kernel, device, draw, -(-tuples // kernels))
        print(
            f"{len(answers):6} tuples, {variant.live_values} live values, "
            f"register cap {variant.register_cap}",
            file=sys.stderr,
        )
    return answers


def main() -> int:
    """Sweep, compare, write; 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("occupancy.csv.gz"))
    parser.add_argument("--sample", type=Path, default=Path("occupancy_sample.csv"))
    parser.add_argument("--device", type=Path, default=Path("occupancy_device.json"))
    parser.add_argument("--tuples", type=int, default=26000)
    parser.add_argument("--sample-size", type=int, default=3600)
    parser.add_argument("--ordinal", type=int, default=0)
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args()

    device, facts = open_device(options.ordinal)
    answers = sweep(device, options.tuples, options.seed)
    sample = stratified(answers, options.sample_size, random.Random(options.seed))
    write_csv(options.output, answers)
    write_csv(options.sample, sample)
    options.device.parent.mkdir(parents=True, exist_ok=True)
    options.device.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")

    differing = [
        (one, ours)
        for one in answers
        for ours in [geoaudit_blocks(one, device)]
        if ours != one.driver_blocks_per_sm
    ]
    registers = sorted({one.registers_per_thread for one in answers})
    print(f"device: {device.name}, compute capability {device.architecture}")
    print(f"registers per thread: {len(registers)} values, {registers[0]} to {registers[-1]}")
    print(f"answers: {sorted({one.driver_blocks_per_sm for one in answers})} blocks per SM")
    print(f"tuples: {len(answers)}, different ones: {len(set(answers))}, sample: {len(sample)}")
    print(f"differences: {len(differing)}")
    for one, ours in differing[:20]:
        print(f"  {one}: geoaudit {ours}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
