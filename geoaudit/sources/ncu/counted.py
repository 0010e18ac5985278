"""What Nsight Compute counted of launches, checked: what cannot be is no counter, and is told."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from geoaudit.errors import InputError
from geoaudit.launches import schema as s
from geoaudit.sources.ncu.metrics import COUNTERS
from geoaudit.sources.ncu.pages import Launch

_DRAM, *_DRAM_WAYS = COUNTERS[:3]
_ACTIVE, _ELAPSED, _ELAPSED_SUM, _THROUGHPUT = COUNTERS[3:]
_ROUNDING = 1.05
"""Cycles are counted in several passes, and a share of them may come to a little over 1."""
_MOST_DRAM_BYTES_PER_NS = 100_000
"""100 TB/s, ten times what the fastest memory moves."""
_MOST_DRAM_BYTES = 10**15
_SHOWN = 60

Figure = float | None


@dataclass(frozen=True, kw_only=True)
class _Fault:
    """A cell that holds no counter: the column, the kernel, and what is wrong with it."""

    column: str
    kernel: str
    what: str


def checked_counters(
    launches: Sequence[Launch], path: Path
) -> tuple[dict[str, list[float]], tuple[str, ...]]:
    """The columns of `schema.COUNTERS`, NaN where unknown, and a warning for each bad column.

    Raises:
        InputError: a share over 100 %, by more than counting in passes explains.
    """
    columns: dict[str, list[float]] = {name: [] for name in s.COUNTERS}
    faults: list[_Fault] = []
    figures: dict[str, Callable[[Launch], Figure]] = {
        s.DRAM_BYTES: _dram_bytes,
        s.SM_ACTIVE_FRACTION: lambda one: _share(
            one, _active(one), f"{_ACTIVE} / {_ELAPSED}", path
        ),
        s.SM_THROUGHPUT_FRACTION: lambda one: _share(one, _throughput(one), _THROUGHPUT, path),
    }
    for launch in launches:
        own = list(_faults(launch))
        for fault in own:
            launch.metrics.pop(fault.column, None)
        faults += own
        for name, figure in figures.items():
            value = figure(launch)
            columns[name].append(float("nan") if value is None else value)
    return columns, tuple(_warnings(faults))


def _faults(launch: Launch) -> Iterator[_Fault]:
    for column, cell in launch.no_numbers.items():
        yield _Fault(column=column, kernel=launch.kernel, what=f"{cell[:_SHOWN]!r} is no number")
    duration_ns = launch.metrics.get("gpu__time_duration.sum")
    most = _MOST_DRAM_BYTES
    if duration_ns is not None and duration_ns > 0:
        most = min(most, int(duration_ns * _MOST_DRAM_BYTES_PER_NS))
    for column in COUNTERS:
        value = launch.metrics.get(column)
        if value is None:
            continue
        what = f"{float(value):.4g}"
        if value < 0:
            yield _Fault(column=column, kernel=launch.kernel, what=f"{what} is below 0")
        elif column in (_ELAPSED, _ELAPSED_SUM) and value == 0:
            yield _Fault(column=column, kernel=launch.kernel, what="no cycle elapsed")
        elif column in (_DRAM, *_DRAM_WAYS) and value > most:
            yield _Fault(
                column=column,
                kernel=launch.kernel,
                what=f"no memory moves {what} bytes in its time",
            )


def _warnings(faults: Sequence[_Fault]) -> Iterator[str]:
    """One for each column, with the first kernel that shows it."""
    for column in dict.fromkeys(fault.column for fault in faults):
        own = [fault for fault in faults if fault.column == column]
        more = f", and of {len(own) - 1:,} more launches" if len(own) > 1 else ""
        yield f"{column} of {own[0].kernel}: {own[0].what}{more}: taken as not counted"


def _dram_bytes(launch: Launch) -> Figure:
    total = launch.metrics.get(_DRAM)
    parts = [launch.metrics.get(way) for way in _DRAM_WAYS]
    if total is None and all(part is not None for part in parts):
        total = sum((part for part in parts if part is not None), Fraction(0))
    return None if total is None else float(total)


def _active(launch: Launch) -> Fraction | None:
    """Active over elapsed SM cycles."""
    active, elapsed = launch.metrics.get(_ACTIVE), launch.metrics.get(_ELAPSED)
    if elapsed is None:
        total, sms = launch.metrics.get(_ELAPSED_SUM), launch.metrics.get("launch__sm_count")
        elapsed = total / sms if total is not None and sms else None
    return active / elapsed if active is not None and elapsed else None


def _throughput(launch: Launch) -> Fraction | None:
    percent = launch.metrics.get(_THROUGHPUT)
    return None if percent is None else percent / 100


def _share(launch: Launch, value: Fraction | None, column: str, path: Path) -> Figure:
    """A share of 0 to 1.

    Raises:
        InputError: it is more than 1.
    """
    if value is None:
        return None
    if value > _ROUNDING:
        raise InputError(
            f"{path}: {column} of {launch.kernel[:_SHOWN]} is {float(100 * value):.4g} %, and no "
            "more than 100 % can be. See whether the columns are what their headings say, and "
            "export the page again."
        )
    return min(1.0, float(value))
