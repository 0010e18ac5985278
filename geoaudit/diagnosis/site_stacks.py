"""Durations of call sites as arrays: sites of equal length are the rows of one."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from geoaudit.errors import NotMeasuredError

Durations = NDArray[np.float64]
Stack = NDArray[np.float64]


def filled_sites(durations_ns: Iterable[NDArray[np.number]]) -> list[Durations]:
    """The sites that have a duration.

    Raises:
        NotMeasuredError: there is none.
    """
    sites = [np.asarray(site, dtype=np.float64) for site in durations_ns]
    filled = [site for site in sites if site.size]
    if not filled:
        raise NotMeasuredError(
            "a launch signature has no duration at all: its launches are untimed. Record it "
            "again with an instrument that times kernels."
        )
    return filled


def stacked(sites: Sequence[Durations]) -> list[Stack]:
    """Sites of equal length as the rows of one array, so that numpy loops and not Python."""
    by_length: dict[int, list[Durations]] = {}
    for site in sites:
        by_length.setdefault(site.size, []).append(site)
    return [np.stack(group) for group in by_length.values()]


def row_medians(stack: Stack) -> Durations:
    """The median of each row; `numpy.median` without checks that cost more than short rows."""
    lower, upper = (stack.shape[1] - 1) // 2, stack.shape[1] // 2
    ordered = np.partition(stack, (lower, upper), axis=1)
    medians: Durations = (ordered[:, lower] + ordered[:, upper]) / 2
    return medians


def median_or_none(values: Durations) -> float | None:
    """The median, or None of no values."""
    return float(row_medians(values[None, :])[0]) if values.size else None


def relative_deviations(stack: Stack) -> Stack:
    """Relative deviation of each launch from its site's median; sites of median 0 left out."""
    medians = row_medians(stack)
    if not medians.all():
        stack, medians = stack[medians > 0], medians[medians > 0]
    deviations: Stack = np.abs(stack - medians[:, None]) / medians[:, None]
    return deviations


def repeated_deviations(stacks: Iterable[Stack]) -> list[Stack]:
    """The relative deviations of the sites with two launches or more."""
    return [relative_deviations(stack) for stack in stacks if stack.shape[1] > 1]


def typical_relative_mad(deviations: Iterable[Stack]) -> float | None:
    """Median over sites of their relative MAD, from their relative deviations; None: no site."""
    mads = [row_medians(stack) for stack in deviations]
    return median_or_none(np.concatenate(mads)) if mads else None
