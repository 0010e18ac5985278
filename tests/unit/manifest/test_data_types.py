import numpy as np
import pytest

from geoaudit.manifest.data_types import BYTES_PER_ELEMENT, INTEGER_RANGES
from geoaudit.manifest.location import Location, ManifestError
from geoaudit.manifest.planned import fitting

HERE = Location(file="m.toml", line=1, key="scalar")


def _numpy_type(dtype: str) -> np.dtype[np.generic]:
    kind = {"f": "f", "i": "i", "u": "u"}[dtype[0]]
    return np.dtype(f"{kind}{int(dtype[1:]) // 8}")


@pytest.mark.parametrize("dtype", sorted(set(BYTES_PER_ELEMENT) - {"bf16"}))
def test_sizes_are_numpys(dtype: str) -> None:
    assert BYTES_PER_ELEMENT[dtype] == _numpy_type(dtype).itemsize


@pytest.mark.parametrize("dtype", INTEGER_RANGES)
def test_an_integer_must_be_in_numpys_range(dtype: str) -> None:
    limits = np.iinfo(str(_numpy_type(dtype)))
    for inside in (int(limits.min), int(limits.max)):
        assert fitting(inside, dtype, HERE) == inside
    for outside in (int(limits.min) - 1, int(limits.max) + 1):
        with pytest.raises(ManifestError, match=f"^m.toml:1: scalar: is {outside}, beyond {dtype}"):
            fitting(outside, dtype, HERE)


def test_a_real_must_be_in_numpys_range() -> None:
    largest = float(np.finfo(np.float32).max)
    assert fitting(-largest, "f32", HERE) == -largest
    with pytest.raises(ManifestError, match="beyond f32; choose a larger type"):
        fitting(np.nextafter(largest, np.inf), "f32", HERE)
    assert isinstance(fitting(3, "f64", HERE), float)
