"""Grid and block of each launch, in blocks and threads, wherever a trace hides them."""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geoaudit.launches import schema as s
from geoaudit.launches.plausible import impossible_geometry
from geoaudit.sources.kineto.activities import BLOCK_FIELDS, GRID_FIELDS, MISSING, Integers

Flags = npt.NDArray[np.bool_]

# Launches of HIP that take the grid in work-items; all others take it in blocks.
# Source: hip_ext.h ("globalWorkSizeX: specified in work-items") against hip_runtime_api.h.
_WORK_ITEM_LAUNCH = re.compile(r"hip(?:Ext|Hcc)ModuleLaunchKernel\w*")
_GRAPH_LAUNCH = re.compile(r"\w*GraphLaunch\w*")
_LAUNCH = re.compile(r"(?:cuda|cu|hip)\w*Launch(?!HostFunc)\w*")


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """Geometry of the GPU's records, MISSING where unknown.

    Attributes:
        grid, block: shape (n, 3), blocks and threads.
        shared_bytes: static and dynamic together, as a CUDA kernel record has it.
        dynamic_shared_bytes: as a HIP launch asked for it.
        ambiguous: kernels whose grid may be in blocks or in work-items, left unknown.
        uneven: kernels whose work-items are no multiple of the block, rounded up.
        impossible: kernels with a grid or block that no launch can have, left unknown.
    """

    grid: Integers
    block: Integers
    shared_bytes: Integers
    dynamic_shared_bytes: Integers
    ambiguous: int
    uneven: int
    impossible: int


@dataclass(frozen=True, kw_only=True)
class LaunchCalls:
    """The API call behind each GPU record.

    Attributes:
        columns: the calls' columns, in order of correlation id, one call per id.
        of_record: row in columns of each GPU record's call, -1: none recorded.
        names: names of the calls by code.
        launch_count: calls that launch a kernel or a graph, those without an id too.
    """

    columns: dict[str, Integers]
    of_record: Integers
    names: list[str]
    launch_count: int

    def of_records(self, field: str) -> Integers:
        """A column of the calls, one value per GPU record, MISSING where no call is recorded."""
        column = np.append(self.columns[field], MISSING)
        return column[self.of_record]

    def named(self, pattern: re.Pattern[str]) -> Flags:
        """Whether the call behind each GPU record has a name of this pattern, as a whole."""
        names = self.of_records("name")
        return _named(self.names, pattern)[np.where(names == MISSING, len(self.names), names)]

    @property
    def launches(self) -> Flags:
        """Whether each call launches a kernel or a graph."""
        return _named(self.names, _LAUNCH)[self.columns["name"]]


def join_calls(
    activities: dict[str, Integers], calls: dict[str, Integers], names: list[str]
) -> LaunchCalls:
    """Find the API call behind each GPU record by its correlation id.

    Where several calls share an id (a runtime call and the driver call it makes), one that
    launches wins, and of several the first. Ids are unique within a process only: one that calls
    of several processes have (traces merged into one file) joins nothing.
    """
    launches = _named(names, _LAUNCH)[calls["name"]]
    order = np.lexsort((~launches, calls["correlation"]))
    ids, processes = calls["correlation"][order], calls["process"][order]
    first = np.ones(len(ids), dtype=bool)
    first[1:] = ids[1:] != ids[:-1]
    shared = ids[1:][~first[1:] & (processes[1:] != processes[:-1])]
    chosen = order[first & (ids != MISSING) & ~np.isin(ids, shared)]
    columns = {name: column[chosen] for name, column in calls.items()}
    wanted, known = activities["correlation"], columns["correlation"]
    at = np.searchsorted(known, wanted)
    found = np.append(known, MISSING)[at] == wanted
    of_record = np.where(found & (wanted != MISSING), at, -1)
    return LaunchCalls(
        columns=columns, of_record=of_record, names=names, launch_count=int(launches.sum())
    )


def resolve_geometry(
    activities: dict[str, Integers], calls: LaunchCalls, *, is_rocm: bool
) -> Geometry:
    """Grid, block and shared memory of each GPU record; copies and sets have none.

    A record's own grid comes first; where it has none, the grid its launch asked for (ROCm until
    2024 wrote it only there). HIP's module launches count the grid in work-items: those are
    divided by the block, rounded up. Graph replays without a grid stay unknown.

    Args:
        activities: the GPU's records.
        calls: the calls behind them.
        is_rocm: the trace is of AMD devices.
    """
    own_grid, own_block = _axes(activities, GRID_FIELDS), _axes(activities, BLOCK_FIELDS)
    call_grid = np.stack([calls.of_records(name) for name in GRID_FIELDS], axis=1)
    call_block = np.stack([calls.of_records(name) for name in BLOCK_FIELDS], axis=1)
    grid = np.where(own_grid == MISSING, call_grid, own_grid)
    block = np.where(own_block == MISSING, call_block, own_block)
    ambiguous = uneven = 0
    if is_rocm:
        grid, ambiguous, uneven = _grid_in_blocks(grid, block, calls)
    impossible = impossible_geometry(
        np.where(grid == MISSING, 1, grid),
        np.where(block == MISSING, 1, block),
        "amd" if is_rocm else "nvidia",
    )
    unknown = impossible | (activities["kind"] != s.KINDS.index(s.KIND_KERNEL))
    no_shared = np.full(len(grid), MISSING)
    shared = calls.of_records("shared_bytes") if is_rocm else activities["shared_bytes"]
    shared = np.where(unknown | (shared < 0), MISSING, shared)
    return Geometry(
        grid=np.where(unknown[:, None], MISSING, grid),
        block=np.where(unknown[:, None], MISSING, block),
        shared_bytes=no_shared if is_rocm else shared,
        dynamic_shared_bytes=shared if is_rocm else no_shared,
        ambiguous=ambiguous,
        uneven=uneven,
        impossible=int(impossible.sum()),
    )


def _grid_in_blocks(
    grid: Integers, block: Integers, calls: LaunchCalls
) -> tuple[Integers, int, int]:
    known = (grid != MISSING).all(axis=1) & (block != MISSING).all(axis=1)
    divisor = np.where(known[:, None], block, 1)
    divisible = (grid % divisor == 0).all(axis=1)
    work_items = known & calls.named(_WORK_ITEM_LAUNCH)
    in_blocks = calls.named(_LAUNCH) & ~calls.named(_WORK_ITEM_LAUNCH) & ~calls.named(_GRAPH_LAUNCH)
    ambiguous = known & ~work_items & ~in_blocks & divisible
    divided = np.where(work_items[:, None], -(-grid // divisor), grid)
    return (
        np.where(ambiguous[:, None], MISSING, divided),
        int(ambiguous.sum()),
        int((work_items & ~divisible).sum()),
    )


def _axes(columns: dict[str, Integers], fields: tuple[str, ...]) -> Integers:
    return np.stack([columns[name] for name in fields], axis=1)


def _named(names: list[str], pattern: re.Pattern[str]) -> Flags:
    """Per name code; one more at the end, False, for records without a call."""
    return np.array([pattern.fullmatch(name) is not None for name in names] + [False])
