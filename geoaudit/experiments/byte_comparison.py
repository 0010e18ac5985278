"""Whether two arms left the same bytes, and where they did not.

Arrays are NumPy's, or anything with their methods: CuPy's compare on the device.
"""

# ruff: noqa: ANN401 - arrays of two libraries

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from geoaudit.errors import InputError
from geoaudit.manifest.data_types import BYTES_PER_ELEMENT

STORED_AS: Mapping[str, str] = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "uint16",
    "i64": "int64",
    "u64": "uint64",
    "i32": "int32",
    "u32": "uint32",
    "i8": "int8",
    "u8": "uint8",
}
"""NumPy's name of the type that holds each data type of a manifest; of bf16 the bits."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How two arrays of one buffer differ.

    Attributes:
        elements: elements compared.
        count: elements whose bytes differ.
        first: index of the first of them.
        largest: largest absolute difference of the numbers; 0 where only the bytes differ (a zero
            of another sign), NaN where a number became none.
    """

    elements: int
    count: int
    first: int
    largest: float


def byte_difference(one: Any, other: Any, dtype: str) -> Difference | None:
    """How two arrays differ as bytes; None where they do not.

    NaNs of the same bits are the same, zeros of different signs are not.

    Args:
        one: one-dimensional, of the type of STORED_AS.
        other: the same.
        dtype: the buffer's, in a manifest's words.

    Raises:
        InputError: they are not equally long, or not of this type.
    """
    for array in (one, other):
        if str(array.dtype) != STORED_AS[dtype] or array.shape != one.shape:
            raise InputError(
                f"cannot compare {array.dtype} of shape {array.shape} with {STORED_AS[dtype]} of "
                f"shape {one.shape}: give two arrays of one buffer."
            )
    bits = f"uint{8 * BYTES_PER_ELEMENT[dtype]}"
    unequal = one.view(bits) != other.view(bits)
    count = int(unequal.sum())
    if count == 0:
        return None
    changes = abs(_numbers(one[unequal], dtype) - _numbers(other[unequal], dtype))
    return Difference(
        elements=int(one.shape[0]),
        count=count,
        first=int(unequal.argmax()),
        largest=float(changes.max()),
    )


def output_differences(
    one: Mapping[str, Any], other: Mapping[str, Any], dtypes: Mapping[str, str]
) -> dict[str, Difference]:
    """The outputs of two arms that differ as bytes; empty where all are the same.

    Args:
        one: output -> its array.
        other: the same outputs of another arm.
        dtypes: output -> its data type, in a manifest's words.

    Raises:
        InputError: they do not hold the same outputs.
    """
    if one.keys() != other.keys():
        alone = ", ".join(sorted(one.keys() ^ other.keys()))
        raise InputError(f"only one of the two arms has {alone}: compare runs of one step.")
    found = {name: byte_difference(one[name], other[name], dtypes[name]) for name in one}
    return {name: difference for name, difference in found.items() if difference is not None}


def _numbers(stored: Any, dtype: str) -> Any:
    if dtype == "bf16":
        return (stored.astype("uint32") << 16).view("float32").astype("float64")
    return stored.astype("float64")
