"""Grids as a user writes them."""

import re

Dimensions = tuple[int, int, int]

MOST_BLOCKS = 2**31 - 1
"""In x, the largest axis of a grid."""


def grid_of(text: str) -> Dimensions | None:
    """The blocks of ``12``, ``12x4``, ``12x4x1`` or ``12×4``; None: no grid, as ``0x1``.

    >>> grid_of("12x4"), grid_of("0x4"), grid_of("12*4")
    ((12, 4, 1), None, None)
    """
    plain = text.replace("×", "x").lower()
    if not re.fullmatch(r"\s*\d{1,10}(\s*x\s*\d{1,10}){0,2}\s*", plain, re.ASCII):
        return None
    x, y, z = ([int(size) for size in plain.split("x")] + [1, 1])[:3]
    return (x, y, z) if all(1 <= size <= MOST_BLOCKS for size in (x, y, z)) else None
