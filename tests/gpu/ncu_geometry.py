"""Compare waves, limits and theoretical occupancy with what Nsight Compute prints.

    ncu --csv --page raw --clock-control none --set none --section LaunchStats \
        --section Occupancy python tests/gpu/ncu_geometry.py launch > ncu.csv
    PYTHONPATH=. python tests/gpu/ncu_geometry.py compare ncu.csv

``launch`` needs CuPy and a GPU of compute capability 9.0 or newer; ``compare`` needs neither.
How Nsight Compute counts, where it is not plainly CUDA's occupancy:

* Waves are grid blocks / (SMs x resident blocks per SM), also for clustered grids, whose real
  bound is ``launch__cluster_max_active``: 120 blocks in clusters of 4 that fit 248 at a time are
  0.121 waves of clusters, and Nsight Compute prints 0.11. Compared here without the cluster.
* ``launch__occupancy_limit_shared_mem`` counts with the carve-out the launch ran with
  (``launch__shared_mem_config_size``), not with the largest one the SM can have.
* A barrier limit beyond the block slots is printed as the block slots (32). Limits are therefore
  compared up to the block slots, beyond which none of them has any effect.
* Figures come rounded to two decimals, with thousands separators.
"""

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from geoaudit.devices.spec import DeviceSpec
from geoaudit.geometry.launch import launch_geometry
from geoaudit.geometry.occupancy import BlockLimits, BlockResources, block_limits
from geoaudit.geometry.shape import Dim3, LaunchShape

# Half a unit of the last digit printed, and a little for the binary fractions.
ROUNDING = 0.0051


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One figure of one launch.

    Attributes:
        kernel: its name.
        figure: Nsight Compute's name of the figure.
        ncu: what Nsight Compute printed.
        geoaudit: what the formula gives.
    """

    kernel: str
    figure: str
    ncu: float
    geoaudit: float

    @property
    def agrees(self) -> bool:
        """Whether both are the same up to the rounding of the print."""
        return abs(self.ncu - self.geoaudit) <= ROUNDING


def read_raw_page(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The launches of a raw page; lines before the header and the row of units are left out."""
    table = (line for line in lines if line.startswith('"'))
    rows = csv.DictReader(table)
    return (row for row in rows if row["ID"])


def compare(row: dict[str, str]) -> list[Comparison]:
    """All figures of one launch that can be compared."""
    device, shape = device_of(row), shape_of(row)
    geometry = launch_geometry(replace(shape, cluster=None), device)
    slots = device.max_blocks_per_sm
    limits = _limits(shape, device)
    pairs: list[tuple[str, float | None]] = [
        ("launch__waves_per_multiprocessor", geometry.waves),
        ("sm__maximum_warps_per_active_cycle_pct", (geometry.theoretical_occupancy or 0.0) * 100),
        ("launch__occupancy_limit_warps", limits.warps),
        ("launch__occupancy_limit_blocks", limits.blocks),
        ("launch__occupancy_limit_registers", limits.registers),
        ("launch__occupancy_limit_shared_mem", limits.shared_memory),
        ("launch__occupancy_limit_barriers", limits.barriers),
    ]
    return [
        Comparison(
            kernel=row["Kernel Name"],
            figure=figure,
            ncu=_capped(figure, number(row[figure]), slots),
            geoaudit=_capped(figure, slots if ours is None else ours, slots),
        )
        for figure, ours in pairs
        if row.get(figure)
    ]


def _limits(shape: LaunchShape, device: DeviceSpec) -> BlockLimits:
    return block_limits(
        BlockResources(
            threads=(shape.block or (0, 1, 1))[0],
            registers_per_thread=shape.registers_per_thread or 0,
            shared_bytes=(shape.static_shared_bytes or 0) + (shape.dynamic_shared_bytes or 0),
            barriers=shape.barriers_per_block,
        ),
        device,
        shared_bytes_per_sm=shape.shared_config_bytes,
    )


def _capped(figure: str, value: float, slots: int) -> float:
    return min(value, slots) if "_limit_" in figure else value


def shape_of(row: dict[str, str]) -> LaunchShape:
    """The launch; the block flattened to one dimension, which no figure here depends on."""
    return LaunchShape(
        grid=_dimensions(row, "launch__grid_dim"),
        block=(_integer(row, "launch__block_size"), 1, 1),
        cluster=_dimensions(row, "launch__cluster_dim"),
        registers_per_thread=_integer(row, "launch__registers_per_thread"),
        static_shared_bytes=_integer(row, "launch__shared_mem_per_block_static"),
        dynamic_shared_bytes=_integer(row, "launch__shared_mem_per_block_dynamic"),
        shared_config_bytes=_integer(row, "launch__shared_mem_config_size"),
        max_active_clusters=_integer(row, "launch__cluster_max_active"),
        barriers_per_block=_integer(row, "launch__barrier_count"),
    )


def device_of(row: dict[str, str]) -> DeviceSpec:
    """The device, as the row's own attributes describe it."""

    def attribute(name: str) -> int:
        return _integer(row, f"device__attribute_{name}")

    major = attribute("compute_capability_major")
    return DeviceSpec(
        name=row["device__attribute_display_name"],
        vendor="nvidia",
        architecture=f"{major}.{attribute('compute_capability_minor')}",
        sm_count=attribute("multiprocessor_count"),
        sm_count_source="Nsight Compute",
        usable_sm_count=_integer(row, "launch__sm_count"),
        threads_per_warp=attribute("warp_size"),
        max_threads_per_block=attribute("max_threads_per_block"),
        max_threads_per_sm=attribute("max_threads_per_multiprocessor"),
        max_warps_per_sm=attribute("max_warps_per_multiprocessor"),
        max_blocks_per_sm=attribute("max_blocks_per_multiprocessor"),
        registers_per_sm=attribute("max_registers_per_multiprocessor"),
        registers_per_block=attribute("max_registers_per_block"),
        max_registers_per_thread=attribute("max_registers_per_thread"),
        register_allocation_unit=256,
        warp_allocation_granularity=attribute("num_schedulers_per_multiprocessor"),
        shared_bytes_per_sm=attribute("max_shared_memory_per_multiprocessor"),
        shared_bytes_per_block=attribute("max_shared_memory_per_block"),
        shared_bytes_per_block_optin=attribute("max_shared_memory_per_block_optin"),
        shared_bytes_reserved_per_block=attribute("reserved_shared_memory_per_block"),
        shared_allocation_unit_bytes=256 if major == 7 else 128,
    )


def number(text: str) -> float:
    """A number as Nsight Compute prints it, with thousands separators."""
    return float(text.replace(",", ""))


def _integer(row: dict[str, str], name: str) -> int:
    return int(number(row[name]))


def _dimensions(row: dict[str, str], prefix: str) -> Dim3:
    # A launch without clusters has clusters of 0 x 0 x 0 there.
    x, y, z = (max(1, _integer(row, f"{prefix}_{axis}")) for axis in "xyz")
    return x, y, z


SOURCE = r"""
extern "C" __global__ void light(float* out) { out[0] = 1.0f; }

extern "C" __global__ void heavy(float* out, int rounds) {
    float value[160];
    #pragma unroll
    for (int i = 0; i < 160; ++i) value[i] = out[threadIdx.x + i];
    #pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        #pragma unroll
        for (int i = 0; i < 160; ++i)
            value[i] = fmaf(value[i], out[round], value[(i + 1) % 160]);
    }
    #pragma unroll
    for (int i = 0; i < 160; ++i) out[threadIdx.x + i] = value[i];
}

extern "C" __global__ void static_shared(float* out) {
    __shared__ float buffer[10000];
    buffer[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void dynamic_shared(float* out) {
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void seven_barriers(float* out) {
    asm volatile("bar.sync 6;" ::: "memory");
    out[threadIdx.x] = 1.0f;
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) clustered(float* out) { out[0] = 1.0f; }
"""
# Kernel, grid, block, dynamic shared memory in bytes.
LAUNCHES: tuple[tuple[str, Dim3, Dim3, int], ...] = (
    ("light", (1, 1, 1), (128, 1, 1), 0),
    ("light", (12, 1, 1), (100, 1, 1), 0),
    ("light", (4225, 1, 1), (32, 1, 1), 0),
    ("light", (1057, 1, 1), (256, 1, 1), 0),
    ("light", (33, 2, 2), (16, 16, 4), 0),
    ("heavy", (264, 1, 1), (128, 1, 1), 0),
    ("heavy", (200, 1, 1), (100, 1, 1), 0),
    ("static_shared", (1280, 1, 1), (128, 1, 1), 0),
    ("dynamic_shared", (300, 1, 1), (192, 1, 1), 40_000),
    ("dynamic_shared", (132, 1, 1), (512, 1, 1), 227 * 1024),
    ("dynamic_shared", (500, 1, 1), (64, 1, 1), 1000),
    ("seven_barriers", (2000, 1, 1), (64, 1, 1), 0),
    ("clustered", (120, 1, 1), (256, 1, 1), 0),
)


def launch() -> None:
    """Launch each kernel of ``LAUNCHES`` once."""
    import cupy

    module = cupy.RawModule(code=SOURCE)
    out = cupy.zeros(1 << 16, dtype=cupy.float32)
    for name, grid, block, dynamic in LAUNCHES:
        kernel = module.get_function(name)
        if dynamic > 48 * 1024:
            kernel.max_dynamic_shared_size_bytes = dynamic
        arguments = (out, cupy.int32(1)) if name == "heavy" else (out,)
        kernel(grid, block, arguments, shared_mem=dynamic)
    cupy.cuda.runtime.deviceSynchronize()


def main() -> int:
    """Launch, or compare; 1 where a figure differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("launch", help="launch kernels of various geometry, to be run under ncu")
    commands.add_parser("compare", help="compare a raw page").add_argument("file", type=Path)
    options = parser.parse_args()
    if options.command == "launch":
        launch()
        return 0
    with options.file.open(encoding="utf-8") as lines:
        comparisons = [one for row in read_raw_page(lines) for one in compare(row)]
    differing = [one for one in comparisons if not one.agrees]
    print(f"figures compared: {len(comparisons)}, differences: {len(differing)}")
    for one in differing:
        print(f"  {one.kernel}: {one.figure}: ncu {one.ncu}, geoaudit {one.geoaudit}")
    return 1 if differing or not comparisons else 0


if __name__ == "__main__":
    sys.exit(main())
