"""Compulsory bytes that a user says of kernels: each input once, each output once, per launch."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.signatures import group_ids
from geoaudit.launches.table import typed

Dimensions = tuple[int, int, int]
Flags = npt.NDArray[np.bool_]
Matching = Callable[[str, Sequence[str]], Sequence[bool]]
"""For a regular expression and names: which of them match."""

MOST_WARNINGS = 5
"""Of one kind are told; the others are counted."""


@dataclass(frozen=True, kw_only=True)
class DeclaredBytes:
    """The bytes of one launch of some kernels.

    Attributes:
        pattern: regular expression on the whole kernel name, in upper or lower case.
        bytes: of one launch.
        grid: only launches of this grid, in blocks; None: of any.
        location: where it is written, ``file:line``.
    """

    pattern: str
    bytes: int
    grid: Dimensions | None = None
    location: str = ""


def matching_names(pattern: str, names: Sequence[str]) -> list[bool]:
    """Which names match a regular expression, in upper or lower case.

    Example:
        >>> matching_names("norm", ["RMSNorm", "attention"])
        [True, False]
    """
    search = re.compile(pattern, re.IGNORECASE).search
    return [search(name) is not None for name in names]


def with_declared_bytes(
    recording: Recording, declared: Sequence[DeclaredBytes], matching: Matching = matching_names
) -> Recording:
    """The recording with these bytes in the place of its own.

    The first line that fits a launch counts. A line that fits none, as it may be misspelt, and one
    whose launches all fit an earlier line are told in the warnings.

    Args:
        recording: any.
        declared: in the order of the file; the patterns are valid.
        matching: is asked once for each pattern, with every kernel's name once.
    """
    launches = recording.launches
    kernels = launches[launches[s.KIND] == s.KIND_KERNEL]
    number = group_ids(kernels, (s.KERNEL, *s.GRID))
    _, first = np.unique(number, return_index=True)
    line_of, warnings = _first_lines(kernels.iloc[first], declared, matching)
    is_told = line_of[number] >= 0
    values = launches[s.COMPULSORY_BYTES].copy()
    sizes = np.array([line.bytes for line in declared], dtype=np.float64)
    values.loc[kernels.index[is_told]] = sizes[line_of[number[is_told]]]
    table = launches.assign(**{s.COMPULSORY_BYTES: typed(values, s.BY_NAME[s.COMPULSORY_BYTES])})
    metadata = recording.metadata
    return replace(
        recording,
        launches=table,
        metadata=replace(metadata, warnings=(*metadata.warnings, *warnings)),
    )


def _first_lines(
    kernels: pd.DataFrame, declared: Sequence[DeclaredBytes], matching: Matching
) -> tuple[npt.NDArray[np.int64], list[str]]:
    """The place of the first line that fits each of these launches, -1: none; and warnings."""
    names = kernels[s.KERNEL].astype(str)
    codes, distinct = pd.factorize(names)
    matches: dict[str, Flags] = {}
    line_of = np.full(len(kernels), -1, dtype=np.int64)
    strange, shadowed = [], []
    for place, line in enumerate(declared):
        if line.pattern not in matches:
            matches[line.pattern] = np.array(matching(line.pattern, list(distinct)), dtype=bool)
        fits = matches[line.pattern][codes] & _has_grid(kernels, line.grid)
        free = fits & (line_of < 0)
        if not fits.any():
            strange.append(f"{line.location}: no launch is of {_described(line)}")
        elif not free.any():
            shadowed.append(
                f"{line.location}: says nothing, since earlier lines fit every launch of "
                f"{_described(line)}: move it up"
            )
        line_of[free] = place
    return line_of, [*_few(strange, "fit no launch"), *_few(shadowed, "say nothing")]


def _has_grid(kernels: pd.DataFrame, grid: Dimensions | None) -> Flags:
    fits = np.ones(len(kernels), dtype=bool)
    for column, size in zip(s.GRID, grid or (), strict=False):
        fits &= (kernels[column] == size).to_numpy(dtype=bool, na_value=False)
    return fits


def _few(warnings: Sequence[str], what_they_do: str) -> list[str]:
    rest = len(warnings) - MOST_WARNINGS
    told = list(warnings[:MOST_WARNINGS])
    return told if rest <= 0 else [*told, f"{rest:,} more lines of declared bytes {what_they_do}"]


def _described(line: DeclaredBytes) -> str:
    grid = "" if line.grid is None else f" with grid {' x '.join(map(str, line.grid))}"
    return f"a kernel that matches {line.pattern}{grid}"
