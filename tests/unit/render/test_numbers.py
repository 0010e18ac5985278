import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.render import numbers

NOTHING = (None, math.nan, math.inf, -math.inf)


@pytest.mark.parametrize(
    ("value_ns", "text"),
    [
        (0, "0 ns"),
        (32, "32 ns"),
        (1.5, "1.50 ns"),
        (999, "999 ns"),
        (999.9, "1.00 µs"),
        (86_600, "86.6 µs"),
        (999_900, "1.00 ms"),
        (52_440_000, "52.4 ms"),
        (4.2e9, "4.20 s"),
        (123_456e9, "123,456 s"),
        (-1_180_000, "-1.18 ms"),
    ],
)
def test_duration_has_three_digits_and_the_unit_that_fits(value_ns: float, text: str) -> None:
    assert numbers.duration(value_ns) == text


@pytest.mark.parametrize(
    ("blocks", "text"), [(1, "0.8 %"), (12, "9.1 %"), (48, "36.4 %"), (128, "97.0 %")]
)
def test_percent_of_132_sms(blocks: int, text: str) -> None:
    assert numbers.percent(blocks / 132) == text


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.0, "0 %"), (1.0, "100 %"), (0.0001, "<0.1 %"), (1.25, "125.0 %")]
)
def test_percent_at_the_ends(fraction: float, text: str) -> None:
    assert numbers.percent(fraction) == text


@pytest.mark.parametrize("value", NOTHING)
def test_nothing_known_is_never_zero(value: float | None) -> None:
    for made in (numbers.duration, numbers.percent, numbers.count, numbers.waves):
        assert made(value) == numbers.CANNOT_TELL
    assert numbers.byte_count(value) == numbers.CANNOT_TELL
    assert not numbers.known(value)


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [(1.0, 4.0, 0.25), (None, 4.0, None), (1.0, None, None), (1.0, 0.0, None), (0.0, 2.0, 0.0)],
)
def test_share_needs_both(part: float | None, whole: float | None, expected: float | None) -> None:
    assert numbers.share(part, whole) == expected


def test_large_counts_lose_no_digit() -> None:
    assert numbers.count(263_927.0) == "263,927"
    assert numbers.count(1234.5) == "1,234"


@given(st.floats(min_value=1, max_value=1e15))
def test_duration_reads_back_within_its_digits(value_ns: float) -> None:
    text, unit = numbers.duration(value_ns).split(" ")
    factor = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]
    assert float(text.replace(",", "")) * factor == pytest.approx(value_ns, rel=0.0051)
