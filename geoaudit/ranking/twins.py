"""Self-gated pairs: two kernels launched one after the other, of which one exits at once."""

from collections.abc import Mapping
from difflib import SequenceMatcher

import numpy as np

from geoaudit.launches import schema as s
from geoaudit.ranking.annotation import AnnotatedKernels, Signature

EXIT_SHARE = 0.4
"""A dud takes at most this share of its twin's time."""

EXIT_NS, EXIT_NS_PER_BLOCK = 2_000.0, 0.5
"""And at most these: on an H200 1,280 blocks that exit at once take 1.5 µs, and 4,096 3.2 µs."""

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
    positions: dict[int, list[tuple[int, int]]] = {}
    for place, signature in at_position.items():
        positions.setdefault(signature, []).append(place)
    found = {}
    for signature, places in positions.items():
        for step in (1, -1):
            neighbours = {at_position.get((device, place + step)) for device, place in places}
            twin = neighbours.pop() if len(neighbours) == 1 else None
            if twin is not None and _is_dud(kernels.signatures, medians, signature, twin):
                found[signature] = kernels.signatures[twin].kernel_short
    return found


def _signature_at(kernels: AnnotatedKernels) -> dict[tuple[int, int], int]:
    """Device and position in the token -> number of the signature launched there."""
    known = np.flatnonzero(kernels.position >= 0)
    device = kernels.launches[s.DEVICE].to_numpy(dtype=np.int64)[known]
    found: dict[tuple[int, int], int] = {}
    for place in zip(
        device.tolist(), kernels.position[known].tolist(), kernels.signature[known].tolist(),
        strict=True,
    ):  # fmt: skip
        found.setdefault(place[:2], place[2])
    return found


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
    blocks = signatures[one].geometry.grid_blocks or 0
    longest_ns = min(EXIT_NS + EXIT_NS_PER_BLOCK * blocks, EXIT_SHARE * medians[twin])
    exits = medians[one] <= longest_ns
    return exits and SequenceMatcher(None, *names).ratio() >= ALIKE
