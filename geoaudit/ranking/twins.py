"""Self-gated pairs: two kernels launched one after the other, of which one exits at once."""

from collections.abc import Mapping
from difflib import SequenceMatcher

import numpy as np

from geoaudit.diagnosis.thresholds import LAUNCH_FLOOR_NS
from geoaudit.ranking.annotation import AnnotatedKernels, Signature

EXIT_SHARE = 0.4
"""A dud takes at most this share of its twin's time."""

EXIT_NS = 2 * LAUNCH_FLOOR_NS
"""And at most this: to launch and end 4,096 blocks takes an H200 3.2 µs."""

ALIKE = 0.6
"""Names of a pair match in at least this share (difflib's ratio)."""


def dud_twins(kernels: AnnotatedKernels) -> Mapping[int, str]:
    """The duds of an audit: number of the signature -> short name of the twin that does the work.

    A dud has, at every one of its positions in the token, the same neighbour before or behind it:
    a kernel of another, similar name with the same grid that takes at least 2.5 times as long.

    Args:
        kernels: the audited launches; without positions there are no pairs.
    """
    at_position = _signature_at(kernels)
    medians = _medians(kernels)
    positions: dict[int, list[int]] = {}
    for position, signature in at_position.items():
        positions.setdefault(signature, []).append(position)
    found = {}
    for signature, places in positions.items():
        for step in (1, -1):
            neighbours = {at_position.get(place + step) for place in places}
            twin = neighbours.pop() if len(neighbours) == 1 else None
            if twin is not None and _is_dud(kernels.signatures, medians, signature, twin):
                found[signature] = kernels.signatures[twin].kernel_short
    return found


def _signature_at(kernels: AnnotatedKernels) -> dict[int, int]:
    """Position in the token -> number of the signature launched there."""
    known = kernels.position >= 0
    places, first = np.unique(kernels.position[known], return_index=True)
    signatures = kernels.signature[known][first]
    return dict(zip(places.tolist(), signatures.tolist(), strict=True))


def _medians(kernels: AnnotatedKernels) -> dict[int, float]:
    """Number of the signature -> median time that is its own, ns."""
    found = {}
    for signature in np.unique(kernels.signature).tolist():
        times = kernels.attributed_ns[kernels.signature == signature]
        times = times[~np.isnan(times)]
        if times.size:
            found[signature] = float(np.median(times))
    return found


def _is_dud(
    signatures: tuple[Signature, ...], medians: Mapping[int, float], one: int, twin: int
) -> bool:
    if one not in medians or twin not in medians or signatures[one].shape.grid is None:
        return False
    same_grid = signatures[one].shape.grid == signatures[twin].shape.grid
    names = signatures[one].kernel_short, signatures[twin].kernel_short
    if not same_grid or names[0] == names[1]:
        return False
    exits = medians[one] <= min(EXIT_NS, EXIT_SHARE * medians[twin])
    return exits and SequenceMatcher(None, *names).ratio() >= ALIKE
