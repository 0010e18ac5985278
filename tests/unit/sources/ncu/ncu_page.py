"""Small Nsight Compute CSV pages."""

import csv
import io
from collections.abc import Mapping, Sequence

COLUMNS_2020 = (
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Kernel Time",
    "Context",
    "Stream",
    "Section Name",
    "Metric Name",
    "Metric Unit",
    "Metric Value",
)
COLUMNS_2023 = (
    *COLUMNS_2020[:5],
    *COLUMNS_2020[6:8],
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
    *COLUMNS_2020[8:],
)
COLUMNS_2025 = (
    *COLUMNS_2023,
    "Rule Name",
    "Rule Type",
    "Rule Description",
    "Estimated Speedup Type",
    "Estimated Speedup",
)
IDENTITY: Mapping[str, str] = {
    "ID": "0",
    "Process ID": "685",
    "Process Name": "python",
    "Host Name": "127.0.0.1",
    "Kernel Name": "decode(float *)",
    "Context": "1",
    "Stream": "7",
    "Block Size": "(192, 1, 1)",
    "Grid Size": "(506, 1, 1)",
    "Device": "0",
    "CC": "7.0",
}
Metric = tuple[str, str, str]

# The launch of the details pages below: name, unit, value as each generation prints it.
NEW_METRICS: tuple[Metric, ...] = (
    ("Duration", "us", "12.51"),
    ("Registers Per Thread", "register/thread", "32"),
    ("Static Shared Memory Per Block", "Kbyte/block", "17.41"),
    ("Dynamic Shared Memory Per Block", "byte/block", "0"),
    ("Shared Memory Configuration Size", "Kbyte", "65.54"),
    ("# SMs", "SM", "80"),
    ("Compute (SM) Throughput", "%", "6.19"),
    ("Cluster Size", "", "0"),
)
OLD_METRICS: tuple[Metric, ...] = (
    ("Duration", "usecond", "12.51"),
    ("Registers Per Thread", "register/thread", "32"),
    ("Static Shared Memory Per Block", "byte/block", "17408"),
    ("Block Size", "", "192"),
    ("Grid Size", "", "506"),
)


def line(*cells: str) -> str:
    """One row, every cell quoted, as Nsight Compute writes it."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(cells)
    return out.getvalue()


def details(
    metrics: Sequence[Metric],
    *,
    columns: Sequence[str] = COLUMNS_2025,
    identity: Mapping[str, str] = IDENTITY,
) -> str:
    """A details page of one launch, with its header."""
    return line(*columns) + detail_rows(metrics, columns=columns, identity=identity)


def detail_rows(
    metrics: Sequence[Metric],
    *,
    columns: Sequence[str] = COLUMNS_2025,
    identity: Mapping[str, str] = IDENTITY,
) -> str:
    """The rows of one launch; like the profiler's they end after the metric's value."""
    rows = []
    for name, unit, value in metrics:
        cells = {**identity, "Metric Name": name, "Metric Unit": unit, "Metric Value": value}
        last = columns.index("Metric Value") + 1
        rows.append(line(*(cells.get(column, "") for column in columns[:last])))
    return "".join(rows)


def raw(metrics: Sequence[Metric], *, launches: int = 1, units: bool = True) -> str:
    """A raw page with the same launch several times."""
    names = [name for name in IDENTITY if name not in ("Block Size", "Grid Size")]
    text = line(*names, *(name for name, _, _ in metrics))
    if units:
        text += line(*("" for _ in names), *(unit for _, unit, _ in metrics))
    for number in range(launches):
        identity = {**IDENTITY, "ID": str(number)}
        text += line(*(identity[name] for name in names), *(value for _, _, value in metrics))
    return text


RAW_METRICS: tuple[Metric, ...] = (
    *((f"launch__grid_dim_{axis}", "", value) for axis, value in zip("xyz", "642", strict=True)),
    ("launch__block_dim_x", "block", "1,024"),
    ("launch__block_dim_y", "block", "1"),
    ("launch__block_dim_z", "block", "1"),
    ("launch__cluster_dim_x", "", "2"),
    ("launch__cluster_dim_y", "", "1"),
    ("launch__cluster_dim_z", "", "1"),
    ("launch__cluster_max_active", "cluster", "66"),
    ("launch__registers_per_thread", "register/thread", "64"),
    ("launch__shared_mem_per_block_static", "byte/block", "1,024"),
    ("launch__shared_mem_per_block_dynamic", "byte/block", "163,840"),
    ("launch__shared_mem_config_size", "byte", "167,936"),
    ("launch__barrier_count", "", "3"),
    ("launch__sm_count", "SM", "132"),
    ("device__attribute_display_name", "", "NVIDIA H200"),
    ("device__attribute_multiprocessor_count", "", "132"),
    ("gpu__time_duration.sum", "ns", "131,040"),
    ("dram__bytes.sum", "byte", "515,012,864"),
    ("sm__cycles_active.avg", "cycle", "1,000"),
    ("sm__cycles_elapsed.max", "cycle", "4,000"),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "61.80"),
)
