"""What fill.cu fills a buffer with, in NumPy: the definition that its bytes are compared with."""

import math

import numpy as np
import numpy.typing as npt

from geoaudit.manifest.planned import PlannedBuffer
from geoaudit.recording.suite.filling import SUM_DEVIATION, seed_of

_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_NUMPY = {
    "f64": "f8", "f32": "f4", "f16": "f2", "i64": "i8", "u64": "u8", "i32": "i4", "u32": "u4",
    "i8": "i1", "u8": "u1",
}  # fmt: skip

Reals = npt.NDArray[np.float64]


def filled(buffer: PlannedBuffer, copy: int) -> npt.NDArray[np.generic]:
    """A copy of a buffer; bf16 as its bits."""
    numbers = _numbers(buffer, copy)
    if buffer.dtype in ("f64",):
        return numbers
    if buffer.dtype == "bf16":
        bits = numbers.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    if buffer.dtype in ("f32", "f16"):
        return numbers.astype(np.float32).astype(_NUMPY[buffer.dtype])
    return np.floor(numbers).astype(_NUMPY[buffer.dtype])


def _numbers(buffer: PlannedBuffer, copy: int) -> Reals:
    count, figures = buffer.elements, buffer.init_figures
    if buffer.init == "iota":
        return np.arange(count, dtype=np.float64)
    if buffer.init == "normal":
        bits = _hash(seed_of(buffer.name, copy), count)
        parts = [(bits >> np.uint64(shift)) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48)]
        total = sum(part.astype(np.float64) for part in parts) - 2 * 0xFFFF
        return np.asarray(total * (figures["scale"] / SUM_DEVIATION), dtype=np.float64)
    if buffer.init == "uniform":
        bits = _hash(seed_of(buffer.name, copy), count)
        fraction = (bits >> np.uint64(11)).astype(np.float64) * math.ldexp(1.0, -53)
        return figures["low"] + fraction * (figures["high"] - figures["low"])
    value = {"zeros": 0.0, "ones": 1.0}.get(buffer.init)
    return np.full(count, figures["value"] if value is None else value)


def _hash(seed: int, count: int) -> npt.NDArray[np.uint64]:
    """SplitMix64 of the places 0 to count - 1."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
        return z ^ (z >> np.uint64(31))
