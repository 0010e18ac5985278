"""Compulsory bytes that a user says of kernels: each input once, each output once, per launch."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.table import typed

Dimensions = tuple[int, int, int]


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


def with_declared_bytes(recording: Recording, declared: Sequence[DeclaredBytes]) -> Recording:
    """The recording with these bytes in the place of its own.

    The first line that fits a launch counts. A line that fits none is told in the warnings, as it
    may be misspelt.

    Args:
        recording: any.
        declared: in the order of the file; the patterns are valid.
    """
    if not declared:
        return recording
    launches = recording.launches
    is_kernel = (launches[s.KIND] == s.KIND_KERNEL).to_numpy()
    values = launches[s.COMPULSORY_BYTES].copy()
    warnings, taken = [], np.zeros(len(launches), dtype=bool)
    for line in declared:
        fits = is_kernel & _fits(launches, line)
        values[fits & ~taken] = line.bytes
        taken |= fits
        if not fits.any():
            warnings.append(f"{line.location}: no launch is of {_described(line)}")
    table = launches.assign(**{s.COMPULSORY_BYTES: typed(values, s.BY_NAME[s.COMPULSORY_BYTES])})
    metadata = recording.metadata
    return replace(
        recording,
        launches=table,
        metadata=replace(metadata, warnings=(*metadata.warnings, *warnings)),
    )


def _fits(
    launches: pd.DataFrame, line: DeclaredBytes
) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    pattern = re.compile(line.pattern, re.IGNORECASE)
    names = launches[s.KERNEL].cat
    named = np.array([bool(pattern.search(name)) for name in names.categories], dtype=bool)
    fits = named[names.codes] if len(named) else np.zeros(len(launches), dtype=bool)
    for column, size in zip(s.GRID, line.grid or (), strict=False):
        fits &= (launches[column] == size).to_numpy(dtype=bool, na_value=False)
    return fits


def _described(line: DeclaredBytes) -> str:
    grid = "" if line.grid is None else f" with grid {' x '.join(map(str, line.grid))}"
    return f"a kernel that matches {line.pattern}{grid}"
