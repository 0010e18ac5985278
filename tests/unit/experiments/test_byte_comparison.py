"""Comparison of outputs as bytes: what a tolerance cannot see."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.errors import InputError
from geoaudit.experiments.byte_comparison import (
    STORED_AS,
    Difference,
    byte_difference,
    output_differences,
)
from geoaudit.manifest.data_types import BYTES_PER_ELEMENT


def reals(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(values, dtype=np.float32)


def test_the_same_bytes_are_no_difference() -> None:
    assert byte_difference(reals(1, 2), reals(1, 2), "f32") is None
    assert byte_difference(reals(math.nan), reals(math.nan), "f32") is None


def test_the_last_bit_counts() -> None:
    one = reals(0, 1, 1, 3)
    other = one.copy()
    other[2] = np.nextafter(np.float32(1), np.float32(2))
    found = byte_difference(one, other, "f32")
    assert found == Difference(elements=4, count=1, first=2, largest=2.0**-23)


def test_zeros_of_another_sign_differ_in_bytes_alone() -> None:
    found = byte_difference(reals(0.0), reals(-0.0), "f32")
    assert found == Difference(elements=1, count=1, first=0, largest=0.0)


def test_a_number_that_became_none_is_told() -> None:
    found = byte_difference(reals(1, 5), reals(2, math.nan), "f32")
    assert found is not None
    assert math.isnan(found.largest)


def test_bf16_is_compared_by_the_numbers_its_bits_stand_for() -> None:
    # 1.0 and 1.0078125 in bf16.
    one, other = (np.array([bits], dtype=np.uint16) for bits in (0x3F80, 0x3F81))
    found = byte_difference(one, other, "bf16")
    assert found is not None
    assert found.largest == 0.0078125


@pytest.mark.parametrize("dtype", BYTES_PER_ELEMENT)
def test_every_data_type_can_be_compared(dtype: str) -> None:
    one = np.zeros(5, dtype=STORED_AS[dtype])
    assert one.itemsize == BYTES_PER_ELEMENT[dtype]
    other = one.copy()
    other[3] = 2
    found = byte_difference(one, other, dtype)
    assert found is not None
    assert (found.count, found.first) == (1, 3)


@given(st.lists(st.integers(0, 255), min_size=1), st.data())
def test_count_and_first_are_those_of_the_bytes(values: list[int], data: st.DataObject) -> None:
    changed = data.draw(st.lists(st.integers(0, 255), min_size=len(values), max_size=len(values)))
    places = [n for n, (a, b) in enumerate(zip(values, changed, strict=True)) if a != b]
    one, other = (np.array(v, dtype=np.uint8) for v in (values, changed))
    found = byte_difference(one, other, "u8")
    if found is None:
        assert places == []
        return
    assert (found.count, found.first) == (len(places), places[0])
    assert found.largest == max(abs(values[n] - changed[n]) for n in places)


@pytest.mark.parametrize(
    "other", [np.zeros(3, np.float32), np.zeros(2, np.float64), np.zeros((2, 1), np.float32)]
)
def test_what_cannot_be_compared_is_refused(other: object) -> None:
    with pytest.raises(InputError, match="cannot compare"):
        byte_difference(reals(1, 2), other, "f32")


def test_outputs_are_compared_by_name() -> None:
    one = {"logits": reals(1, 2), "state": reals(3)}
    other = {"logits": reals(1, 2), "state": reals(4)}
    dtypes = {"logits": "f32", "state": "f32"}
    assert output_differences(one, one, dtypes) == {}
    assert set(output_differences(one, other, dtypes)) == {"state"}
    with pytest.raises(InputError, match="only one of the two arms has state"):
        output_differences(one, {"logits": reals(1, 2)}, dtypes)
