"""What foreign records may say: times, geometry and names checked before they enter the table.

Profilers lose time stamps and print sizes of zero; a value that cannot be true becomes null and
is counted, so that it neither enters a figure nor disappears unseen.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.devices.spec import Vendor
from geoaudit.launches import schema as s
from geoaudit.launches.names import demangle, owner_of, shorten

# The largest grid (x, y, z) and block (x, y, z) a launch can have. NVIDIA: CUDA programming
# guide, "Technical Specifications per Compute Capability", the same from 3.0 on. AMD: HIP takes
# any axis of a grid that an int holds, and 1024 threads in any shape.
LARGEST_AXES: Mapping[Vendor, tuple[int, ...]] = {
    "nvidia": (2**31 - 1, 65_535, 65_535, 1024, 1024, 64),
    "amd": (*[2**31 - 1] * 3, *[1024] * 3),
}
LARGEST_BLOCK_THREADS = 1024
# The number of blocks of a grid is kept in a signed 64-bit integer.
_LARGEST_GRID_BLOCKS = 2.0**63

_LARGEST_TIME_NS = 2**62
UNNAMED_KERNEL = "(unnamed kernel)"


def integer_array(values: Sequence[int | None]) -> pd.Series:
    """An Int64 series of these whole numbers, null where None or wider than 64 bits."""
    fitting = [v if v is not None and -(2**63) < v < 2**63 else None for v in values]
    return pd.Series(pd.array(fitting, dtype="Int64"))


def checked_times(start: pd.Series, end: pd.Series) -> tuple[dict[str, pd.Series], list[str]]:
    """Start and duration of launches, null where the record holds no usable time.

    Start and end both zero is CUPTI's word for a lost time stamp (CUPTI documentation,
    CUpti_ActivityKernel: start, end); it is counted as untimed without a warning of its own.

    Args:
        start: Int64, ns, null allowed.
        end: Int64, ns, null allowed.

    Returns:
        ``start_ns`` and ``duration_ns``, and a warning where an end lies before its start.
    """
    unusable = start.isna() | end.isna()
    wide = (start.abs() >= _LARGEST_TIME_NS) | (end.abs() >= _LARGEST_TIME_NS)
    unusable |= wide.fillna(value=False).astype(bool)
    lost = ((start == 0) & (end == 0)).fillna(value=False).astype(bool)
    duration = end.mask(unusable) - start.mask(unusable)
    negative = (duration < 0).fillna(value=False).astype(bool)
    untimed = unusable | lost | negative
    warnings = []
    if negative.any():
        warnings.append(
            f"{int(negative.sum()):,} records end before they start: counted as untimed"
        )
    times = {s.START_NS: start.mask(untimed), s.DURATION_NS: duration.mask(untimed)}
    return times, warnings


def checked_geometry(
    columns: Mapping[str, pd.Series], vendor: Vendor = "nvidia"
) -> tuple[dict[str, pd.Series], list[str]]:
    """Grid, block and cluster of launches, null where they cannot be those of a launch.

    A grid or block of which an axis is missing is unknown; where any is impossible, both are. A
    cluster of 0, 0, 0 is how profilers write "no cluster" and becomes 1, 1, 1.

    Args:
        columns: the grid and block columns, Int64; the cluster columns where the source has them.
        vendor: of the devices.

    Returns:
        All nine columns, and a warning where a geometry was not plausible.
    """
    sizes = np.stack([_filled(columns[name]) for name in (*s.GRID, *s.BLOCK)], axis=1)
    wrong = impossible_geometry(sizes[:, :3], sizes[:, 3:], vendor)
    checked: dict[str, pd.Series] = {}
    for names in (s.GRID, s.BLOCK):
        missing = np.logical_or.reduce([columns[name].isna().to_numpy() for name in names])
        checked |= {name: columns[name].mask(missing | wrong) for name in names}
    unknown = checked[s.GRID_X].isna().to_numpy(dtype=bool)
    return checked | _clusters(columns, unknown), impossible_warnings(int(wrong.sum()))


def impossible_geometry(
    grid: npt.NDArray[np.int64], block: npt.NDArray[np.int64], vendor: Vendor
) -> npt.NDArray[np.bool_]:
    """Which launches have a grid or block that no launch can have.

    Args:
        grid: shape (n, 3), in blocks; 1 where an axis is not known.
        block: shape (n, 3), in threads; 1 where an axis is not known.
        vendor: of the devices.
    """
    sizes = np.concatenate([grid, block], axis=1)
    outside = (sizes < 1) | (sizes > np.array(LARGEST_AXES[vendor]))
    # Products in floating point cannot overflow.
    threads = block.astype(np.float64).prod(axis=1)
    blocks = grid.astype(np.float64).prod(axis=1)
    too_many = (threads > LARGEST_BLOCK_THREADS) | (blocks >= _LARGEST_GRID_BLOCKS)
    impossible: npt.NDArray[np.bool_] = outside.any(axis=1) | too_many
    return impossible


def impossible_warnings(launches: int) -> list[str]:
    """A warning where launches have a geometry that none can have."""
    if not launches:
        return []
    return [
        f"{launches:,} launches have a grid or block that no launch can have (a size of 0, "
        "negative, or beyond the device's limits): their geometry is unknown"
    ]


def at_least(values: pd.Series, minimum: int) -> pd.Series:
    """The values, null where they are below the minimum."""
    return values.mask((values < minimum).fillna(value=False).astype(bool))


def kernel_names(names: pd.Series, kinds: pd.Series) -> dict[str, pd.Categorical]:
    """Whole name, short name and owner of launches, as categories.

    Args:
        names: names as recorded, mangled or not; null or empty where the record has none.
        kinds: ``kernel``, ``copy`` or ``set``; copies and sets have no owner and keep their name.
    """
    # A NUL ends a string in too many places further down to be kept in a name.
    of_row, distinct = pd.factorize(names.fillna(""))
    given = [str(n).replace("\0", "\u2400") if n else UNNAMED_KERNEL for n in distinct]
    numbers, recorded = _numbered(given)
    codes = numbers[of_row]
    is_kernel = (kinds == s.KIND_KERNEL).to_numpy(dtype=bool)
    launched = set(np.unique(codes[is_kernel]).tolist())
    whole = [demangle(n) if i in launched else n for i, n in enumerate(recorded)]
    short = [shorten(n) if i in launched else n for i, n in enumerate(whole)]
    owner = [owner_of(n) for n in whole]
    return {
        s.KERNEL: _categories(whole, codes),
        s.KERNEL_SHORT: _categories(short, codes),
        s.OWNER: _categories(owner, np.where(is_kernel, codes, -1)),
    }


def _numbered(values: Iterable[str]) -> tuple[np.ndarray, list[str]]:
    """A number for each value, in order of first occurrence, and the value of each number."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(value, len(numbers)) for value in values]
    return np.array(codes, dtype=np.int64), list(numbers)


def _filled(values: pd.Series) -> npt.NDArray[np.int64]:
    filled: npt.NDArray[np.int64] = values.fillna(1).to_numpy(dtype=np.int64)
    return filled


def _clusters(
    columns: Mapping[str, pd.Series], unknown: npt.NDArray[np.bool_]
) -> dict[str, pd.Series]:
    if s.CLUSTER_X not in columns:
        return {}
    values = [columns[name] for name in s.CLUSTER]
    none = np.logical_and.reduce([(v == 0).fillna(value=False).to_numpy(bool) for v in values])
    sized = [value.mask(none, 1) for value in values]
    filled = np.stack([_filled(value) for value in sized], axis=1)
    outside = ((filled < 1) | (filled > LARGEST_AXES["nvidia"][0])).any(axis=1)
    bad = np.logical_or.reduce([v.isna().to_numpy() for v in sized]) | outside | unknown
    return {name: value.mask(bad) for name, value in zip(s.CLUSTER, sized, strict=True)}


def _categories(values: Sequence[str], codes: np.ndarray) -> pd.Categorical:
    """Categories of rows that name their value by its place; -1 is null."""
    value_codes, categories = _numbered(values)
    looked_up = np.append(value_codes, -1)
    return pd.Categorical.from_codes(looked_up[codes], categories=pd.Index(categories, dtype="str"))
