"""Builds launches tables out of lists of kernels, for the tests of segmentation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.table import build_launches

SHORT_GAP_NS = 1_000
TOKEN_GAP_NS = 20_000
DURATION_NS = 2_000


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """One launch to build; ``kind`` other than kernel makes a copy or set."""

    name: str
    grid: int | None = 8
    ranges: str | None = None
    gap_ns: int = SHORT_GAP_NS
    kind: str = s.KIND_KERNEL


def kernels(names: str | Sequence[str], grid: int | None = 8) -> list[Kernel]:
    """One kernel for each name, or for each word of a text."""
    words = names.split() if isinstance(names, str) else names
    return [Kernel(name=name, grid=grid) for name in words]


def token(layers: int = 4, grid: int = 8) -> list[Kernel]:
    """A decode token: embedding, layers, head and sampling; a long gap before it."""
    first, *rest = kernels("embed position")
    return [
        replace(first, gap_ns=TOKEN_GAP_NS),
        *rest,
        *kernels("norm qkv attention out up down", grid) * layers,
        *kernels("norm head argmax"),
    ]


def table(
    launched: Sequence[Kernel], *, device: int = 0, timed: bool = True, start_ns: int = 0
) -> pd.DataFrame:
    """The launches table of a sequence of launches on one device."""
    return build_launches(columns(launched, device=device, timed=timed, start_ns=start_ns))


def columns(
    launched: Sequence[Kernel], *, device: int = 0, timed: bool = True, start_ns: int = 0
) -> dict[str, object]:
    """The columns of such a table."""
    starts, now = [], start_ns
    for kernel in launched:
        now += kernel.gap_ns
        starts.append(now)
        now += DURATION_NS
    grids = [kernel.grid if kernel.kind == s.KIND_KERNEL else None for kernel in launched]
    blocks = [None if grid is None else 128 for grid in grids]
    return {
        s.KIND: [kernel.kind for kernel in launched],
        s.KERNEL: [kernel.name for kernel in launched],
        s.KERNEL_SHORT: [kernel.name for kernel in launched],
        s.DEVICE: [device] * len(launched),
        s.START_NS: starts if timed else [None] * len(launched),
        s.DURATION_NS: [DURATION_NS if timed else None] * len(launched),
        s.GRID_X: grids,
        s.GRID_Y: [None if grid is None else 1 for grid in grids],
        s.GRID_Z: [None if grid is None else 1 for grid in grids],
        s.BLOCK_X: blocks,
        s.BLOCK_Y: [None if grid is None else 1 for grid in grids],
        s.BLOCK_Z: [None if grid is None else 1 for grid in grids],
        s.RANGES: [kernel.ranges for kernel in launched],
    }


def in_range(launched: Sequence[Kernel], path: str) -> list[Kernel]:
    """The same launches inside a range."""
    return [replace(kernel, ranges=path) for kernel in launched]
