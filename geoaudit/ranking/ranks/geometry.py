"""Whether all ranks launch the same: kernel and geometry, position by position."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from geoaudit.launches import schema as s
from geoaudit.ranking.annotation import AnnotatedKernels
from geoaudit.ranking.ranks.alignment import NONE, AlignedLaunches
from geoaudit.ranking.ranks.comparison import GeometryComparison, PositionDifference, RankLaunch

Flags = npt.NDArray[np.bool_]
Reals = npt.NDArray[np.float64]

LISTED_DIFFERENCES = 50
"""Positions that are listed; all of them are counted."""


def compare_geometry(
    kernels: AnnotatedKernels, aligned: AlignedLaunches, devices: Sequence[int]
) -> GeometryComparison:
    """What the ranks launch at each position, compared in every common token.

    Kernels are compared by their short names, geometry by grid and block, and by cluster and
    dynamic shared memory where both are known of a launch. A position counts once, however many
    tokens differ at it.

    Args:
        kernels: the audited launches.
        aligned: those of the common tokens.
        devices: the device of each rank.
    """
    launched = aligned.places != NONE
    shapes_differ, unknown = _compared(kernels, aligned)
    lacks = launched.any(axis=0) & ~launched.all(axis=0)
    differing = shapes_differ.any(axis=0)
    lacking = lacks.any(axis=0) & ~differing
    untold = unknown.any(axis=0) & ~differing & ~lacking
    device = kernels.launches[s.DEVICE].to_numpy(dtype=np.int64)
    unplaced = (aligned.token != NONE) & (kernels.position < 0)
    places = np.flatnonzero(differing | lacking)[:LISTED_DIFFERENCES]
    return GeometryComparison(
        tokens=aligned.tokens,
        positions=len(aligned.positions),
        same=int((~differing & ~lacking & ~untold).sum()),
        differing=int(differing.sum()),
        lacking=int(lacking.sum()),
        unknown=int(untold.sum()),
        unplaced=tuple(int((unplaced & (device == one)).sum()) for one in devices),
        differences=tuple(
            _difference(kernels, aligned, int(place), shapes_differ | lacks) for place in places
        ),
    )


def _compared(kernels: AnnotatedKernels, aligned: AlignedLaunches) -> tuple[Flags, Flags]:
    """Tokens x positions: whether what is known differs, and whether a grid or block is unknown."""
    launched = aligned.places != NONE
    differ, unknown = np.zeros((2, *launched.shape[1:]), dtype=bool)
    for name in (s.KERNEL_SHORT, *s.GRID, *s.BLOCK, *s.CLUSTER, s.DYNAMIC_SHARED_BYTES):
        values = aligned.of(_numbers(kernels, name))
        low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
        differ |= high > low  # NaN, where no rank tells it, is no difference
        if name in (*s.GRID, *s.BLOCK):
            unknown |= (launched & np.isnan(values)).any(axis=0)
    return differ, unknown


def _numbers(kernels: AnnotatedKernels, name: str) -> Reals:
    """A column as numbers, equal ones for equal values; NaN: unknown."""
    column = kernels.launches[name]
    if name == s.KERNEL_SHORT:
        codes: Reals = column.cat.codes.to_numpy(dtype=np.float64)
        return codes
    numbers: Reals = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers


def _difference(
    kernels: AnnotatedKernels, aligned: AlignedLaunches, place: int, differ: Flags
) -> PositionDifference:
    token = int(differ[:, place].argmax())
    return PositionDifference(
        position=int(aligned.positions[place]),
        launches=tuple(
            None if launch == NONE else _launch(kernels, int(launch))
            for launch in aligned.places[:, token, place]
        ),
    )


def _launch(kernels: AnnotatedKernels, launch: int) -> RankLaunch:
    signature = kernels.signatures[kernels.signature[launch]]
    return RankLaunch(kernel_short=signature.kernel_short, shape=signature.shape)
