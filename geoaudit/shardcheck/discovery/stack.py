"""Room on Python's stack for derivations: an expression within another takes a few frames."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from geoaudit.shardcheck.slicing.slicer import DEEPEST_EVALUATION

FRAMES = 40
"""For one expression within another, at most; about 11 as a rule."""


@contextmanager
def room_for_derivations() -> Iterator[None]:
    """As many frames as the deepest derivation takes; Python's own limit again afterwards."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST_EVALUATION * FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
