"""Names, units and number formats of Nsight Compute's CSV pages."""

import re
from collections.abc import Iterable
from fractions import Fraction

# Labels of the details page, by the name of the same metric on the raw page (Nsight Compute
# documentation, section files LaunchStatistics, Occupancy, SpeedOfLight).
RAW_NAMES = {
    "Duration": "gpu__time_duration.sum",
    "Registers Per Thread": "launch__registers_per_thread",
    "Static Shared Memory Per Block": "launch__shared_mem_per_block_static",
    "Dynamic Shared Memory Per Block": "launch__shared_mem_per_block_dynamic",
    "Driver Shared Memory Per Block": "launch__shared_mem_per_block_driver",
    "Shared Memory Configuration Size": "launch__shared_mem_config_size",
    "# SMs": "launch__sm_count",
    "Cluster Size": "launch__cluster_size",
    "Max Active Clusters": "launch__cluster_max_active",
    "Grid Size": "launch__grid_size",
    "Block Size": "launch__block_size",
    "Average SM Active Cycles": "sm__cycles_active.avg",
    "Total SM Elapsed Cycles": "sm__cycles_elapsed.sum",
    "Compute (SM) Throughput": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
}

COUNTERS = (
    "dram__bytes.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "sm__cycles_active.avg",
    "sm__cycles_elapsed.max",
    "sm__cycles_elapsed.sum",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
)

_NANOSECONDS = {
    "nsecond": 1,
    "ns": 1,
    "usecond": 10**3,
    "us": 10**3,
    "msecond": 10**6,
    "ms": 10**6,
    "second": 10**9,
    "s": 10**9,
}
# Nsight Compute scales bytes by powers of 1000, not 1024.
_BYTES = {"byte": 1, "kbyte": 10**3, "mbyte": 10**6, "gbyte": 10**9, "tbyte": 10**12}
# Compilers and libraries align a block's shared memory to 16 bytes; the carve-out of an SM is
# whole KiB (CUDA programming guide, shared memory of each compute capability).
ALIGNMENT_BYTES = {
    "launch__shared_mem_per_block_static": 16,
    "launch__shared_mem_per_block_dynamic": 16,
    "launch__shared_mem_per_block_driver": 16,
    "launch__shared_mem_config_size": 1024,
}

_NUMBER = re.compile(r"[-+]?\d[\d.,\s\u00a0\u202f']*")
_DECIMAL_COMMA = re.compile(r",(?:\d{1,2}|\d{4,})$")
_DECIMAL_POINT = re.compile(r"\.(?:\d{1,2}|\d{4,})$")
_TUPLE = re.compile(r"\(?\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)?")
# With thousands separators the spaces alone part the dimensions.
_GROUPED_TUPLE = re.compile(r"\(?\s*(\d[\d.,]*)\s*,\s+(\d[\d.,]*)\s*,\s+(\d[\d.,]*)\s*\)?")


def has_decimal_comma(cells: Iterable[str]) -> bool:
    """Whether these numbers are printed with a comma before the decimals.

    ``1,024`` alone does not tell; a comma that is not followed by a group of three does, and a
    point that is not speaks against it.
    """
    numbers = [cell for cell in cells if _NUMBER.fullmatch(cell)]
    if any(_DECIMAL_POINT.search(cell) for cell in numbers):
        return False
    return any(_DECIMAL_COMMA.search(cell) for cell in numbers)


def scaled(value: Fraction, unit: str) -> Fraction | None:
    """A time in ns, a size in bytes, a count as it is; None for a unit that is not known."""
    name = unit.partition("/")[0].strip().lower()
    if name in _NANOSECONDS:
        return value * _NANOSECONDS[name]
    if name in _BYTES:
        return value * _BYTES[name]
    return value if "byte" not in name and "second" not in name else None


def is_rounded(cell: str, unit: str) -> bool:
    """Whether a size is printed in thousands of bytes or more, and so may have lost digits."""
    name = unit.partition("/")[0].strip().lower()
    return name in _BYTES and _BYTES[name] > 1 and any(mark in cell for mark in ".,")


def nearest_aligned(value: Fraction, tolerance: Fraction, alignment: int) -> int:
    """A size in bytes that was printed rounded: the aligned size within the rounding, if any.

    17.41 Kbyte, aligned to 16, is 17,408 bytes.
    """
    aligned = round(value / alignment) * alignment
    return aligned if abs(aligned - value) <= tolerance else round(value)


def dimensions(cell: str) -> tuple[int, int, int] | None:
    """Three dimensions written as ``(384, 1, 1)`` or ``384, 1, 1``; None for anything else."""
    text = cell.strip()[:100]
    match = _TUPLE.fullmatch(text) or _GROUPED_TUPLE.fullmatch(text)
    if match is None:
        return None
    x, y, z = (int(re.sub(r"\D", "", part)) for part in match.groups())
    return x, y, z
