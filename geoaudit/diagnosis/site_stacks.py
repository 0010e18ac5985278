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


def relative_deviations(stack: Stack) -> Stack:
    """Relative deviation of each launch from its site's median; sites of median 0 left out."""
    medians = np.median(stack, axis=1, keepdims=True)
    timed = medians[:, 0] > 0
    deviations: Stack = np.abs(stack[timed] - medians[timed]) / medians[timed]
    return deviations


def relative_mads(stacks: Iterable[Stack]) -> Durations:
    """Relative MAD of every site with two launches or more."""
    mads = [np.median(relative_deviations(stack), axis=1) for stack in stacks if stack.shape[1] > 1]
    return np.concatenate(mads) if mads else np.empty(0)


def median_or_none(values: Durations) -> float | None:
    """The median, or None of no values."""
    return float(np.median(values)) if values.size else None
