"""Nsight Compute CSV (``ncu --csv``, details or raw page) as a launches table."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pandas as pd

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.plausible import at_least, checked_geometry, integer_array, kernel_names
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.table import build_launches
from geoaudit.sources.delimited import Table, read_text, skipped_warnings, tables_in
from geoaudit.sources.ncu import pages
from geoaudit.sources.ncu.counted import checked_counters
from geoaudit.sources.ncu.metrics import dimensions
from geoaudit.sources.ncu.pages import Launch, is_header, launches_of
from geoaudit.sources.registry import ReadOptions, Source

EXPORT_ADVICE = "`ncu --import FILE --page raw --csv`"
SERIALISED = (
    "Nsight Compute runs kernels one at a time, with caches flushed and clocks held by default: "
    "durations are not those of the running program, and gaps and overlap cannot be told"
)
_INTEGER_METRICS = {
    s.REGISTERS_PER_THREAD: ("launch__registers_per_thread", 0),
    s.STATIC_SHARED_BYTES: ("launch__shared_mem_per_block_static", 0),
    s.DYNAMIC_SHARED_BYTES: ("launch__shared_mem_per_block_dynamic", 0),
    s.SHARED_CONFIG_BYTES: ("launch__shared_mem_config_size", 1),
    s.MAX_ACTIVE_CLUSTERS: ("launch__cluster_max_active", 1),
    s.BARRIERS_PER_BLOCK: ("launch__barrier_count", 0),
    s.DURATION_NS: ("gpu__time_duration.sum", 0),
}


def recognises_ncu_csv(path: Path, head: bytes) -> bool:
    """Whether the text holds the header of an Nsight Compute page."""
    text = head.decode("utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    return any(is_header(line) for line in text.split("\n"))


def read_ncu_csv(path: Path, options: ReadOptions) -> Recording:
    """The recording of a page: launches in the order of their IDs, without start times.

    Raises:
        InputError: a per-kernel summary, or a cut file without ``allow_partial``.
        NotMeasuredError: no launches, or none with a grid and block.
    """
    text, cut = read_text(path, allow_partial=options.allow_partial)
    tables = list(
        tables_in(
            text, is_header=is_header, is_record=pages.RECORD_START, progress=options.progress
        )
    )
    _require_launch_pages(tables, path)
    cut = cut or any(table.cut for table in tables)
    if cut and not options.allow_partial:
        raise InputError(
            f"{path}: the file ends within a row. Export it again, or read what is complete with "
            "--allow-partial."
        )
    launches = [launch for table in tables for launch in launches_of(table)]
    if not launches:
        raise NotMeasuredError(f"{path}: an Nsight Compute page without a single launch.")
    return _recording(launches, tables, path, partial=cut)


def _require_launch_pages(tables: Sequence[Table], path: Path) -> None:
    if not tables:
        raise InputError(f"{path}: no header of an Nsight Compute page. Use {EXPORT_ADVICE}.")
    if any("Invocations" in table.header for table in tables):
        raise InputError(
            f"{path}: an Nsight Compute summary per kernel (--print-summary), which has no single "
            f"launches. Use {EXPORT_ADVICE} without --print-summary."
        )


def _recording(
    launches: Sequence[Launch], tables: Sequence[Table], path: Path, *, partial: bool
) -> Recording:
    table, warnings = _table(launches, path)
    if table[s.GRID_X].isna().all():
        raise NotMeasuredError(
            f"{path}: none of the {len(launches):,} launches has a grid and block. Record with "
            "`ncu --section LaunchStats` and export the details or raw page."
        )
    devices, device_warnings = _devices(launches)
    return Recording(
        launches=table,
        path=path,
        metadata=Metadata(
            instrument="ncu",
            source_format="ncu-details" if pages.is_details(tables[0]) else "ncu-raw",
            source_name=path.name,
            devices=devices,
            untimed=int(table[s.DURATION_NS].isna().sum()),
            partial=partial,
            warnings=(
                SERIALISED,
                *warnings,
                *device_warnings,
                *_rounding_warnings(launches),
                *skipped_warnings(tables),
            ),
        ),
    )


def _table(launches: Sequence[Launch], path: Path) -> tuple[pd.DataFrame, list[str]]:
    geometry, warnings = _geometry(launches)
    counters, strange = checked_counters(launches, path)
    numbers = {
        column: at_least(_integers(launches, metric), minimum)
        for column, (metric, minimum) in _INTEGER_METRICS.items()
    }
    kinds = pd.Series([s.KIND_KERNEL] * len(launches))
    columns = {
        **kernel_names(pd.Series([one.kernel for one in launches], dtype=object), kinds),
        **numbers,
        **geometry,
        s.SHARED_BYTES: numbers[s.STATIC_SHARED_BYTES] + numbers[s.DYNAMIC_SHARED_BYTES],
        s.KIND: kinds,
        s.DEVICE: [_identifier(one, "Device") or 0 for one in launches],
        s.PROCESS: integer_array([_identifier(one, "Process ID") for one in launches]),
        s.CONTEXT: integer_array([_identifier(one, "Context") for one in launches]),
        s.STREAM: integer_array([_identifier(one, "Stream") for one in launches]),
        **counters,
    }
    return build_launches(columns), [*warnings, *strange]


def _rounding_warnings(launches: Sequence[Launch]) -> list[str]:
    rounded = sum(bool(one.rounded) for one in launches)
    if not rounded:
        return []
    return [
        f"{rounded:,} launches have shared memory printed in rounded units, read as the nearest "
        "multiple of 16 bytes: export with --print-units base for exact sizes"
    ]


def _geometry(launches: Sequence[Launch]) -> tuple[dict[str, pd.Series], list[str]]:
    grids = [_size(one, "grid", "Grid Size") for one in launches]
    blocks = [_size(one, "block", "Block Size") for one in launches]
    clusters = [_cluster(one) for one in launches]
    columns: dict[str, pd.Series] = {}
    for names, sizes in ((s.GRID, grids), (s.BLOCK, blocks), (s.CLUSTER, clusters)):
        for axis, name in enumerate(names):
            columns[name] = integer_array([size[axis] if size else None for size in sizes])
    checked, warnings = checked_geometry(columns)
    flat = sum(_is_total_only(one) for one in launches)
    if flat:
        warnings.append(
            f"{flat:,} launches have their grid, block or cluster printed as a total only: it "
            "stands in x"
        )
    return checked, warnings


def _size(launch: Launch, part: str, column: str) -> tuple[int, int, int] | None:
    by_axis = [launch.metrics.get(f"launch__{part}_dim_{axis}") for axis in "xyz"]
    if all(value is not None for value in by_axis):
        x, y, z = (int(value) for value in by_axis if value is not None)
        return x, y, z
    printed = dimensions(launch.identity.get(column, ""))
    if printed is not None:
        return printed
    total = launch.metrics.get(f"launch__{part}_size")
    return None if total is None else (int(total), 1, 1)


def _cluster(launch: Launch) -> tuple[int, int, int] | None:
    size = _size(launch, "cluster", "Cluster Size")
    return (0, 0, 0) if size == (0, 1, 1) else size


def _is_total_only(launch: Launch) -> bool:
    """Whether a size of more than one axis could hide behind the printed total."""
    has_axes = "launch__grid_dim_x" in launch.metrics or "Grid Size" in launch.identity
    if not has_axes and "launch__grid_size" in launch.metrics:
        return True
    if "launch__cluster_dim_x" in launch.metrics:
        return False
    if launch.metrics.get("launch__cluster_size", Fraction(0)) <= 1:
        return False
    grid = _size(launch, "grid", "Grid Size")
    return grid is not None and grid[1:] != (1, 1)


def _devices(launches: Sequence[Launch]) -> tuple[tuple[RecordedDevice, ...], list[str]]:
    by_index: dict[int, list[Launch]] = {}
    for one in launches:
        by_index.setdefault(_identifier(one, "Device") or 0, []).append(one)
    devices, warnings = [], []
    for index, own in sorted(by_index.items()):
        devices.append(_device(index, own))
        whole = _most_common(own, "device__attribute_multiprocessor_count")
        used = devices[-1].sm_count
        if whole is not None and used is not None and whole != used:
            warnings.append(
                f"device {index}: the GPU has {whole} SMs, the launches could use {used}: "
                f"{used} is used"
            )
    return tuple(devices), warnings


def _device(index: int, launches: Sequence[Launch]) -> RecordedDevice:
    names = [one.identity.get("device__attribute_display_name") for one in launches]
    sm_count, source = _most_common(launches, "launch__sm_count"), "launch__sm_count"
    if sm_count is None:
        source = "device__attribute_multiprocessor_count"
        sm_count = _most_common(launches, source)

    def attribute(name: str) -> int | None:
        return _most_common(launches, f"device__attribute_{name}")

    return RecordedDevice(
        index=index,
        name=next((name for name in names if name), None),
        architecture=next((cc for one in launches if (cc := one.identity.get("CC"))), None),
        sm_count=sm_count,
        sm_count_source=None if sm_count is None else source,
        threads_per_warp=attribute("warp_size"),
        max_threads_per_sm=attribute("max_threads_per_multiprocessor"),
        max_blocks_per_sm=attribute("max_blocks_per_multiprocessor"),
        registers_per_sm=attribute("max_registers_per_multiprocessor"),
        shared_bytes_per_sm=attribute("max_shared_memory_per_multiprocessor"),
        shared_bytes_per_block_optin=attribute("max_shared_memory_per_block_optin"),
    )


def _most_common(launches: Sequence[Launch], metric: str) -> int | None:
    values = Counter(int(v) for one in launches if (v := one.metrics.get(metric)) and v >= 1)
    return values.most_common(1)[0][0] if values else None


def _identifier(launch: Launch, column: str) -> int | None:
    text = launch.identity.get(column, "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _integers(launches: Sequence[Launch], metric: str) -> pd.Series:
    values = [one.metrics.get(metric) for one in launches]
    return integer_array([None if value is None else round(value) for value in values])


SOURCE = Source(
    name="ncu",
    description="Nsight Compute CSV, details or raw page (ncu --csv)",
    recognises=recognises_ncu_csv,
    read=read_ncu_csv,
)
