"""The data types of buffers and scalar arguments, in the short names of a manifest."""

from collections.abc import Mapping

BYTES_PER_ELEMENT: Mapping[str, int] = {
    "f64": 8,
    "f32": 4,
    "f16": 2,
    "bf16": 2,
    "i64": 8,
    "u64": 8,
    "i32": 4,
    "u32": 4,
    "i8": 1,
    "u8": 1,
}
"""Bytes of one element of a buffer, by data type."""

INTEGER_RANGES: Mapping[str, tuple[int, int]] = {
    "i64": (-(2**63), 2**63 - 1),
    "u64": (0, 2**64 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "u32": (0, 2**32 - 1),
    "i8": (-(2**7), 2**7 - 1),
    "u8": (0, 2**8 - 1),
}
"""Smallest and largest value of the integer types, of buffers and scalars."""

_LARGEST_REALS = {
    "f64": 1.7976931348623157e308,
    "f32": 3.4028234663852886e38,
    "f16": 65504.0,
    "bf16": 3.3895313892515355e38,
}
RANGES: Mapping[str, tuple[float, float]] = {
    **INTEGER_RANGES,
    **{dtype: (-largest, largest) for dtype, largest in _LARGEST_REALS.items()},
}
"""Smallest and largest finite value of every type."""

REAL_SCALARS = ("f32", "f64")
SCALARS = (*REAL_SCALARS, *INTEGER_RANGES)
"""Types a scalar argument may have."""
