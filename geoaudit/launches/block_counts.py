"""How many blocks each kernel of a recording was launched with."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.owners import OWN, is_communication


@dataclass(frozen=True, kw_only=True)
class BlockCounts:
    """Launches of kernels by name and blocks.

    Attributes:
        own: (short name, blocks of the grid) -> launches, of kernels that are no library's.
        communication: launches of collectives, which are not among `own`.
        libraries: launches of libraries' kernels, which are not among `own`.
        without_grid: launches whose grid is not known.
    """

    own: Mapping[tuple[str, int], int]
    communication: int
    libraries: int
    without_grid: int


def block_counts(launches: pd.DataFrame) -> BlockCounts:
    """The kernels of a launches table by name and blocks, all devices and ranks together.

    Args:
        launches: the table of `geoaudit.launches.schema`; copies and sets are passed over.
    """
    kernels = launches[launches[s.KIND] == s.KIND_KERNEL]
    columns = [s.KERNEL, s.KERNEL_SHORT, s.OWNER, *s.GRID]
    own: dict[tuple[str, int], int] = {}
    communication = libraries = without_grid = 0
    grouped = kernels.groupby(columns, dropna=False, observed=True, sort=True)
    for (kernel, short, owner, *grid), number in grouped.size().items():
        if is_communication(str(kernel), str(owner)):
            communication += int(number)
        elif owner != OWN:
            libraries += int(number)
        elif any(pd.isna(extent) for extent in grid):
            without_grid += int(number)
        else:
            key = str(short), int(grid[0]) * int(grid[1]) * int(grid[2])
            own[key] = own.get(key, 0) + int(number)
    return BlockCounts(
        own=own, communication=communication, libraries=libraries, without_grid=without_grid
    )
