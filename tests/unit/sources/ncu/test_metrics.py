from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.sources.delimited import number, whole_number
from geoaudit.sources.ncu.metrics import (
    dimensions,
    has_decimal_comma,
    is_rounded,
    nearest_aligned,
    scaled,
)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("515,308,288", 515_308_288),
        ("246,280.23", Fraction(24_628_023, 100)),
        ("506", 506),
        ("1.5e3", 1500),
        ("-3", -3),
        ("12\u202f345", 12_345),
        ("", None),
        ("n/a", None),
        ("nan", None),
        ("inf", None),
        ("PolicySpread", None),
        ("²", None),
        ("9" * 60, None),
        ("1e999", None),
    ],
)
def test_numbers_as_printed(cell: str, expected: Fraction | int | None) -> None:
    assert number(cell) == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["515.308.288", "246.280,23"], True),
        (["0,63"], True),
        (["515,308,288", "246,280.23"], False),
        (["1,024"], False),
        (["1.024", "0,63", "0.63"], False),
        (["(384, 1, 1)", "PolicySpread"], False),
        ([], False),
    ],
)
def test_the_decimal_mark_is_told_from_all_cells(cells: list[str], expected: bool) -> None:
    assert has_decimal_comma(cells) is expected


def test_a_decimal_comma_is_read() -> None:
    assert number("246.280,23", decimal_comma=True) == Fraction(24_628_023, 100)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (5, "nsecond", 5),
        (5, "usecond", 5_000),
        (5, "us", 5_000),
        (5, "ms", 5_000_000),
        (5, "msecond", 5_000_000),
        (5, "second", 5_000_000_000),
        (5, "ns", 5),
        (5, "byte/block", 5),
        (5, "Kbyte/block", 5_000),
        (5, "Mbyte", 5_000_000),
        (5, "register/thread", 5),
        (5, "", 5),
        (5, "Xbyte", None),
        (5, "fsecond", None),
    ],
)
def test_units(value: int, unit: str, expected: int | None) -> None:
    assert scaled(Fraction(value), unit) == expected


@given(st.integers(0, 227 * 1024 // 16).map(lambda units: units * 16))
def test_aligned_sizes_survive_two_decimals_of_kbyte(size: int) -> None:
    printed = Fraction(f"{size / 1000:.2f}") * 1000
    assert nearest_aligned(printed, Fraction(5), 16) == size


def test_only_scaled_sizes_are_rounded() -> None:
    assert is_rounded("17.41", "Kbyte/block")
    assert not is_rounded("17,408", "byte/block")
    assert not is_rounded("17", "Kbyte/block")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("(384, 1, 1)", (384, 1, 1)),
        ("384,1,1", (384, 1, 1)),
        ("(1,056, 2, 1)", (1056, 2, 1)),
        ("(0, 1, 1)", (0, 1, 1)),
        ("384", None),
        ("(384, 1)", None),
        ("", None),
        ("(a, b, c)", None),
    ],
)
def test_dimensions(cell: str, expected: tuple[int, int, int] | None) -> None:
    assert dimensions(cell) == expected


@pytest.mark.parametrize(("cell", "expected"), [("21952", 21952), ("4.194", 4194), ("", None)])
def test_whole_numbers_with_a_factor(cell: str, expected: int | None) -> None:
    factor = 1000 if "." in cell else 1
    assert whole_number(cell, factor) == expected
