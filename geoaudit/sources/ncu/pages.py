"""Nsight Compute's two CSV pages, brought to one form: a launch and its raw metrics.

The details page has a row per metric, the raw page a row per launch and, under its header, a
row of units.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from geoaudit.sources.delimited import Table, fields, number
from geoaudit.sources.ncu import metrics

WANTED = frozenset(
    {
        *metrics.RAW_NAMES.values(),
        *(f"launch__{part}_dim_{axis}" for part in ("grid", "block", "cluster") for axis in "xyz"),
        "launch__barrier_count",
        *metrics.COUNTERS,
        "device__attribute_multiprocessor_count",
        "device__attribute_max_threads_per_multiprocessor",
        "device__attribute_max_blocks_per_multiprocessor",
        "device__attribute_max_registers_per_multiprocessor",
        "device__attribute_max_shared_memory_per_multiprocessor",
        "device__attribute_max_shared_memory_per_block_optin",
        "device__attribute_warp_size",
    }
)
"""Metrics the audit uses; no other cell of a page is kept."""

RECORD_START = re.compile(r'\s*"?(\d+)?"?\s*,')


@dataclass(kw_only=True)
class Launch:
    """One launch as a page describes it.

    Attributes:
        kernel: name as printed.
        identity: texts of the identifying columns (Process ID, Context, Stream, Device, CC,
            Block Size, Grid Size, device name), where the page has them.
        metrics: raw metric name -> value in base units (ns, bytes, counts).
        rounded: names of metrics that were printed with fewer digits than they have.
        no_numbers: names of counters whose cell holds something else -> what it holds.
    """

    kernel: str
    identity: dict[str, str]
    metrics: dict[str, Fraction] = field(default_factory=dict)
    rounded: set[str] = field(default_factory=set)
    no_numbers: dict[str, str] = field(default_factory=dict)


_IDENTITY = ("Process ID", "Context", "Stream", "Device", "CC", "Block Size", "Grid Size")
_DEVICE_NAME = "device__attribute_display_name"


def is_header(line: str) -> bool:
    """Whether a line is the header of an Nsight Compute CSV page."""
    start = line.lstrip("\ufeff \t")
    if not start.startswith(('"ID"', "ID,")):
        return False
    return "Kernel Name" in fields(start)


def is_details(table: Table) -> bool:
    """Whether a page has a row per metric."""
    return "Metric Name" in table.header


def launches_of(table: Table) -> list[Launch]:
    """The launches of a page in the order of their first row."""
    comma = metrics.has_decimal_comma(_number_cells(table))
    if is_details(table):
        return list(_details(table, decimal_comma=comma).values())
    return list(_raw(table, decimal_comma=comma))


def _details(table: Table, *, decimal_comma: bool) -> dict[tuple[str, str], Launch]:
    launches: dict[tuple[str, str], Launch] = {}
    for record in table.records:
        key = (table.at(record, "Process ID"), table.at(record, "ID"))
        if not key[1].isdigit() or not table.at(record, "Kernel Name"):
            continue
        launch = launches.setdefault(key, _identified(table, record))
        label = table.at(record, "Metric Name")
        name = metrics.RAW_NAMES.get(label, label)
        cell, unit = table.at(record, "Metric Value"), table.at(record, "Metric Unit")
        _note(launch, name, cell, unit, decimal_comma=decimal_comma)
    return launches


def _raw(table: Table, *, decimal_comma: bool) -> Iterator[Launch]:
    wanted = [(index, name) for index, name in enumerate(table.header) if name in WANTED]
    units: tuple[str, ...] = ()
    for record in table.records:
        if not record[0].strip():
            units = record
        elif record[0].isdigit() and table.at(record, "Kernel Name"):
            launch = _identified(table, record)
            for index, name in wanted:
                unit = units[index] if index < len(units) else ""
                cell = record[index] if index < len(record) else ""
                _note(launch, name, cell, unit, decimal_comma=decimal_comma)
            yield launch


def _identified(table: Table, record: tuple[str, ...]) -> Launch:
    columns = (*_IDENTITY, _DEVICE_NAME)
    identity = {name: text for name in columns if (text := table.at(record, name))}
    return Launch(kernel=table.at(record, "Kernel Name"), identity=identity)


def _note(launch: Launch, name: str, cell: str, unit: str, *, decimal_comma: bool) -> None:
    if name not in WANTED or name in launch.metrics:
        return
    value = number(cell, decimal_comma=decimal_comma)
    base = None if value is None else metrics.scaled(value, unit)
    if value is None or base is None:
        if name in metrics.COUNTERS and cell.strip():
            launch.no_numbers[name] = f"{cell.strip()} {unit}".strip()
        return
    alignment = metrics.ALIGNMENT_BYTES.get(name)
    if alignment is not None and metrics.is_rounded(cell, unit):
        # Two decimals are printed: half a unit of the last digit may be missing.
        factor = base / value if value else Fraction(1)
        base = Fraction(metrics.nearest_aligned(base, factor / 200, alignment))
        launch.rounded.add(name)
    launch.metrics[name] = base


def _number_cells(table: Table) -> Iterable[str]:
    if is_details(table):
        return (table.at(record, "Metric Value") for record in table.records)
    return (cell for record in table.records for cell in record[len(_IDENTITY) + 4 :])
